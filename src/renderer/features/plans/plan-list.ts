import { toServerTime } from '../../relative-time'
import {
  type Entry,
  expiringSoonMs,
  getPlanStatus,
  modelShare,
  type PlanStatus,
  tightestModel,
} from '../connections/account'

const statusOrder: readonly PlanStatus[] = [
  'renewalFailing',
  'fails',
  'provisioning',
  'active',
  'works',
  'unchecked',
  'expired',
]

function expiresSoon(entry: Entry, currentTime: Date): boolean {
  const { expiresAt } = entry.plan
  return (
    expiresAt !== undefined &&
    getPlanStatus(entry, currentTime) !== 'expired' &&
    Date.parse(expiresAt) - toServerTime(currentTime, entry.plan).getTime() <= expiringSoonMs
  )
}

export const filters = ['all', 'active', 'expiring', 'expired', 'handed'] as const
export type Filter = (typeof filters)[number]

const matchesFilters: Record<Filter, (entry: Entry, currentTime: Date) => boolean> = {
  all: () => true,
  active: (entry, currentTime) => entry.kind === 'account' && getPlanStatus(entry, currentTime) !== 'expired',
  expiring: expiresSoon,
  expired: (entry, currentTime) => getPlanStatus(entry, currentTime) === 'expired',
  handed: ({ kind }) => kind === 'handed',
}

export const filterEntries = (entries: readonly Entry[], filter: Filter, currentTime: Date): readonly Entry[] =>
  entries.filter((entry) => matchesFilters[filter](entry, currentTime))

export function searchEntries(entries: readonly Entry[], text: string): readonly Entry[] {
  const terms = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return entries
  return entries.filter(({ kind, plan }) => {
    const ownTexts =
      kind === 'account'
        ? [plan.planType, ...plan.models.flatMap(({ modelCode, displayName }) => [modelCode, displayName])]
        : plan.models
    const entryText = [plan.name, plan.gatewayUrl, ...ownTexts].join('\n').toLocaleLowerCase()
    return terms.every((word) => entryText.includes(word))
  })
}

export const sortColumns = ['name', 'status', 'expires', 'keys', 'left'] as const
export type SortColumn = (typeof sortColumns)[number]

/** Value by which a column sorts an entry. Undefined values come last in both directions. */
const sortValue: Record<SortColumn, (entry: Entry, currentTime: Date) => number | string | undefined> = {
  name: ({ plan }) => plan.name,
  status: (entry, currentTime) => statusOrder.indexOf(getPlanStatus(entry, currentTime)),
  expires: ({ plan }) => (plan.expiresAt === undefined ? undefined : Date.parse(plan.expiresAt)),
  keys: ({ kind, plan }) => (kind === 'account' ? plan.keysUsed : undefined),
  left: ({ kind, plan }) => {
    const model = kind === 'account' ? tightestModel(plan.models) : undefined
    return model && modelShare(model)
  },
}

type SortValue = number | string | undefined

// Use one collator for all comparisons. `localeCompare` with options would create one at each call.
const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compareValues(a: SortValue, b: SortValue): number {
  return typeof a === 'string' || typeof b === 'string' ? compareNames(String(a), String(b)) : Number(a) - Number(b)
}

export function sortEntries(
  entries: readonly Entry[],
  { by, isDescending }: { readonly by: SortColumn; readonly isDescending: boolean },
  currentTime: Date,
): readonly Entry[] {
  const rows = entries.map((entry) => ({ entry, value: sortValue[by](entry, currentTime) }))
  const sortedRows = rows.toSorted((a, b) => {
    const order =
      a.value === undefined || b.value === undefined
        ? Number(a.value === undefined) - Number(b.value === undefined)
        : (isDescending ? -1 : 1) * compareValues(a.value, b.value)
    return order || compareNames(a.entry.plan.name, b.entry.plan.name)
  })
  return sortedRows.map(({ entry }) => entry)
}
