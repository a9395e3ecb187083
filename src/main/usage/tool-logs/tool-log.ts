import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { ProfileEntry } from '@shared/contract'
import { z } from 'zod'
import type { ToolEnvironment } from '../../core/environment'
import type { LedgerEntry } from '../ports'

/** Plan, key and models that a tool has used since a time (ISO 8601). */
interface ToolSetupPeriod {
  readonly toolId: string
  readonly at: string
  readonly choice: Pick<ProfileEntry, 'planId' | 'keyId' | 'modelCode' | 'slots' | 'route'>
}

/** Finds plan and key of a tool's request. Undefined if the tool may have used another provider. */
export type Attribution = (request: {
  readonly toolId: string
  readonly modelCode: string
  /** Time of the request in ms. */
  readonly at: number
}) =>
  | {
      readonly planId: string
      readonly keyId?: string | undefined
      /** Whether the tool sent requests through the relay, which records each of them. */
      readonly isRelayed: boolean
    }
  | undefined

/**
 * Attributes a request to the tool's latest setup before it, if that setup has the model. A setup without a key id
 * gets the plan's default key.
 */
export function createAttribution(
  uses: readonly ToolSetupPeriod[],
  findDefaultKey: (planId: string) => string | undefined,
): Attribution {
  const newestUses = uses
    .map((use) => ({
      ...use,
      from: Date.parse(use.at),
      codes: new Set([use.choice.modelCode, ...Object.values(use.choice.slots)]),
    }))
    .toSorted((a, b) => b.from - a.from)
  return ({ toolId, modelCode, at }) => {
    const currentUse = newestUses.find(
      (toolUse) => toolUse.toolId === toolId && toolUse.from <= at && toolUse.codes.has(modelCode),
    )
    if (!currentUse) return undefined
    const { planId, keyId = findDefaultKey(planId), route } = currentUse.choice
    return { planId, keyId, isRelayed: route === 'relay' }
  }
}

/** Token counts of one response as a tool logged them. A missing count is unknown, not zero. */
export type LoggedTokens = Pick<LedgerEntry, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

/** One response, or totals of a session. The id is unique in the tool's log. Never contains texts of a conversation. */
export interface ResponseUsage
  extends LoggedTokens,
    Pick<LedgerEntry, 'id' | 'modelCode' | 'durationMs' | 'answerId' | 'projectId' | 'error' | 'isDistinct'> {
  /** Start of the request, or time of the log entry, in ms. Undefined if the tool logs no time. */
  readonly at?: number | undefined
  /** Digest of the conversation up to this response, if it has no time. A copy of the session has the same digest. */
  readonly digest?: string | undefined
}

/** Responses in a line, file or row. Undefined if it should contain a response but could not be parsed. */
export type LogReading = readonly ResponseUsage[] | undefined

interface LogBase {
  readonly toolId: string
  readonly folder: (environment: ToolEnvironment) => string
}

/** State while reading a line log: the last response, and ids that the gateway used for several responses. */
export interface LineReaderState {
  /** Name of the file's folder in the log folder. Empty for a file directly in the log folder. */
  readonly folderName: string
  /** Project in the first line of the file. */
  readonly projectId: string | undefined
  last?: LastResponse | undefined
  readonly reusedIds: Set<string>
}

export type LastResponse = z.infer<typeof LastResponse>
export const LastResponse = z.object({
  id: z.string(),
  messageId: z.string(),
  requestId: z.string(),
  uuid: z.string(),
  at: z.number(),
  promptTokens: z.number().nonnegative(),
})

/** An append-only JSON lines log. */
export interface LineLog extends LogBase {
  readonly kind: 'lines'
  /** Whether a file belongs to the log. `path` is relative to the log folder, with `/` as separator. */
  readonly isLog: (path: string) => boolean
  /** Text that all lines with responses contain. Lines without it are not parsed. */
  readonly mark: string
  readonly read: (line: unknown, memory: LineReaderState) => LogReading
  /** Reads the project from the first line of a file, if the tool writes it only there. */
  readonly readProject?: (firstLine: unknown) => string | undefined
}

/** A log that consists of JSON files, which the tool rewrites completely. */
export interface FileLog extends LogBase {
  readonly kind: 'files'
  readonly isLog: (path: string) => boolean
  /** Parses a file of the log. `path` is relative to the log folder, with `/` as separator. */
  readonly read: (content: unknown, path: string) => LogReading
  /** Another file of the session that contains the project. */
  readonly projectFile?: {
    readonly toPath: (path: string) => string
    readonly read: (content: unknown) => string | undefined
  }
  /** Whether the log has only totals. A session then counts as one response whose token counts grow. */
  readonly isTotals?: boolean
}

