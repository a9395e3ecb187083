import type { KeyProblem, PlanView } from '@shared/contract'

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
