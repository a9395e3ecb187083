import type { MethodInput, MethodOutput } from '@shared/contract'
import type { UsageCounts, UsageFilter, UsageRequest, UsageSeries, UsageShare } from '@shared/contract/usage'
import { AppError } from '@shared/failure'
import { sumTokens } from '@shared/usage-counts'
import { byteOrderMark, csvLine } from '../core/csv'
import type { Disk } from '../core/files/disk'
import { resolveLinks, toFileName, writeChosenFile, writeStreamedFile } from '../core/files/files'
import { createIsoFormat } from '../core/local-time'
import type { Clock, FileDialogs } from '../core/ports'

interface ExportOptions {
  readonly filter: UsageFilter
  readonly format: 'csv' | 'json'
  readonly zone: string
}

type Column<Row> = readonly [heading: string, cell: (row: Row) => string | number | undefined]

const counts: readonly Column<UsageCounts>[] = [
  ['Requests', ({ requests }) => requests],
  ['Errors', ({ errors }) => errors],
  ['Input tokens', ({ inputTokens }) => inputTokens],
  ['Output tokens', ({ outputTokens }) => outputTokens],
  ['Cache tokens', ({ cacheTokens }) => cacheTokens],
  ['Tokens', sumTokens],
]

const requestFacts: readonly Column<UsageRequest>[] = [
  ['Source', ({ source }) => source],
  ['Plan', ({ planName }) => planName],
  ['Key', ({ keyName }) => keyName],
  ['Tool', ({ toolName, toolId }) => toolName ?? toolId],
  ['Project', ({ projectName }) => projectName],
  ['Model', ({ modelCode }) => modelCode],
  ['Standard', ({ standard }) => standard],
  ['Input tokens', ({ inputTokens }) => inputTokens],
  ['Output tokens', ({ outputTokens }) => outputTokens],
  ['Cache read tokens', ({ cacheReadTokens }) => cacheReadTokens],
  ['Cache write tokens', ({ cacheWriteTokens }) => cacheWriteTokens],
  ['Estimated', ({ isEstimated }) => (isEstimated ? 'yes' : '')],
  ['Status', ({ status }) => status],
  ['Error', ({ error }) => error],
  ['First byte ms', ({ firstByteMs }) => firstByteMs],
  ['Duration ms', ({ durationMs }) => durationMs],
]

/** Usage over time as text. Each row contains its source. CSV has local days, JSON has UTC timestamps. */
export function seriesText(series: UsageSeries, { filter, format, zone }: ExportOptions): string {
  if (format === 'json') return `${JSON.stringify({ filter, ...series }, undefined, 2)}\n`
  const toIso = createIsoFormat(zone)
  const startLength = series.step === 'hour' ? undefined : 'YYYY-MM-DD'.length
  const columns: Column<UsageSeries['buckets'][number]>[] = [
    ['Start', ({ start }) => toIso(Date.parse(start)).slice(0, startLength)],
    ...counts,
    ['Source', () => filter.scope],
  ]
  return toCsv(columns, series.buckets)
}

export function sharesText(
  shares: readonly UsageShare[],
  { scope }: Pick<UsageFilter, 'scope'>,
  nameHeader: string,
): string {
  const columns: Column<UsageShare>[] = [
    [nameHeader, ({ id, name }) => name ?? id],
    ['Id', ({ id }) => id],
    ...counts,
    ['Source', () => scope],
  ]
  return toCsv(columns, shares)
}

/** Streams page by page, to keep memory small for millions of requests. */
async function* formatRequests(
  pages: AsyncIterable<readonly UsageRequest[]>,
  { filter, format, zone }: ExportOptions,
): AsyncGenerator<string> {
  if (format === 'csv') {
    // Local times as in the window's table.
    const toIso = createIsoFormat(zone)
    const columns: Column<UsageRequest>[] = [['At', ({ at }) => toIso(Date.parse(at))], ...requestFacts]
    yield toCsv(columns, [])
    for await (const page of pages) yield toLines(columns, page)
    return
  }
  yield `{"filter":${JSON.stringify(filter)},"requests":[`
  let lineFeed = '\n'
  for await (const page of pages) {
    for (const request of page) {
      yield lineFeed + JSON.stringify(request)
      lineFeed = ',\n'
    }
  }
  yield '\n]}\n'
}

