import type { RegisterEntry } from '@shared/contract'

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
  ['Also serves', ({ alsoServes }) => alsoServes.join('; ')],
]

/** What a spreadsheet may take for a formula, also behind space and in full width. */
export const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** The register as CSV (RFC 4180), without any key; a cell that a spreadsheet could run begins with a quote. */
export function formatCsv(entries: readonly RegisterEntry[]): string {
  const rows = entries.map((entry) => columns.map(([, cell]) => cell(entry) ?? ''))
  return [columns.map(([heading]) => heading), ...rows].map(csvLine).join('')
}

/** One line of CSV (RFC 4180); a cell that a spreadsheet could run begins with a quote. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
