import { randomUUID } from 'node:crypto'
import type { RotationPlan, SubscriptionKeyView } from '@shared/contract'
import { RotationStepId, RotationUndoStepId } from '@shared/contract/rotation'
import { AppError } from '@shared/failure'
import { limits } from '@shared/limits'
import { findFreeName } from '../../core/free-name'
import type { RotationRecord } from '../../core/settings/records'
import type { KeyRecord, PlanRecord } from '../../core/settings/settings'
import type { UsablePlan } from '../../plans/default-key'
import { listUpstreams as listKeys } from '../../relay/routing/routes'
import { isEnded, type RotationJournal } from './journal'
import { createKeyMatcher, findKeyUsers, toSwitchedTool } from './key-switch'
import type { RotationPorts } from './ports'

/** A key of this computer that also exists at the account, with its state at the account. */
interface RotationContext {
  readonly plan: UsablePlan & { readonly origin: NonNullable<PlanRecord['origin']> }
  readonly key: KeyRecord & { readonly origin: NonNullable<KeyRecord['origin']> }
  readonly oldKey: SubscriptionKeyView
  readonly keys: readonly SubscriptionKeyView[]
  readonly maxKeys: number
  readonly newKeyName: string
}

/** Fails with `*.notFound`, `rotation.notAtAccount`, `rotation.underWay`, or the account's failure. */
export async function loadRotationContext(
  { planId, keyId }: { readonly planId: string; readonly keyId: string },
  { account, plans, clock }: RotationPorts,
  journal: RotationJournal,
): Promise<RotationContext> {
  const { origin, ...plan } = plans.find(planId)
  const key = plan.keys.find(({ id }) => id === keyId)
  if (key === undefined) throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
  if (origin === undefined || key.origin === undefined) {
    const message = `The key ${key.name} of ${plan.name} was added by key, so the app can't create a new one. Ask the person who issued it, and paste the new key.`
    throw new AppError('rotation.notAtAccount', message)
  }
  const accountKeyId = key.origin.keyId
  journal.requireNotRotating(plan.id, key)
  const openRotations = journal.all().filter((rotation) => !isEnded(rotation) && rotation.planId === plan.id)
  const [{ maxKeys, status }, keys] = await Promise.all([account.plan(origin), account.keys(origin)])
  if (status === 'EXPIRED') {
    const message = `The plan ${plan.name} (${origin.planId}) has expired, so its keys can't be rotated.`
    throw new AppError('account.planExpired', message)
  }
  const oldKey = keys.find((accountKey) => accountKey.keyId === accountKeyId)
  if (!oldKey) throw new AppError('rotation.notAtAccount', `The account no longer has the key ${key.name}.`)
  const usedNames = [...keys.map(({ name }) => name), ...openRotations.map(({ newKey }) => newKey.name)]
  const newKeyName = createKeyName(key.name, usedNames, clock())
  return {
    plan: { ...plan, origin },
    key: { ...key, origin: { keyId: accountKeyId } },
    oldKey,
    keys,
    maxKeys,
    newKeyName,
  }
}

export async function previewRotation(
  { plan, key, keys, maxKeys, newKeyName }: RotationContext,
  ports: RotationPorts,
  journal: RotationJournal,
): Promise<RotationPlan> {
  const { setups, profiles } = await findKeyUsers(ports, createKeyMatcher(plan, key.id))
  // If the lead space is offline, the rotation queries it again before it disables the key.
  const computers = await ports.findOtherUses?.({ ...plan.origin, ...key.origin }).catch(() => undefined)
  return {
    planId: plan.id,
    planName: plan.name,
    keyId: key.id,
    keyName: key.name,
    newKeyName,
    slots: { used: keys.length, max: maxKeys },
    freeable: await findFreeableKey({ plan, key, keys }, ports, journal),
    tools: setups.map(toSwitchedTool),
    unknownTools: [...(await ports.tools.unknownSetups())],
    profiles: profiles.map(({ name }) => name),
    holders: ports
      .listHandovers({ planId: plan.id, oldKeyId: key.id, newKeyId: undefined })
      .map(({ holder }) => holder.name),
    ...(computers === undefined ? {} : { computers: [...computers] }),
  }
}

/** Keys of the account that this computer does not use and that have no known holder, oldest first. */
async function findFreeableKey(
  { plan, key, keys }: Pick<RotationContext, 'plan' | 'key' | 'keys'>,
  ports: RotationPorts,
  journal: RotationJournal,
): Promise<RotationPlan['freeable']> {
  const { setups, profiles, ways } = await findKeyUsers(ports, ({ planId }) => planId === plan.id)
  const setupChoices = setups.map(({ choice }) => choice)
  const choices = [...setupChoices, ...profiles.flatMap(({ entries }) => entries), ...ways.flatMap(listKeys)]
  const isUsedHere = ({ id }: KeyRecord): boolean => choices.some(createKeyMatcher(plan, id))
  const openRotations = journal.all().filter((rotation) => !isEnded(rotation))
  const neededKeyIds = new Set([
    key.origin.keyId,
    ...plan.keys.filter(isUsedHere).flatMap(({ origin }) => origin?.keyId ?? []),
    ...openRotations.flatMap(({ oldKey, newKey }) => [oldKey.keyId, newKey.keyId ?? '']),
  ])
  return keys
    .filter(({ keyId }) => !neededKeyIds.has(keyId) && ports.listHolders({ ...plan.origin, keyId }).length === 0)
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
    .map(({ keyId, name, status, createdAt }) => ({ keyId, name, status, createdAt }))
}

/** A free name: the old key's name with the UTC day of the rotation, which replaces the day of an earlier one. */
function createKeyName(oldName: string, takenNames: readonly string[], currentTime: Date): string {
  const [base = ''] = oldName.split(/-\d{4}-\d{2}-\d{2}(?:-\d+)?$/)
  const day = currentTime.toISOString().slice(0, 10)
  return findFreeName(
    (name) => takenNames.includes(name),
    (mark) => {
      const suffix = `-${day}${mark}`
      return [...base].slice(0, limits.nameCharacters - suffix.length).join('') + suffix
    },
  )
}

export function newRecord(
  { plan, key, oldKey }: RotationContext,
  { newKeyName, ...options }: Pick<RotationRecord, 'graceMs' | 'disableBy' | 'disableAfterMs'> & { newKeyName: string },
  currentTime: Date,
): RotationRecord {
  return {
    id: randomUUID(),
    planId: plan.id,
    planName: plan.name,
    origin: plan.origin,
    oldKey: { id: key.id, keyId: oldKey.keyId, name: key.name, wasActive: oldKey.status !== 'DISABLED' },
    newKey: { name: newKeyName },
    direction: 'forward',
    state: 'running',
    steps: RotationStepId.options.map((id) => ({ id, state: 'pending' })),
    undoSteps: RotationUndoStepId.options.map((id) => ({ id, state: 'pending' })),
    tools: [],
    profiles: [],
    startedAt: currentTime.toISOString(),
    ...options,
    isStopWanted: false,
  }
}
