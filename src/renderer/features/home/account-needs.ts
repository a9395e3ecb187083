import type { AccountPlanView } from '@shared/contract'
import { type AllowanceKind, allowanceKinds, allowanceOf, tightestModel } from '../plans/allowance'
import { soonMs } from '../plans/entries'

export { soonMs }

/** What a need has to know of a plan: where its page is, and what it is called. */
export interface PlanName {
  readonly id: string
  readonly name: string
}

/** An allowance that stands in the way. */
interface Short {
  readonly model: string
  readonly allowance: AllowanceKind
}

/** When a plan ends, and by which clock. */
export type End = Pick<AccountPlanView, 'expiresAt' | 'aheadMs'>

/** What can need a person about a plan of the account. */
export type AccountNeed =
  | ({ readonly kind: 'planExpired'; readonly plan: PlanName } & End)
  | ({ readonly kind: 'renewalFailing'; readonly plan: PlanName } & End)
  | ({ readonly kind: 'exhausted'; readonly plan: PlanName } & Short)
  | ({ readonly kind: 'nearlyExhausted'; readonly plan: PlanName } & Short)
  /** Ends within a week, and is not renewed. */
  | ({ readonly kind: 'endsSoon'; readonly plan: PlanName } & End)
  /** Would be renewed within a week, but the credits do not cover it; `missing` in VND. */
  | ({ readonly kind: 'creditsShort'; readonly plan: PlanName; readonly missing: number } & End)

/** Plans for which the same thing is to be done, in one line. */
export interface ManyNeed {
  readonly kind: 'many'
  readonly what: AccountNeed['kind']
  readonly count: number
  /** What the first of them are called. */
  readonly names: readonly string[]
}

/** How long an expired plan that no tool here uses is worth a word, in ms. */
const recentMs = 30 * 86_400_000

function shortOf(plan: AccountPlanView, level: 'out' | 'low'): Short | undefined {
  const model = tightestModel(plan.models)
  const allowance = model && allowanceKinds.find((kind) => allowanceOf(model, kind).level === level)
  return allowance && { model: model.displayName, allowance }
}

interface Moment {
  /** VND; absent while it is not known. */
  readonly credits: number | undefined
  /** By the clock of the plan's place. */
  readonly now: Date
}

function needOfEnd(plan: AccountPlanView, { credits, now }: Moment): AccountNeed | undefined {
  const { planId: id, name, expiresAt, aheadMs, autoRenew, total } = plan
  if (Date.parse(expiresAt) - now.getTime() > soonMs) return undefined
  if (!autoRenew) return { kind: 'endsSoon', plan: { id, name }, expiresAt, aheadMs }
  const missing = credits === undefined ? 0 : total - credits
  return missing > 0 ? { kind: 'creditsShort', plan: { id, name }, expiresAt, aheadMs, missing } : undefined
}

/** What is to be done about a plan of the account: at most one thing, the first cause. */
export function needOfAccountPlan(plan: AccountPlanView, moment: Moment): AccountNeed | undefined {
  const { expiresAt, aheadMs } = plan
  const name = { id: plan.planId, name: plan.name }
  if (plan.status === 'EXPIRED') {
    const isRecent = moment.now.getTime() - Date.parse(expiresAt) <= recentMs
    return isRecent || plan.usedBy.length > 0 ? { kind: 'planExpired', plan: name, expiresAt, aheadMs } : undefined
  }
  if (plan.renewal) return { kind: 'renewalFailing', plan: name, expiresAt, aheadMs }
  const out = shortOf(plan, 'out')
  if (out) return { kind: 'exhausted', plan: name, ...out }
  const end = needOfEnd(plan, moment)
  if (end) return end
  const low = shortOf(plan, 'low')
  return low && { kind: 'nearlyExhausted', plan: name, ...low }
}

const grouped: readonly AccountNeed['kind'][] = [
  'planExpired',
  'renewalFailing',
  'exhausted',
  'nearlyExhausted',
  'endsSoon',
  'creditsShort',
]

/** How many plans with the same need have a line each. */
const fewEnough = 3

/** How many are named in the line that stands for more. */
const named = 2

/** Puts more than three plans with the same need in one line, so that what else needs a person is not buried. */
export function manyAsOne<N extends { readonly kind: string; readonly plan?: PlanName }>(
  needs: readonly N[],
): readonly (N | ManyNeed)[] {
  const many = grouped.flatMap((what): ManyNeed[] => {
    const names = needs.flatMap(({ kind, plan }) => (kind === what && plan ? [plan.name] : []))
    return names.length > fewEnough ? [{ kind: 'many', what, count: names.length, names: names.slice(0, named) }] : []
  })
  return [...needs.filter(({ kind }) => !many.some(({ what }) => what === kind)), ...many]
}
