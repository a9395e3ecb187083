import { hash } from 'node:crypto'
import { Standard } from '@shared/contract/common'
import { type UsageCounts, UsageErrorKind } from '@shared/contract/usage'
import type { Row } from '../../sqlite/database'
import type { LedgerEntry } from '../entry'
import { slotOf } from './calendar'
import type { Dimensions, SliceKey } from './dimensions'
import { origins, sourceOf } from './groupings'

/** One request as its row; `name` is the entry's id, `mark` and `answer` find it (see marks.ts). */
export interface RequestRow {
  readonly id: number
  readonly at: number
  readonly slice: number
  readonly name: string
  readonly mark: number
  readonly answer: number | null
  readonly standard: number
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly status: number | null
  readonly firstByte: number | null
  readonly duration: number | null
  /** The row of the relay that says the same as this one of a tool's log. */
  readonly twin: number | null
}

/** The columns of a row as `readRow` and `cellsOf` have them. */
export const rowColumns =
  'id, at, slice, name, mark, answer, standard, input, output, cache_read, cache_write, status, first_byte, duration, twin'

/** How many cells a row has. */
export const rowWidth = rowColumns.split(',').length

const longestText = 400
/** Moments outside of this are a mistake of whoever told them, in ms: 2000 to 2100. */
const [earliest, latest] = [946_684_800_000, 4_102_444_800_000]
const mostOfAnything = 1e12

const originOf = { relay: origins.relay, app: origins.app, toolLog: origins.log }

/** A text as it can be kept: no longer than 400 characters, nothing that is no character. */
export const plainText = (text: string): string => {
  const short = text.slice(0, longestText)
  return odd.test(short) ? Buffer.from(short).toString().replaceAll('\0', '\ufffd') : short
}

/** What SQLite or its driver would not keep: a null, and perhaps half a character. */
const odd = /\p{Cs}|\p{Cc}/u

/** Whether an entry says when it was; others cannot be kept. */
export const hasMoment = ({ at }: LedgerEntry): boolean => at >= earliest && at < latest

/** An entry with the number that its row is found by. */
export interface MarkedEntry {
  readonly entry: LedgerEntry
  readonly mark: number
  readonly name: string
}

export const markEntry = (entry: LedgerEntry): MarkedEntry => ({
  entry,
  mark: idMark(entry),
  name: plainText(entry.id),
})

/** An entry as a row, with numbers that make sense; what it has in common with others gets its slice. */
export function rowOf({ entry, mark, name }: MarkedEntry, id: number, dimensions: Dimensions): RequestRow {
  const number = (text: string | undefined): number => dimensions.numberOf(plainText(text ?? ''))
  const key: SliceKey = {
    plan: number(entry.planId),
    key: number(entry.keyId),
    tool: number(entry.toolId),
    model: number(entry.modelCode),
    error: number(entry.error),
    origin: originOf[entry.source],
  }
  return {
    id,
    at: Math.floor(entry.at),
    slice: dimensions.sliceOf(key),
    name,
    mark,
    answer: answerMark(entry),
    standard: number(entry.standard),
    input: amount(entry.inputTokens),
    output: amount(entry.outputTokens),
    cacheRead: amount(entry.cacheReadTokens),
    cacheWrite: amount(entry.cacheWriteTokens),
    status: amount(entry.status),
    firstByte: amount(entry.firstByteMs),
    duration: amount(entry.durationMs),
    twin: null,
  }
}

/** The cells of a row, in the order of `rowColumns`. */
export function cellsOf(row: RequestRow): readonly (string | number | null)[] {
  const { id, at, slice, name, mark, answer, standard, input, output, cacheRead, cacheWrite } = row
  const { status, firstByte, duration, twin } = row
  return [
    ...[id, at, slice, name, mark, answer, standard, input, output, cacheRead, cacheWrite],
    ...[status, firstByte, duration, twin],
  ]
}

/** A row as it was read. */
export function readRow(row: Row): RequestRow {
  const maybe = (at: number): number | null => row.maybe(at) ?? null
  return {
    id: row.number(0),
    at: row.number(1),
    slice: row.number(2),
    name: row.text(3),
    mark: row.number(4),
    answer: maybe(5),
    standard: row.number(6),
    input: maybe(7),
    output: maybe(8),
    cacheRead: maybe(9),
    cacheWrite: maybe(10),
    status: maybe(11),
    firstByte: maybe(12),
    duration: maybe(13),
    twin: maybe(14),
  }
}

/** A row as the entry that it was; without the answer's id, of which a hash alone is kept. */
export function entryOf(row: RequestRow, dimensions: Dimensions): LedgerEntry {
  const key = dimensions.keyOf(row.slice)
  const text = (number: number): string | undefined => dimensions.textOf(number) || undefined
  return {
    id: row.name,
    at: row.at,
    source: sourceOf(key.origin),
    planId: text(key.plan),
    keyId: text(key.key),
    toolId: text(key.tool),
    modelCode: dimensions.textOf(key.model),
    standard: Standard.safeParse(text(row.standard)).data,
    inputTokens: row.input ?? undefined,
    outputTokens: row.output ?? undefined,
    cacheReadTokens: row.cacheRead ?? undefined,
    cacheWriteTokens: row.cacheWrite ?? undefined,
    status: row.status ?? undefined,
    error: UsageErrorKind.safeParse(text(key.error)).data,
    firstByteMs: row.firstByte ?? undefined,
    durationMs: row.duration ?? undefined,
  }
}

/** Where and what a row adds to the sums. */
export function shareOf(
  row: RequestRow,
  { error }: SliceKey,
): { place: { slot: number; slice: number }; counts: UsageCounts } {
  const cacheTokens = (row.cacheRead ?? 0) + (row.cacheWrite ?? 0)
  const tokens = { inputTokens: row.input ?? 0, outputTokens: row.output ?? 0, cacheTokens }
  const place = { slot: slotOf(row.at), slice: row.slice }
  return { place, counts: { requests: 1, errors: error === 0 ? 0 : 1, ...tokens } }
}

function amount(value: number | undefined): number | null {
  if (value === undefined || !(value >= 0)) return null
  return Math.min(Math.round(value), mostOfAnything)
}

/** In ms. */
export const utcDayMs = 86_400_000
/** So many bits of a hash stand beside a day in one number. */
const besideDay = 2 ** 37

/**
 * The number that an entry's row is found by. Rows of the relay and of the app are never told again later, so that the day goes first and new
 * rows lie side by side in the index; a tool's log may date the same entry otherwise next time.
 */
const idMark = ({ id, at, source }: LedgerEntry): number => (source === 'toolLog' ? hashOf(id) : dayMark(id, at))

/** The number that an answer's row is found by, unless it is dated a day apart. */
const answerMark = ({ answerId, at }: LedgerEntry): number | null =>
  answerId === undefined ? null : dayMark(answerId, at)

/** What the mark of the same answer may be when somebody else dates it. */
export const nearMarks = (mark: number): readonly number[] => [mark - besideDay, mark, mark + besideDay]

const dayMark = (text: string, at: number): number => Math.floor(at / utcDayMs) * besideDay + (hashOf(text) % besideDay)

/** 48 bits that stand for a text. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16)
}
