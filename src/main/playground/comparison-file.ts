import type { ComparisonView, PlaygroundRun } from '@shared/contract'
import Papa from 'papaparse'
import { formula } from '../register/csv'
import type { KeptRun } from './ports'

/** By this mark a spreadsheet knows that the text is UTF-8. */
const byteOrderMark = '\uFEFF'

const figures = [
  ['state', ({ state }: PlaygroundRun) => state],
  ['first_token_ms', ({ firstTokenMs }: PlaygroundRun) => firstTokenMs],
  ['duration_ms', ({ durationMs }: PlaygroundRun) => durationMs],
  ['tokens_per_second', ({ tokensPerSecond }: PlaygroundRun) => tokensPerSecond],
  ['input_tokens', ({ inputTokens }: PlaygroundRun) => inputTokens],
  ['output_tokens', ({ outputTokens }: PlaygroundRun) => outputTokens],
  ['cache_read_tokens', ({ cacheReadTokens }: PlaygroundRun) => cacheReadTokens],
  ['cache_write_tokens', ({ cacheWriteTokens }: PlaygroundRun) => cacheWriteTokens],
  ['request_id', ({ requestId }: PlaygroundRun) => requestId],
  ['failure', ({ failure }: PlaygroundRun) => failure?.message],
] as const

/** A row for each case and one with the totals, and for each column its answer with its figures; a cell that a spreadsheet could run begins with a quote. */
export function comparisonCsv({ setup, cells }: ComparisonView, kept: readonly KeptRun[]): string {
  const byRun = new Map(kept.map((one) => [one.run.id, one]))
  const cases = setup.cases.length > 0 ? setup.cases : [{ id: undefined, values: [] }]
  const fields = ['case', ...setup.variables, ...setup.columns.flatMap(({ name }) => namesOf(name))]
  const rows = cases.map(({ id: caseId, values }, at) => [
    at + 1,
    ...setup.variables.map((_, place) => values[place] ?? ''),
    ...setup.columns.flatMap(({ id: columnId }) => {
      const cell = cells.find((one) => one.columnId === columnId && one.caseId === caseId)
      return valuesOf(cell && byRun.get(cell.run.id))
    }),
  ])
  const totals = setup.columns.flatMap(({ id, rating }) => {
    const runs = cells.filter(({ columnId }) => columnId === id).flatMap(({ run }) => byRun.get(run.id)?.run ?? [])
    const sums = figures.map(([name, of]) => (summed.has(name) ? sumOf(runs.map((run): unknown => of(run))) : ''))
    return ['', ...sums, rating ?? '', setup.winner === id ? 'yes' : '']
  })
  rows.push(['total', ...setup.variables.map(() => ''), ...totals])
  return `${byteOrderMark}${Papa.unparse({ fields, data: rows }, { escapeFormulae: formula, newline: '\r\n' })}\r\n`
}

/** What the last row adds up; what the person thinks of a column stands there too. */
const summed: ReadonlySet<string> = new Set([
  ...['duration_ms', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
])

const sumOf = (values: readonly unknown[]): number | string => {
  const known = values.filter((value) => typeof value === 'number')
  return known.length === 0 ? '' : known.reduce((sum, value) => sum + value, 0)
}

const namesOf = (column: string): string[] => [
  column,
  ...[...figures.map(([name]) => name), 'rating', 'winner'].map((name) => `${column} ${name}`),
]

const valuesOf = (kept: KeptRun | undefined): (string | number)[] => [
  kept?.answer.text ?? '',
  ...figures.map(([, of]) => (kept ? (of(kept.run) ?? '') : '')),
  '',
  '',
]

/** The comparison with every answer as JSON (docs/playground.md). */
export function comparisonJson({ setup, cells }: ComparisonView, kept: readonly KeptRun[]): string {
  const byRun = new Map(kept.map((one) => [one.run.id, one.answer]))
  const answered = cells.map((cell) => ({ ...cell, answer: byRun.get(cell.run.id) ?? { text: '' } }))
  const file = { format: 'platform-companion-comparison', version: 1, ...setup, cells: answered }
  return `${JSON.stringify(file, undefined, 2)}\n`
}
