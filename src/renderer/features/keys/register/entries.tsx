import type { Holder, RegisterEntry } from '@shared/contract'
import { dayMs, minuteMs } from '@shared/durations'
import { planRefText, registerId } from '@shared/key-ids'
import { maxLastUses } from '@shared/limits'
import i18next from 'i18next'
import { useMemo } from 'react'
import { create } from 'zustand'
import { toSearchText } from '../../../format'
import { useCall } from '../../../ipc'
import { StatusDot, type Tone } from '../../../ui/badge'
import { type Sorting, toggleSorting } from '../../../ui/virtual-table'
import { useReplacements } from '../../connections/account'

const t = i18next.getFixedT(null, 'register')

/** Local keys appear immediately. `data` is undefined instead of empty while accounts may have more keys. */
export function useRegister() {
  const registerQuery = useCall('register.list', {})
  const isLoading = registerQuery.data === undefined && !registerQuery.isError
  const { data: knownEntries } = useCall('register.known', {}, { enabled: isLoading })
  const shownEntries = knownEntries && knownEntries.length > 0 ? knownEntries : undefined
  return { ...registerQuery, data: registerQuery.data ?? shownEntries, isAsking: isLoading }
}

/** Adds last uses from the account. `lastUsedFrom: 'console'` without a time means unused for 45 days. */
export function useLastUses(entries: readonly RegisterEntry[]): readonly RegisterEntry[] {
  const keys = useMemo(() => entries.filter(({ origin }) => origin).map(registerId), [entries])
  const canQuery = keys.length > 0 && keys.length <= maxLastUses
  const { data } = useCall('register.lastUses', canQuery ? { keys } : undefined, { staleTime: 5 * minuteMs })
  return useMemo(() => {
    if (!data) return entries
    const lastUses = [...data]
    return entries.map((entry) => {
      const lastUse = entry.origin && lastUses.shift()
      if (!lastUse || lastUse.isLocalOnly) return entry
      return { ...entry, lastUsedAt: lastUse.at, lastUsedFrom: lastUse.from ?? 'console' }
    })
  }, [entries, data])
}

const oldKeyAgeMs = 90 * dayMs

export const holderFilters = ['all', 'person', 'tool', 'none'] as const
export const statusFilters = ['all', 'ACTIVE', 'DISABLED', 'gone', 'unknown'] as const
export const attentionFilters = ['all', 'unacknowledged', 'old', 'shared'] as const

interface RegisterFilter {
  readonly text: string
  readonly holder: (typeof holderFilters)[number]
  readonly status: (typeof statusFilters)[number]
  readonly look: (typeof attentionFilters)[number]
  /** Plan filter: a plan in the format of `planRefText`, `connection/` for all plans of a connection, or `all`. */
  readonly plan: string
}

export interface KeysOfHolder {
  readonly holder: Holder
  readonly entries: readonly RegisterEntry[]
}

interface ListedPlan {
  readonly connectionId: string
  readonly value: string
  readonly label: string
}

const toPlanText = ({ origin, planId }: RegisterEntry): string => planRefText(origin ?? { connectionId: '', planId })

export function listPlans(entries: readonly RegisterEntry[]): readonly ListedPlan[] {
  const plans = new Map<string, ListedPlan>()
  for (const entry of entries) {
    const value = toPlanText(entry)
    const { planName, planLabel: label = planName, origin } = entry
    if (!plans.has(value)) plans.set(value, { value, label, connectionId: origin?.connectionId ?? '' })
  }
  return [...plans.values()].toSorted((a, b) => a.label.localeCompare(b.label))
}

/** Keys to delete if the holder leaves. Includes keys that are already disabled. */
export const listKeysToDelete = ({ entries }: KeysOfHolder): readonly RegisterEntry[] =>
  entries.filter(({ origin, status }) => origin !== undefined && status !== 'gone')

/** Whether the key can be disabled. That requires an account. */
export const isRevocable = ({ status, origin }: RegisterEntry): boolean =>
  origin !== undefined && status !== 'DISABLED' && status !== 'gone'

export const listHolderNames = ({ holder, alsoServes }: RegisterEntry): readonly string[] => [
  ...(holder ? [holder.name] : []),
  ...alsoServes,
]

/** Groups keys by holder name, because records of other leads may lack the id of a renamed holder. */
export function listHolders(entries: readonly RegisterEntry[]): readonly KeysOfHolder[] {
  const holdersByName = new Map<string, { holder: Holder; entries: RegisterEntry[] }>()
  for (const entry of entries) {
    const { holder } = entry
    for (const name of new Set(listHolderNames(entry))) {
      const holderEntry = holdersByName.get(name) ?? { holder: { kind: 'person', name }, entries: [] }
      // Prefer the kind from a key that the holder owns, because a shared key may have an owner of another kind.
      if (holder?.name === name && holderEntry.holder.id === undefined) holderEntry.holder = holder
      holderEntry.entries.push(entry)
      holdersByName.set(name, holderEntry)
    }
  }
  const { compare } = new Intl.Collator()
  return [...holdersByName.values()]
    .map((holderEntry) => ({ ...holderEntry, sought: toSearchText(holderEntry.holder.name) }))
    .toSorted((a, b) => compare(a.sought, b.sought))
}

