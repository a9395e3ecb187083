import type { AccountPlanView, PlanView } from '@shared/contract'
import { nowThere } from '../../relative-time'
import { modelShare, tightestModel } from './allowance'

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
export interface Answered {
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
