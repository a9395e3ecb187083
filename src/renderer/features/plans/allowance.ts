import type { AccountPlanView, PlanModelView } from '@shared/contract'

/** What of a model is counted: the two are independent (spec, "Plan"). */
export type AllowanceKind = 'tokens' | 'requests'
export const allowanceKinds: readonly AllowanceKind[] = ['tokens', 'requests']

/** One allowance of one model in this cycle. */
export interface Allowance {
  readonly kind: AllowanceKind
  readonly quota: number
  readonly used: number
  readonly left: number
  /** Of the quota, from 0 to 1; 1 where nothing was granted and so nothing can run out. */
  readonly leftShare: number
  readonly level: 'ample' | 'low' | 'out'
}

/** From which share left on an allowance is worth a word. */
const lowShare = 0.1

const fieldsOf = {
  tokens: ({ tokenQuota, tokensUsed }: PlanModelView) => ({ quota: tokenQuota, used: tokensUsed }),
  requests: ({ requestQuota, requestsUsed }: PlanModelView) => ({ quota: requestQuota, used: requestsUsed }),
}

/** What follows from what was granted and what is used; more used than granted counts as all used. */
export function allowanceFrom({ kind, quota, used }: Pick<Allowance, 'kind' | 'quota' | 'used'>): Allowance {
  const left = Math.max(0, quota - used)
  const leftShare = quota === 0 ? 1 : left / quota
  const level = leftShare === 0 ? 'out' : leftShare <= lowShare ? 'low' : 'ample'
  return { kind, quota, used, left, leftShare, level }
}

/** The figures of one allowance of a model. */
export const allowanceOf = (model: PlanModelView, kind: AllowanceKind): Allowance =>
  allowanceFrom({ kind, ...fieldsOf[kind](model) })

/** The smaller of a model's two shares: what stops it first. */
export const modelShare = (model: PlanModelView): number =>
  Math.min(...allowanceKinds.map((kind) => allowanceOf(model, kind).leftShare))

/** The model that runs out first, by share; none when the plan has no models. */
export function tightestModel(models: readonly PlanModelView[]): PlanModelView | undefined {
  return models.reduce<PlanModelView | undefined>(
    (tightest, model) => (tightest && modelShare(tightest) <= modelShare(model) ? tightest : model),
    undefined,
  )
}

/** How much of the current cycle is over, from 0 to 1: the pace that use is compared with. Nothing when the plan is not running. */
export function cycleShare(
  { status, expiresAt, cycleDays }: Pick<AccountPlanView, 'status' | 'expiresAt' | 'cycleDays'>,
  now: Date,
): number | undefined {
  const cycleMs = cycleDays * 86_400_000
  if (status === 'EXPIRED' || cycleMs === 0) return undefined
  const leftMs = Date.parse(expiresAt) - now.getTime()
  // A plan renewed ahead of its end has more than one cycle before it.
  return leftMs > cycleMs ? 0 : Math.min(1, Math.max(0, 1 - leftMs / cycleMs))
}

/** Whether an allowance is used clearly faster than the cycle passes; only said when there is enough to go by. */
export function isAhead({ used, quota }: Allowance, cycle: number | undefined): boolean {
  return cycle !== undefined && cycle >= 0.05 && quota > 0 && used / quota > cycle + 0.1
}