/** Whether the key works and was issued, but the holder has not confirmed the receipt. */
export const isUnacknowledged = ({ handedOutAt, acknowledgedAt, status }: RegisterEntry): boolean =>
  handedOutAt !== undefined && acknowledgedAt === undefined && status !== 'gone' && status !== 'DISABLED'

export const isOld = ({ createdAt, status }: RegisterEntry, currentTime: Date): boolean =>
  createdAt !== undefined && status !== 'gone' && currentTime.getTime() - Date.parse(createdAt) > oldKeyAgeMs

const attentionPredicates: Record<RegisterFilter['look'], (entry: RegisterEntry, currentTime: Date) => boolean> = {
  all: () => true,
  unacknowledged: isUnacknowledged,
  old: isOld,
  shared: ({ alsoServes }) => alsoServes.length > 0,
}

function matchesTerms(entry: RegisterEntry, terms: readonly string[]): boolean {
  if (terms.length === 0) return true
  const { keyName, planName, planLabel, masked, purpose, machine, tools } = entry
  const texts = [keyName, planName, planLabel, masked, ...listHolderNames(entry), purpose, machine, ...tools]
  const searchText = toSearchText(texts.join('\n'))
  return terms.every((word) => searchText.includes(word))
}

/** Sort texts of columns, except of the key's name, which is the default. */
const sortTexts: Readonly<Record<string, (entry: RegisterEntry) => string>> = {
  holder: ({ holder }) => toSearchText(holder?.name ?? '\uffff'),
  status: ({ status }) => String(statusFilters.indexOf(status)),
  handedOut: ({ handedOutAt }) => handedOutAt ?? '',
  created: ({ createdAt }) => createdAt ?? '',
  used: ({ lastUsedAt }) => lastUsedAt ?? '',
}

export function listEntries(
  entries: readonly RegisterEntry[],
  { text, holder, status, look, plan }: RegisterFilter,
  { sorting: { by, isDescending }, currentTime }: { readonly sorting: Sorting; readonly currentTime: Date },
): readonly RegisterEntry[] {
  const terms = toSearchText(text).split(/\s+/).filter(Boolean)
  const matchingEntries = entries.filter(
    (entry) =>
      (holder === 'all' || (entry.holder?.kind ?? 'none') === holder) &&
      (status === 'all' || entry.status === status) &&
      (plan === 'all' || toPlanText(entry) === plan || (plan.endsWith('/') && toPlanText(entry).startsWith(plan))) &&
      attentionPredicates[look](entry, currentTime) &&
      matchesTerms(entry, terms),
  )
  const sortSign = isDescending ? -1 : 1
  // Computes each sort text once, because an account may have tens of thousands of keys.
  const rows = matchingEntries.map((entry) => ({ entry, text: sortTexts[by]?.(entry) ?? toSearchText(entry.keyName) }))
  rows.sort(
    ({ entry: a, text: textOfA }, { entry: b, text: textOfB }) =>
      sortSign * textOfA.localeCompare(textOfB) ||
      a.planName.localeCompare(b.planName) ||
      a.keyName.localeCompare(b.keyName),
  )
  return rows.map(({ entry }) => entry)
}

export const noFilter: RegisterFilter = { text: '', holder: 'all', status: 'all', look: 'all', plan: 'all' }

export const useRegisterStore = create<{
  readonly sought: RegisterFilter
  readonly sorting: Sorting
  readonly seek: (changes: Partial<RegisterFilter>) => void
  readonly sort: (column: string) => void
}>((set) => ({
  sought: noFilter,
  sorting: { by: 'key', isDescending: false },
  seek: (changes) => set(({ sought }) => ({ sought: { ...sought, ...changes } })),
  sort: (column) => set(({ sorting }) => ({ sorting: toggleSorting(sorting, column) })),
}))

export const statusTones: Record<RegisterEntry['status'], Tone> = {
  ACTIVE: 'success',
  DISABLED: 'neutral',
  unknown: 'neutral',
  gone: 'danger',
}

export function EntryStatus({ entry: { keyId, status } }: { readonly entry: RegisterEntry }) {
  const replacement = useReplacements()(keyId)
  return (
    <StatusDot
      tone={replacement && status === 'ACTIVE' ? 'warning' : statusTones[status]}
      label={replacement?.text ?? t(`statuses.${status}`)}
    />
  )
}