const toCsv = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  csvLine(columns.map(([heading]) => heading)) + toLines(columns, rows)

const toLines = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  rows.map((row) => csvLine(columns.map(([, cell]) => String(cell(row) ?? '')))).join('')

interface UsageFilesDeps {
  readonly usage: {
    series(query: MethodInput<'usage.series'>): Promise<MethodOutput<'usage.series'>>
    requests(query: MethodInput<'usage.requests'>): Promise<MethodOutput<'usage.requests'>>
  }
  readonly dialogs: Pick<FileDialogs, 'save'>
  readonly disk: Disk
  readonly clock: Clock
  /** IANA time zone of the user. */
  readonly zone: () => string
}

const pageSize = 500
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Maximum number of pixels, because a small PNG file can unpack to any size. */
const maxPixels = 60_000_000
const pngEnd = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])

export function createUsageFiles({ usage, dialogs, disk, clock, zone: zoneNow }: UsageFilesDeps) {
  return {
    /** Exports usage. Fails with `file.unwritable`, or with the failure of the usage query. */
    async export(request: MethodInput<'usage.export'>): Promise<MethodOutput<'usage.export'>> {
      const { filter, what, step, format, onlyErrors = false } = request
      if (what === 'requests' && filter.scope === 'console')
        throw new AppError('input.invalid', 'This source has totals only, no single requests.', { field: 'what' })
      const zone = zoneNow()
      const options = { filter, format, zone }
      const day = createIsoFormat(zone)(clock().getTime()).slice(0, 'YYYY-MM-DD'.length)
      const path = await dialogs.save(`usage-${what}-${day}.${format}`, format)
      if (path === undefined) return {}
      const streamText = async function* () {
        if (format === 'csv') yield byteOrderMark
        if (what === 'series') yield seriesText(await usage.series({ filter, step, compare: false }), options)
        else yield* formatRequests(readPages(usage, { filter, onlyErrors }), options)
      }
      await writeStreamedFile({ path: await resolveLinks(path, disk), pieces: streamText(), mode: 0o600 }, disk)
      return { path }
    },
    /** Saves a chart. Fails with `input.invalid` for invalid images, or SVG with scripts or external content. */
    async savePicture({ name, picture }: MethodInput<'usage.savePicture'>): Promise<MethodOutput<'usage.savePicture'>> {
      const bytes = picture.kind === 'png' ? readPng(picture.base64) : readSvg(picture.text)
      const path = await dialogs.save(`${toFileName(name, 'usage')}.${picture.kind}`, picture.kind)
      return writeChosenFile(path, bytes, disk)
    },
  }
}

async function* readPages(
  usage: UsageFilesDeps['usage'],
  query: Pick<MethodInput<'usage.requests'>, 'filter' | 'onlyErrors'>,
) {
  let nextCursor: string | undefined
  do {
    const page = await usage.requests({ ...query, limit: pageSize, next: nextCursor })
    yield page.requests
    nextCursor = page.next
  } while (nextCursor !== undefined)
}

/** Decodes a PNG. Fails with `input.invalid`. */
export function readPng(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  const isPng =
    bytes.subarray(0, 8).equals(pngSignature) &&
    bytes.toString('latin1', 12, 16) === 'IHDR' &&
    bytes.readUInt32BE(16) * bytes.readUInt32BE(20) <= maxPixels &&
    bytes.subarray(-8).equals(pngEnd)
  if (!isPng) throw new AppError('input.invalid', 'This is not a PNG image.', { field: 'picture' })
  return bytes
}

const svgElements = new Set(
  'svg g defs clipPath pattern title desc path rect circle line polyline polygon text tspan'.split(' '),
)

/** Rejects SVG with scripts or external resources. Charts of this app contain neither. */
function readSvg(text: string): Buffer {
  const tags = [...text.matchAll(/<\/?([^\s/>]*)/g)].map(([, tag = '']) => tag)
  const isPlainText =
    text.startsWith('<svg') &&
    tags.every((tag) => svgElements.has(tag)) &&
    !/<[^>]*\s(?:on\w*|(?:[\w-]+:)?href|src|style)\s*=|url\((?!(?:['"]|&quot;)?#)|javascript:/i.test(text)
  if (!isPlainText) throw new AppError('input.invalid', 'This is not a plain SVG image.', { field: 'picture' })
  return Buffer.from(text)
}