export interface RowLog extends LogBase {
  readonly kind: 'rows'
  readonly isDatabase: (name: string) => boolean
  /** Path of an additional database, if an environment variable sets one. */
  readonly otherDatabase: (environment: ToolEnvironment) => string | undefined
  /** Subfolder with logs of an older, unsupported format. */
  readonly olderFolder: string
  /** Tables with responses. Each version of the tool writes one of them. An upgraded database may have several. */
  readonly tables: readonly RowTable[]
}

/** A table with columns `id`, `data`, `time_created` and optionally `time_updated`, in ms. */
export interface RowTable {
  readonly name: string
  /** SQL condition that selects the rows with responses. */
  readonly where?: string
  readonly read: (id: string, data: unknown) => ParsedRow
}

/** The response in a row. `openSince`: its start in ms while it is still streaming. The row is then read again. */
export interface ParsedRow {
  readonly reading: LogReading
  readonly openSince?: number | undefined
}

export type ToolLog = LineLog | FileLog | RowLog

/** Maximum length of a line in bytes. Longer lines are counted and skipped. */
const maxLineBytes = 10_000_000

/** Bytes per read. A longer line is read again as a whole. */
const blockBytes = 262_144
const lineFeed = 0x0a

/** Maximum number of responses per portion, to limit memory and yield to others. */
const maxAnswers = 2000
const guardBytes = 512
const maxFirstLineBytes = 16_384

/**
 * Reads new complete lines of a log file in portions. An incomplete last line is read next time. A truncated or
 * replaced file is read again from the start. Fails if the file cannot be opened.
 */
export async function* readLines(
  log: LineLog,
  { path, name }: DiscoveredFile,
  lastPosition: Position,
  reusedIds: Set<string> = new Set(lastPosition.reusedIds),
): AsyncGenerator<LogChunk> {
  const file = await open(path, 'r')
  try {
    const { size, mtimeMs } = await file.stat()
    const start = (await hasSameStart(file, lastPosition, size)) ? lastPosition : startPosition
    const memory: LineReaderState = { ...(await readProjectHints(log, file, name)), last: start.last, reusedIds }
    const reusedIdsBefore = new Set(reusedIds)
    let { notUnderstood, responses, unmarked } = start
    let place: LinePlace = { offset: start.offset, isSkipping: start.isSkipping }
    let answers: ResponseUsage[] = []
    const createChunk = async (fileFacts: Pick<Position, 'size' | 'mtimeMs'>): Promise<LogChunk> => {
      const guard = await readGuardBytes(file, place.offset)
      const allReusedIds = [...start.reusedIds, ...[...reusedIds].filter((id) => !reusedIdsBefore.has(id))]
      const counts = { notUnderstood, responses, unmarked, last: memory.last, reusedIds: allReusedIds }
      return { answers, position: { ...start, ...fileFacts, ...place, guard, ...counts } }
    }
    for await (const block of readBlocks(file, start)) {
      if (block.hasTooLongLine) notUnderstood += 1
      place = block.place
      for (const line of block.lines) {
        const parsedLine = readLine(line, log, memory)
        if (parsedLine === undefined) notUnderstood += 1
        else if (parsedLine === 'unmarked') unmarked += 1
        else {
          answers.push(...parsedLine)
          responses += parsedLine.length
        }
      }
      if (answers.length < maxAnswers) continue
      // Save the position after each portion. If the program exits, the next read continues at this position.
      yield await createChunk({ size: 0, mtimeMs: 0 })
      answers = []
    }
    yield await createChunk({ size, mtimeMs })
  } finally {
    await file.close()
  }
}

type LinePlace = Pick<Position, 'offset' | 'isSkipping'>

/** Reads complete lines in blocks, each with the place after it. */
async function* readBlocks(file: FileHandle, start: LinePlace) {
  let { offset, isSkipping } = start
  for (let block = await readBlock(file, offset); block.length > 0; block = await readBlock(file, offset)) {
    // After a part of a line that is too long, the first line is the end of it.
    const lines = splitLines(block).slice(isSkipping ? 1 : 0)
    const isPartOfLine = block.at(-1) !== lineFeed
    const hasTooLongLine = isPartOfLine && !isSkipping
    offset += block.length
    isSkipping = isPartOfLine
    yield { lines, hasTooLongLine, place: { offset, isSkipping } }
  }
}

/**
 * Reads complete lines from an offset, at least one. Empty if the file has none. Without a line feed, the bytes are a
 * part of a line that is too long.
 */
async function readBlock(file: FileHandle, offset: number): Promise<Buffer> {
  let block = Buffer.alloc(0)
  for (const size of [blockBytes, maxLineBytes + 1]) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, offset)
    block = buffer.subarray(0, bytesRead)
    const end = block.lastIndexOf(lineFeed) + 1
    if (end > 0 || bytesRead < size) return block.subarray(0, end)
  }
  return block
}

