import type { KeyProblem, PlanView } from '@shared/contract'
import type { KeyRecord, PlanRecord, Settings } from '../core/settings/settings'

export interface UsablePlan extends PlanRecord {
  /** Key for requests that name no key. Undefined if the plan has no key. */
  readonly defaultKeyId?: string | undefined
}

type KeyNotes = Pick<Settings, 'register' | 'rotations'>

/** Prefers usable keys without holder, then with holder, then in rotation, then disabled ones; the newest first. */
export function defaultKey(plan: PlanRecord, notes: KeyNotes): KeyRecord | undefined {
  const getKeyRank = (key: KeyRecord): number => {
    if (isDisabled(key, notes)) return 3
    if (findSuccessor(key, plan, notes) || isUnverifiedKey(key, plan, notes)) return 2
    return hasHolder(key, plan, notes) ? 1 : 0
  }
  const rankedKeys = plan.keys.toReversed().map((key) => ({ key, rank: getKeyRank(key) }))
  const [bestRanked] = rankedKeys.toSorted((a, b) => a.rank - b.rank || b.key.addedAt.localeCompare(a.key.addedAt))
  return bestRanked?.key
}

/** The replacement of a rotated key, once local tools were tested with it or the old one is disabled. */
export function findSuccessor(key: KeyRecord, { keys }: PlanRecord, notes: Pick<KeyNotes, 'rotations'>) {
  const rotatedNewKey = notes.rotations.find(
    ({ oldKey, direction, steps }) =>
      oldKey.id === key.id && direction === 'forward' && (steps.some(isVerified) || isDisabled(key, notes)),
  )?.newKey
  return keys.find(({ id, status }) => id === rotatedNewKey?.id && status !== 'DISABLED')
}

/** Whether a key is disabled, by the account's last status or else by its rotation. */
export const isDisabled = ({ id, status }: KeyRecord, { rotations }: Pick<KeyNotes, 'rotations'>): boolean =>
  status === undefined
    ? rotations.some(
        ({ oldKey, direction, steps }) =>
          oldKey.id === id &&
          direction === 'forward' &&
          steps.some((step) => step.id === 'disable' && step.state === 'done'),
      )
    : status === 'DISABLED'

/** New key of a rotation before tools were tested with it: the gateway may not accept it, and an undo deletes it. */
const isUnverifiedKey = ({ id }: KeyRecord, { keys }: PlanRecord, notes: KeyNotes): boolean =>
  notes.rotations.some(
    ({ oldKey, newKey, state, direction, steps }) =>
      newKey.id === id &&
      state !== 'done' &&
      state !== 'undone' &&
      !(direction === 'forward' && steps.some(isVerified)) &&
      keys.some((key) => key.id === oldKey.id && !isDisabled(key, notes)),
  )

const isVerified = ({ id, state }: Settings['rotations'][number]['steps'][number]): boolean =>
  id === 'verify' && (state === 'done' || state === 'skipped')

function hasHolder(key: KeyRecord, { id, origin }: PlanRecord, { register }: KeyNotes): boolean {
  const [connectionId, planId, keyId] =
    origin && key.origin ? [origin.connectionId, origin.planId, key.origin.keyId] : ['', id, key.id]
  return register.some(
    (note) =>
      note.holder !== undefined && note.connectionId === connectionId && note.planId === planId && note.keyId === keyId,
  )
}

type KeyPlan = Pick<PlanView, 'defaultKeyId' | 'expiresAt' | 'aheadMs'> & {
  readonly keys: readonly Pick<PlanView['keys'][number], 'id' | 'kept' | 'status' | 'problem'>[]
}

/** Known reason why requests with a key of the plan fail. If no key is passed, the plan's default key is meant. */
export function findKeyProblem(plan: KeyPlan, keyId: string | undefined, currentTime: Date): KeyProblem | undefined {
  const key = plan.keys.find(({ id }) => id === (keyId ?? plan.defaultKeyId))
  if (key === undefined || key.kept === 'missing') return 'keyMissing'
  if (key.problem === 'deleted') return 'keyDeleted'
  if (key.status === 'DISABLED') return 'keyDisabled'
  const { expiresAt, aheadMs: clockOffsetMs = 0 } = plan
  if (expiresAt !== undefined && Date.parse(expiresAt) <= currentTime.getTime() + clockOffsetMs) return 'planExpired'
  return key.problem === 'rejected' ? 'keyRejected' : undefined
}
