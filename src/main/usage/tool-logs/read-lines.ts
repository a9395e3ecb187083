import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import type { LineLog, LineMemory, Reading, ToldAnswer } from './tool-log'

/** A longer line is counted and left out. */
const maxLineBytes = 10_000_000

const pieceBytes = 262_144

/** Told at once, so that memory stays small and others get their turn. */
const maxAnswers = 2000
const guardBytes = 512

/**
 * Reads the whole lines of a file that are new since a position, in portions; a last line without its line feed waits for it. A file
 * that was cut or replaced is read anew. Fails as opening a file does.
 */
export async function* readLines(
  log: LineLog,
  { path }: FoundFile,
  before: Position,
  reusedIds: Set<string> = new Set(before.reusedIds),
): AsyncGenerator<Portion> {
  const file = await open(path, 'r')
  try {
    const { size, mtimeMs } = await file.stat()
    const start = (await isContinued(file, before, size)) ? before : beginning
    const splitter = new LineSplitter(maxLineBytes, start.isSkipping)
    const bytes = Buffer.allocUnsafe(pieceBytes)
    let answers: ToldAnswer[] = []
    const memory: LineMemory = { last: start.last, reusedIds }
    const reusedBefore = new Set(reusedIds)
    let { notUnderstood, responses, unmarked } = start
    let end = start.offset
    const portion = async (seen: Pick<Position, 'size' | 'mtimeMs'>): Promise<Portion> => {
      const offset = end - splitter.held
      const guard = await readGuard(file, offset)
      const { isSkipping } = splitter
      const reused = [...start.reusedIds, ...[...reusedIds].filter((id) => !reusedBefore.has(id))]
      const counts = { notUnderstood, responses, unmarked, last: memory.last, reusedIds: reused }
      return { answers, position: { ...start, ...seen, offset, guard, isSkipping, ...counts } }
    }
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, pieceBytes, end)
      if (bytesRead === 0) break
      end += bytesRead
      for (const line of splitter.push(bytes.subarray(0, bytesRead))) {
        const reading = readLine(line, log, memory)
        if (reading === undefined) notUnderstood += 1
        else if (reading === 'unmarked') unmarked += 1
        else {
          answers.push(...reading)
          responses += reading.length
        }
      }
      if (answers.length < maxAnswers) continue
      // Not seen to its end: a program that ends now goes on here the next time.
      yield await portion({ size: 0, mtimeMs: 0 })
      answers = []
    }
    yield await portion({ size, mtimeMs })
  } finally {
    await file.close()
  }
}

/** A line with usage that lacks the log's mark counts against a file in which nothing else is understood. */
function readLine(line: SplitLine, log: LineLog, memory: LineMemory): Reading | 'unmarked' {
  if (line === 'tooLong') return undefined
  const text = line.at(-1) === 0x0d ? line.subarray(0, -1) : line
  if (text.length === 0) return []
  // Most lines are long and hold nothing of interest: they are not parsed.
  if (!text.includes(log.mark)) {
    if (text[0] !== 0x7b || text.at(-1) !== 0x7d) return undefined
    return text.includes('"usage":') || text.includes('okens":') ? 'unmarked' : []
  }
  try {
    return log.read(JSON.parse(text.toString('utf8')), memory)
  } catch {
    return undefined
  }
}

async function isContinued(file: FileHandle, { offset, guard }: Position, size: number): Promise<boolean> {
  return offset <= size && guard === (await readGuard(file, offset))
}

/** A digest of the first and the last bytes before an offset. */
async function readGuard(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(guardBytes, offset)
  if (length === 0) return ''
  const bytes = Buffer.alloc(2 * length)
  await file.read(bytes, 0, length, 0)
  await file.read(bytes, length, length, offset - length)
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
}

const lineFeed = 0x0a

/** A line, or the mark that one was too long and is left out. */
type SplitLine = Buffer | 'tooLong'

