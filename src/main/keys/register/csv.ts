import type { RegisterEntry } from '@shared/contract'
import { csvLine } from '../../core/csv'

type Column = readonly [heading: string, cell: (entry: RegisterEntry) => string | undefined]

const columns: readonly Column[] = [
  ['Plan', ({ planName }) => planName],
  ['Key', ({ keyName }) => keyName],
  ['Ends with', ({ masked }) => masked],
  ['Status', ({ status }) => status],
  ['Holder', ({ holder }) => holder?.name],
  ['Kind of holder', ({ holder }) => holder?.kind],
  ['Purpose', ({ purpose }) => purpose],
  ['Machine', ({ machine }) => machine],
  ['Made', ({ createdAt }) => createdAt],
  ['Handed out', ({ handedOutAt }) => handedOutAt],
  ['Acknowledged', ({ acknowledgedAt }) => acknowledgedAt],
  ['Rotated', ({ rotatedAt }) => rotatedAt],
  ['Last used', ({ lastUsedAt }) => lastUsedAt],
  ['Tools here', ({ tools }) => tools.join('; ')],
  ['Last used from', ({ lastUsedFrom }) => lastUsedFrom],
  ['Also serves', ({ alsoServes }) => alsoServes.join('; ')],
]

/** Formats the register as CSV (RFC 4180) without keys. A leading quote defuses cells with formulas. */
export function formatCsv(entries: readonly RegisterEntry[]): string {
  const rows = entries.map((entry) => columns.map(([, cell]) => cell(entry) ?? ''))
  return [columns.map(([heading]) => heading), ...rows].map(csvLine).join('')
}
