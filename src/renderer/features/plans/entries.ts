import type { AccountPlanView, PlanModelView, PlanView } from '@shared/contract'
import { nowThere } from '../../relative-time'

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

/** A plan of the account (with the one on this computer that holds its keys), or one of which only a key was handed over. */
export type Entry =
  | {
      readonly kind: 'account'
      readonly id: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  /** `isGone`: it was kept from the account, which no longer knows it. */
  | { readonly kind: 'handed'; readonly id: string; readonly plan: PlanView; readonly isGone: boolean }

/** How a plan stands. The last three are all that is known of one that was handed over: its last check. */
export type Standing = 'expired' | 'renewalFailing' | 'provisioning' | 'active' | 'fails' | 'works' | 'unchecked'

/** What attention goes to first; what is over comes last. */
const standings: readonly Standing[] = [
  'renewalFailing',
  'fails',
  'provisioning',
  'active',
  'works',
  'unchecked',
  'expired',
]

/** How long before its end a plan counts as about to end, in ms. */
export const soonMs = 7 * 86_400_000

/** What a connection's console answered; nothing while, or where, it did not. */
interface Answered {
  readonly connectionId: string
  readonly plans: readonly AccountPlanView[]
}

/** All plans in one list: the account's, each joined with the one on this computer, and those of which only that one is known. */
export function entriesOf(answered: Answered | undefined, local: readonly PlanView[]): readonly Entry[] {
  const account = answered?.plans ?? []
  // Either list may be older than the other: a plan that has just been kept here names where it comes from before the account names it.
  const localOf = ({ planId, localPlanId }: AccountPlanView): PlanView | undefined =>
    local.find(({ id, origin }) => id === localPlanId || (origin?.planId === planId && isHere(origin)))
  const isHere = ({ connectionId }: NonNullable<PlanView['origin']>): boolean => connectionId === answered?.connectionId
  const joined = new Set(account.map((plan) => localOf(plan)?.id))
  const isGone = ({ origin }: PlanView): boolean => origin !== undefined && isHere(origin)
  return [
    ...account.map((plan): Entry => ({ kind: 'account', id: plan.planId, plan, local: localOf(plan) })),
    ...local
      .filter(({ id }) => !joined.has(id))
      .map((plan): Entry => ({ kind: 'handed', id: plan.id, plan, isGone: isGone(plan) })),
  ]
}

/** How a plan stands at a moment. */
export function getPlanStatus(entry: Entry, now: Date): Standing {
  const isOver =
    entry.plan.expiresAt !== undefined && Date.parse(entry.plan.expiresAt) <= nowThere(now, entry.plan).getTime()
  if (entry.kind === 'account') {
    const { status, renewal, provisioned } = entry.plan
    if (status === 'EXPIRED') return 'expired'
    return renewal ? 'renewalFailing' : provisioned ? 'active' : 'provisioning'
  }
  if (isOver) return 'expired'
  const { lastCheck } = entry.plan
  return lastCheck === undefined ? 'unchecked' : lastCheck.ok ? 'works' : 'fails'
}

/** Whether a plan ends within a week. */
function endsSoon(entry: Entry, now: Date): boolean {
  const { expiresAt } = entry.plan
  return (
    expiresAt !== undefined &&
    getPlanStatus(entry, now) !== 'expired' &&
    Date.parse(expiresAt) - nowThere(now, entry.plan).getTime() <= soonMs
  )
}

export const filters = ['all', 'active', 'expiring', 'expired', 'handed'] as const
export type Filter = (typeof filters)[number]

const passes: Record<Filter, (entry: Entry, now: Date) => boolean> = {
  all: () => true,
  active: (entry, now) => entry.kind === 'account' && getPlanStatus(entry, now) !== 'expired',
  expiring: endsSoon,
  expired: (entry, now) => getPlanStatus(entry, now) === 'expired',
  handed: ({ kind }) => kind === 'handed',
}

/** The plans that a filter lets through. */
export const filtered = (entries: readonly Entry[], filter: Filter, now: Date): readonly Entry[] =>
  entries.filter((entry) => passes[filter](entry, now))

function heldText({ kind, plan }: Entry): string {
  const models =
    kind === 'account' ? plan.models.flatMap(({ modelCode, displayName }) => [modelCode, displayName]) : plan.models
  return [plan.name, kind === 'account' ? plan.planType : '', plan.gatewayUrl, ...models].join('\n').toLocaleLowerCase()
}

/** The plans whose name, type, gateway or models hold every word of a text, whatever the case. */
export function found(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter((entry) => {
    const held = heldText(entry)
    return words.every((word) => held.includes(word))
  })
}

export const sortColumns = ['name', 'status', 'expires', 'keys', 'left'] as const
export type SortColumn = (typeof sortColumns)[number]

/** What a column compares; what is not known comes last, whichever way the column is sorted. */
const sortValue: Record<SortColumn, (entry: Entry, now: Date) => number | string | undefined> = {
  name: ({ plan }) => plan.name,
  status: (entry, now) => standings.indexOf(getPlanStatus(entry, now)),
  expires: ({ plan }) => (plan.expiresAt === undefined ? undefined : Date.parse(plan.expiresAt)),
  keys: ({ kind, plan }) => (kind === 'account' ? plan.keysUsed : undefined),
  left: ({ kind, plan }) => {
    const model = kind === 'account' ? tightestModel(plan.models) : undefined
    return model && modelShare(model)
  },
}

type Value = number | string | undefined

function compared(a: Value, b: Value): number {
  return typeof a === 'string' || typeof b === 'string'
    ? String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: 'base' })
    : Number(a) - Number(b)
}

/** The plans in the order of a column; equal ones by name. */
export function sorted(
  entries: readonly Entry[],
  { by, isDescending }: { readonly by: SortColumn; readonly isDescending: boolean },
  now: Date,
): readonly Entry[] {
  const rows = entries.map((entry) => ({ entry, value: sortValue[by](entry, now) }))
  const order = rows.toSorted((a, b) => {
    if (a.value === undefined || b.value === undefined) {
      return (
        Number(a.value === undefined) - Number(b.value === undefined) || compared(a.entry.plan.name, b.entry.plan.name)
      )
    }
    const way = isDescending ? -1 : 1
    return way * compared(a.value, b.value) || compared(a.entry.plan.name, b.entry.plan.name)
  })
  return order.map(({ entry }) => entry)
}