/** Splits bytes that come in pieces into lines; holds at most one line that has not ended, and never more than `longest` bytes of it. */
class LineSplitter {
  readonly #maxLength: number
  #pieces: Buffer[] = []
  #held = 0
  #isSkipping: boolean

  constructor(maxLength: number, isSkipping: boolean) {
    this.#maxLength = maxLength
    this.#isSkipping = isSkipping
  }

  /** Bytes at the end that belong to a line that has not ended. */
  get held(): number {
    return this.#held
  }

  /** Within a line that is too long. */
  get isSkipping(): boolean {
    return this.#isSkipping
  }

  /** The lines that end in these bytes, without their line feeds. A line is told as too long when it becomes so. */
  *push(bytes: Buffer): Generator<SplitLine> {
    let begin = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, begin)) {
      const told = this.#ended(bytes.subarray(begin, end))
      begin = end + 1
      if (told !== undefined) yield told
    }
    const rest = bytes.subarray(begin)
    if (this.#isSkipping || rest.length === 0) return
    if (this.#held + rest.length <= this.#maxLength) {
      this.#pieces.push(Buffer.from(rest))
      this.#held += rest.length
    } else {
      this.#forget()
      this.#isSkipping = true
      yield 'tooLong'
    }
  }

  #ended(last: Buffer): SplitLine | undefined {
    const wasSkipping = this.#isSkipping
    const isTooLong = this.#held + last.length > this.#maxLength
    const line = wasSkipping || isTooLong ? undefined : Buffer.concat([...this.#pieces, last])
    this.#forget()
    this.#isSkipping = false
    if (wasSkipping) return undefined
    return isTooLong ? 'tooLong' : line
  }

  #forget(): void {
    this.#pieces = []
    this.#held = 0
  }
}

/** A file and what is known of it without opening it. */
export interface FoundFile {
  readonly path: string
  /** Below the folder, with `/`. */
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

/** How far a file was read. The ledger keeps it as text. */
export const Position = z.object({
  size: amount,
  mtimeMs: amount,
  version: amount.default(1),
  /** Bytes of whole lines that were read. */
  offset: amount.default(0),
  /** A digest of the first and the last bytes before `offset`, to notice that another file took its place. */
  guard: z.string().default(''),
  /** Within a line that is too long, of which the rest is left out. */
  isSkipping: z.boolean().default(false),
  /** Ids of responses without a time and of unreadable rows, to count them once. */
  known: z.array(z.string()).default([]),
  /** Digests of the responses without a time. */
  digests: z.array(z.string()).default([]),
  /** The totals of a session, and what of them is a copy of another session's. */
  totals: z.object({ at: z.number().optional(), modelCode: z.string(), tokens: Tokens, copied: Tokens }).optional(),
  /** Of a table: the time from which to read again, in ms. */
  rowsFrom: amount.optional(),
  last: z
    .object({
      id: z.string(),
      messageId: z.string(),
      requestId: z.string(),
      uuid: z.string(),
      at: z.number(),
      promptTokens: amount,
    })
    .optional()
    .catch(undefined),
  /** Message ids that name several responses. */
  reusedIds: z.array(z.string()).default([]),
  /** Lines, rows or files that could not be understood. */
  notUnderstood: amount.default(0),
  /** Responses in a file of lines, and lines with usage that are of no known form. */
  responses: amount.default(0),
  unmarked: amount.default(0),
})
export type Position = z.infer<typeof Position>

/** Where reading of a file begins. */
const beginning: Position = Position.parse({ size: 0, mtimeMs: 0 })

/** Reads what the ledger kept; damaged is as good as nothing. */
export function parsePosition(text: string | undefined): Position {
  try {
    return text === undefined ? beginning : Position.parse(JSON.parse(text))
  } catch {
    return beginning
  }
}

/** Responses of a file, and how far it was read. */
export interface Portion {
  readonly answers: readonly ToldAnswer[]
  readonly position: Position
  /** The path of the position, where it is not the file's: each table has its own. */
  readonly path?: string
}