function splitLines(block: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let end = block.indexOf(lineFeed); end >= 0; end = block.indexOf(lineFeed, start)) {
    lines.push(block.subarray(start, end))
    start = end + 1
  }
  return lines
}

async function readProjectHints({ readProject }: LineLog, file: FileHandle, name: string) {
  const [folderName = ''] = name.split('/').slice(0, -1)
  return { folderName, projectId: readProject && readJson(await readFirstLine(file), readProject) }
}

/** First line of a file, or the start of a long one. */
async function readFirstLine(file: FileHandle): Promise<string> {
  const bytes = Buffer.alloc(maxFirstLineBytes)
  const { bytesRead } = await file.read(bytes, 0, maxFirstLineBytes, 0)
  const [line = ''] = bytes.toString('utf8', 0, bytesRead).split('\n', 1)
  return line
}

/** Parses JSON and reads a value from it. Undefined if the text or the value is invalid. */
export function readJson<T>(text: string, read: (content: unknown) => T | undefined): T | undefined {
  try {
    return read(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Parses a line. `unmarked`: the line has usage, but not the text by which this log's responses are recognized. It
 * counts as an error if no line of the file can be parsed.
 */
function readLine(line: Buffer, log: LineLog, memory: LineReaderState): LogReading | 'unmarked' {
  const text = line.at(-1) === 0x0d ? line.subarray(0, -1) : line
  if (text.length === 0) return []
  // Skip lines without the text that marks responses, because most lines are long and irrelevant.
  if (!text.includes(log.mark)) {
    if (text[0] !== 0x7b || text.at(-1) !== 0x7d) return undefined
    return text.includes('"usage":') || text.includes('okens":') ? 'unmarked' : []
  }
  return readJson(text.toString('utf8'), (content) => log.read(content, memory))
}

async function hasSameStart(file: FileHandle, { offset, guard }: Position, size: number): Promise<boolean> {
  return offset <= size && guard === (await readGuardBytes(file, offset))
}

/** Digest of the first and last bytes before an offset. */
async function readGuardBytes(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(guardBytes, offset)
  if (length === 0) return ''
  const bytes = Buffer.alloc(2 * length)
  await file.read(bytes, 0, length, 0)
  await file.read(bytes, length, length, offset - length)
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
}

export interface DiscoveredFile {
  readonly path: string
  /** Path of the file relative to the log folder, with `/` as separator. Empty for a database. */
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
}

const amount = z.number().nonnegative()

const Tokens = z.object({
  inputTokens: amount.optional(),
  outputTokens: amount.optional(),
  cacheReadTokens: amount.optional(),
  cacheWriteTokens: amount.optional(),
})

/** Read position of a file, stored as text. */
export const Position = z.object({
  size: amount,
  mtimeMs: amount,
  version: amount.default(1),
  /** Bytes of complete lines that were read. */
  offset: amount.default(0),
  /** Digest of the first and last bytes before `offset`, to detect a replaced file. */
  guard: z.string().default(''),
  /** Whether the position is inside of a line that is too long. */
  isSkipping: z.boolean().default(false),
  /** Ids of responses without a time, and of unreadable rows. They prevent counting one twice. */
  known: z.array(z.string()).default([]),
  /** Digests of the conversations with responses that have no time. They identify copies. */
  digests: z.array(z.string()).default([]),
  /** Token totals of the session. `copied`: the part that was copied from another session. */
  totals: z.object({ at: z.number().optional(), modelCode: z.string(), tokens: Tokens, copied: Tokens }).optional(),
  /** Time in ms from which a table is read again. */
  rowsFrom: amount.optional(),
  last: LastResponse.optional().catch(undefined),
  /** Message ids that the gateway used for several responses. */
  reusedIds: z.array(z.string()).default([]),
  /** Number of lines, rows or files that could not be parsed. */
  notUnderstood: amount.default(0),
  /** Number of responses. `unmarked`: number of lines with usage in an unknown format. */
  responses: amount.default(0),
  unmarked: amount.default(0),
})
export type Position = z.infer<typeof Position>

const startPosition: Position = Position.parse({ size: 0, mtimeMs: 0 })

/** Parses a stored position. Returns the start of the file if it is missing or damaged. */
export function parsePosition(text: string | undefined): Position {
  try {
    return text === undefined ? startPosition : Position.parse(JSON.parse(text))
  } catch {
    return startPosition
  }
}

/** Responses of a file, and the new read position. */
export interface LogChunk {
  readonly answers: readonly ResponseUsage[]
  readonly position: Position
  /** Key under which the position is stored. Default: the path of the file. Database tables have their own keys. */
  readonly path?: string
}
