import type { UsageFilter, UsageRequest, UsageSeries, UsageShare } from '@shared/contract/usage'
import { csvLine } from '../register/csv'
import { tokensOf } from './console-usage'

export type ExportFormat = 'csv' | 'json'

type Column<Row> = readonly [heading: string, cell: (row: Row) => string | number | undefined]
type Counted = Omit<UsageShare, 'id' | 'name'>

const counts: readonly Column<Counted>[] = [
  ['Requests', ({ requests }) => requests],
  ['Errors', ({ errors }) => errors],
  ['Input tokens', ({ inputTokens }) => inputTokens],
  ['Output tokens', ({ outputTokens }) => outputTokens],
  ['Cache tokens', ({ cacheTokens }) => cacheTokens],
  ['Tokens', tokensOf],
]

const requestColumns: readonly Column<UsageRequest>[] = [
  ['At', ({ at }) => at],
  ['Source', ({ source }) => source],
  ['Plan', ({ planName }) => planName],
  ['Key', ({ keyName }) => keyName],
  ['Tool', ({ toolName, toolId }) => toolName ?? toolId],
  ['Model', ({ modelCode }) => modelCode],
  ['Standard', ({ standard }) => standard],
  ['Input tokens', ({ inputTokens }) => inputTokens],
  ['Output tokens', ({ outputTokens }) => outputTokens],
  ['Cache read tokens', ({ cacheReadTokens }) => cacheReadTokens],
  ['Cache write tokens', ({ cacheWriteTokens }) => cacheWriteTokens],
  ['Status', ({ status }) => status],
  ['Error', ({ error }) => error],
  ['First byte ms', ({ firstByteMs }) => firstByteMs],
  ['Duration ms', ({ durationMs }) => durationMs],
]

/** Figures over time as a file. Each says where it comes from. */
export function seriesText(series: UsageSeries, filter: UsageFilter, format: ExportFormat): string {
  if (format === 'json') return `${JSON.stringify({ filter, ...series }, undefined, 2)}\n`
  const columns: Column<UsageSeries['buckets'][number]>[] = [
    ['Start', ({ start }) => start],
    ...counts,
    ['Source', () => filter.scope],
  ]
  return csvOf(columns, series.buckets)
}

/** The parts of a split as CSV. */
export function sharesText(shares: readonly UsageShare[], { scope }: Pick<UsageFilter, 'scope'>, by: string): string {
  const columns: Column<UsageShare>[] = [
    [by, ({ id, name }) => name ?? id],
    ['Id', ({ id }) => id],
    ...counts,
    ['Source', () => scope],
  ]
  return csvOf(columns, shares)
}

/** Requests as a file, page by page, so that millions of them need no memory. */
export async function* requestsText(
  pages: AsyncIterable<readonly UsageRequest[]>,
  filter: UsageFilter,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield headingsOf(requestColumns)
    for await (const page of pages) yield page.map((row) => lineOf(requestColumns, row)).join('')
    return
  }
  yield `{"filter":${JSON.stringify(filter)},"requests":[`
  let between = '\n'
  for await (const page of pages) {
    for (const request of page) {
      yield between + JSON.stringify(request)
      between = ',\n'
    }
  }
  yield '\n]}\n'
}

const csvOf = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  headingsOf(columns) + rows.map((row) => lineOf(columns, row)).join('')

const headingsOf = <Row>(columns: readonly Column<Row>[]): string => csvLine(columns.map(([heading]) => heading))

const lineOf = <Row>(columns: readonly Column<Row>[], row: Row): string =>
  csvLine(columns.map(([, cell]) => String(cell(row) ?? '')))
