import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AuditFilter, AuditVerdict } from '@shared/contract'
import { AuditEntry } from '@shared/contract/register'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import { csvLine } from '../csv'
import { errorCode, realDisk, undefinedIfMissing } from '../files/disk'
import { Content, computeHash, createUnreadableError, createUnwritableError, writeFile } from '../files/files'
import type { AuditEvent, AuditPort, Clock, Log } from '../ports'
import { redact } from '../secret'
import { withProcessLockAsync } from '../sqlite/process-lock'
import { createWorkQueue, yieldToEventLoop } from '../work-queue'

interface TrailDeps {
  readonly dataDir: string
  readonly clock: Clock
  readonly by: AuditEntry['by']
  readonly osUser?: string | undefined
  readonly log: Log
}

/** The append-only audit log of a data folder. Several processes may share it. */
export class AuditTrail implements AuditPort {
  readonly #files: TrailFiles
  readonly #queue = createWorkQueue()

  constructor(private readonly deps: TrailDeps) {
    const path = (name: string): string => join(deps.dataDir, name)
    this.#files = { lines: path('audit.jsonl'), head: path('audit.head'), lock: path('audit-trail.lock') }
  }

  note(entry: AuditEvent): Promise<void> {
    const { clock, by, osUser, log } = this.deps
    const at = clock().toISOString()
    return this.#queue(() => append(this.#files, { ...entry, at, by, osUser })).catch((error: unknown) =>
      log.error('audit.note', error),
    )
  }

  /** Reads a page of entries, newest first. Fails with `file.unreadable`. */
  list(page: Page): Promise<AuditEntry[]> {
    return readPage(this.#files.lines, page)
  }

  /** All matching entries as CSV, newest first. Fails with `file.unreadable`. */
  async csv(filter: AuditFilter): Promise<string> {
    const entries = await this.list({ ...filter, limit: Number.POSITIVE_INFINITY })
    const rows = entries.map(({ number, at, what, planName, keyName, secretKind, subject, by, osUser }) => {
      const names = [planName, keyName, secretKind, subject].map((text) => text ?? '')
      return [String(number), at, what, ...names, by, osUser ?? '']
    })
    return [csvHeadings, ...rows].map(csvLine).join('')
  }

  /** Entries from a number on, oldest first, each with the unique digest of its line. Fails with `file.unreadable`. */
  async after({ number, limit }: { readonly number: number; readonly limit: number }) {
    const digests: { readonly entry: AuditEntry; readonly digest: string }[] = []
    for (const { bytes, isEnded } of await readLines(this.#files.lines)) {
      if (!isEnded || readNumber(bytes) <= number) continue
      const entry = toAuditEntry(bytes)
      if (entry) digests.push({ entry, digest: computeHash(bytes) })
      if (digests.length >= limit) break
    }
    return digests
  }

  async count(): Promise<number> {
    return lastNumber(this.#files.lines)
  }

  /** Verifies the hash chain. Fails with `file.*` when the files are unreadable. */
  verify(): Promise<AuditVerdict> {
    return this.#queue(() => withProcessLockAsync(this.#files.lock, () => verifyTrail(this.#files)))
  }
}

const LINE_FEED = 0x0a

/** A line as bytes, without its line feed. `isEnded` is false for a last line without one. */
interface RawLine {
  readonly bytes: Uint8Array
  readonly isEnded: boolean
}

/** Verifies the hash chain up to the end in the head. An interrupted write is valid. Fails with `file.*`. */
async function verifyTrail(files: TrailFiles): Promise<AuditVerdict> {
  const head = await readTrailHead(files.head)
  const end = typeof head === 'string' ? head : findEnd(head, await countPendingLineBytes(files, head))
  let count = 0
  let hash = firstPreviousHash
  let problem: Problem | undefined
  for (const { bytes, isEnded } of await readLines(files.lines, typeof end === 'string' ? undefined : end.bytes)) {
    count += 1
    if (problem) continue
    await yieldToEventLoop()
    const line = isEnded ? readLine(bytes) : undefined
    if (!line) problem = { brokenAt: count, reason: 'unreadable' }
    else if (line.number !== count) problem = { brokenAt: count, reason: 'changed' }
    // A hash mismatch means that the previous line was changed, because each line contains the hash of the one before.
    else if (line.previous !== hash) problem = { brokenAt: Math.max(1, count - 1), reason: 'changed' }
    hash = computeHash(bytes)
  }
  problem ??= findEndProblem({ count, hash }, end)
  return { isWhole: problem === undefined, count, ...problem }
}

type Problem = Required<Pick<AuditVerdict, 'brokenAt' | 'reason'>>

interface AuditEnd {
  readonly count: number
  readonly hash: string
  /** Number of bytes of the file to read. Default: all. */
  readonly bytes?: number
}

/** End of the log, including the pending line if it is completely in the file. */
function findEnd({ count, hash, bytes, next }: AuditHead, writtenBytes: number | undefined): AuditEnd {
  if (next !== undefined && writtenBytes === Buffer.byteLength(next) + 1)
    return { count: count + 1, hash: computeHash(next) }
  return { count, hash, ...(writtenBytes !== undefined && { bytes }) }
}

function findEndProblem({ count, hash }: AuditEnd, end: AuditEnd | 'missing' | 'damaged'): Problem | undefined {
  if (end === 'missing') return count === 0 ? undefined : { brokenAt: count + 1, reason: 'removed' }
  if (end === 'damaged') return { brokenAt: count + 1, reason: 'unreadable' }
  if (count < end.count) return { brokenAt: count + 1, reason: 'removed' }
  if (count > end.count) return { brokenAt: end.count + 1, reason: 'changed' }
  return hash === end.hash ? undefined : { brokenAt: count, reason: 'changed' }
}

/** Bytes of a file from an offset on. Empty without a file. Fails with `file.unreadable`. */
async function readBytes(path: string, start = 0): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(path, { start })) chunks.push(chunk)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw createUnreadableError(path, error)
  }
  return Buffer.concat(chunks)
}

/** Lines of the first `maxBytes` of a file. Empty without a file. */
async function readLines(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<RawLine[]> {
  const bytes = (await readBytes(path)).subarray(0, maxBytes)
  const lines: RawLine[] = []
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    lines.push({ bytes: bytes.subarray(start, end), isEnded: true })
    start = end + 1
  }
  if (start < bytes.length) lines.push({ bytes: bytes.subarray(start), isEnded: false })
  return lines
}

/** Adds a line. Fails with `file.unwritable` or `file.unreadable`. */
async function append(files: TrailFiles, entry: Omit<AuditEntry, 'number'>): Promise<void> {
  const folder = dirname(files.lines)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw createUnwritableError(folder, error)
  })
  await withProcessLockAsync(files.lock, async () => {
    const head = await readRepairedHead(files)
    const nextLine = formatLine({ ...entry, number: head.count + 1 }, head.hash)
    await saveAuditHead(files.head, { ...head, next: nextLine })
    await appendEntry(files, head, { next: nextLine, written: 0 })
  })
}

/** Bytes of the pending line that are in the file. Undefined without one, or if the file continues with other bytes. */
async function countPendingLineBytes(files: TrailFiles, { bytes, next }: AuditHead): Promise<number | undefined> {
  if (next === undefined || (await readSize(files.lines)) < bytes) return undefined
  const pendingBytes = await readBytes(files.lines, bytes)
  const isPartiallyWritten = Buffer.from(`${next}\n`).subarray(0, pendingBytes.length).equals(pendingBytes)
  return isPartiallyWritten ? pendingBytes.length : undefined
}

const readSize = async (path: string): Promise<number> => (await undefinedIfMissing(stat(path)))?.size ?? 0

/** The head for the next line, after completing an interrupted write. Ignores other damage, which `verify` reports. */
async function readRepairedHead(files: TrailFiles): Promise<AuditHead> {
  const storedHead = await readTrailHead(files.head)
  const bytes = await readSize(files.lines)
  if (storedHead === 'missing' && bytes === 0) return emptyTrailHead
  // Without a readable head file, the last line can no longer be verified. Record this by an empty hash in the next
  // line.
  if (typeof storedHead === 'string')
    return { count: Math.max(1, await lastNumber(files.lines)), bytes, hash: firstPreviousHash }
  const { next, ...head } = storedHead
  const pendingLineBytes = await countPendingLineBytes(files, storedHead)
  if (next === undefined) return { ...head, bytes }
  // The file does not continue with the pending line, so it was modified. Chain the next line to the pending line, so
  // that `verify` finds the change.
  if (pendingLineBytes === undefined) return { count: head.count + 1, bytes, hash: computeHash(next) }
  return appendEntry(files, head, { next, written: pendingLineBytes })
}

/** Writes the rest of a line, then the new head. */
async function appendEntry(files: TrailFiles, head: AuditHead, { next, written }: { next: string; written: number }) {
  const bytes = await addBytes(files.lines, Buffer.from(`${next}\n`).subarray(written), written === 0)
  const nextHead: AuditHead = { count: head.count + 1, bytes, hash: computeHash(next) }
  await saveAuditHead(files.head, nextHead)
  return nextHead
}

/** Appends bytes. With `isLine`, starts on a new line. Returns the new file size. */
async function addBytes(path: string, bytes: Uint8Array, isLine: boolean): Promise<number> {
  try {
    const file = await open(path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const lineFeedByte = Buffer.alloc(1, LINE_FEED)
      if (isLine && size > 0) await file.read(lineFeedByte, 0, 1, size - 1)
      await file.appendFile(lineFeedByte[0] === LINE_FEED ? bytes : Buffer.concat([Buffer.from('\n'), bytes]))
      await file.datasync()
      return (await file.stat()).size
    } finally {
      await file.close()
    }
  } catch (error) {
    throw createUnwritableError(path, error)
  }
}

const csvHeadings = ['Number', 'At', 'What', 'Plan', 'Key', 'Kind of secret', 'Subject', 'By', 'User']

/** Part of the log: entries before a number, or all entries. */
interface Page extends AuditFilter {
  readonly before?: number | undefined
  readonly limit: number
}

function matchesFilter({ what, planName, keyName, subject }: AuditEntry, { text = '', kind }: AuditFilter): boolean {
  if (kind !== undefined && findKind(what) !== kind) return false
  return [planName, keyName, subject].join('\n').toLowerCase().includes(text.toLowerCase())
}

function findKind(what: AuditEntry['what']): AuditFilter['kind'] {
  if (['handedOut', 'received', 'acknowledged'].includes(what)) return 'issued'
  if (/^(?:tool|plan|autoRenew)/.test(what)) return 'plans'
  return what.startsWith('rotation') ? 'rotations' : what.startsWith('secret') ? 'secrets' : 'keys'
}

/** Newest entries of a file, newest first. Skips invalid lines. Fails with `file.unreadable`. */
async function readPage(path: string, { before = Number.POSITIVE_INFINITY, limit, ...filter }: Page) {
  const entries: AuditEntry[] = []
  for (const { bytes, isEnded } of (await readLines(path)).reverse()) {
    if (!isEnded || readNumber(bytes) >= before) continue
    const entry = toAuditEntry(bytes)
    if (entry && matchesFilter(entry, filter)) entries.push(entry)
    if (entries.length >= limit) break
    await yieldToEventLoop()
  }
  return entries
}

/** Number of the last entry. 0 without entries. */
async function lastNumber(path: string): Promise<number> {
  const [lastEntry] = await readPage(path, { limit: 1 })
  return lastEntry?.number ?? 0
}

/** Number at the start of a line, or 0. */
function readNumber(line: Uint8Array): number {
  const [, digits = '0'] = /^\{"number":(\d{1,15}),/.exec(Buffer.from(line.subarray(0, 32)).toString('latin1')) ?? []
  return Number(digits)
}

const MAX_TEXT_LENGTH = 300

/** Stored entry. `previous`: SHA-256 of the previous line, in hex. */
const AuditLine = z.strictObject({ ...AuditEntry.shape, previous: z.string().regex(/^[0-9a-f]{64}$/) })
type AuditLine = z.infer<typeof AuditLine>

/** Hash value of the line before the first line, and of a line whose hash was lost. */
const firstPreviousHash = '0'.repeat(64)

/** The entry as a line, without line feed. Redacts names that look like a secret. */
function formatLine(entry: AuditEntry, previous: string): string {
  const { number, at, what, secretKind, planName, keyName, subject, by } = entry
  const texts = { planName: cleanText(planName), keyName: cleanText(keyName), subject: cleanText(subject) }
  const osUser = entry.osUser?.slice(0, 100)
  return JSON.stringify(AuditLine.parse({ number, at, what, secretKind, ...texts, by, osUser, previous }))
}

function readLine(bytes: Uint8Array): AuditLine | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return AuditLine.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function toAuditEntry(bytes: Uint8Array): AuditEntry | undefined {
  const line = readLine(bytes)
  if (!line) return undefined
  const { previous: _, ...entry } = line
  return entry
}

const cleanText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : redact(text).slice(0, MAX_TEXT_LENGTH)

const AuditHead = z.strictObject({
  count: z.number().int().nonnegative(),
  /** Total size of the log file in bytes. */
  bytes: z.number().int().nonnegative(),
  /** Hash of the last line of the log. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Pending line. */
  next: z.string().optional(),
})

/** Expected end of the log, stored in a separate file (the head). */
type AuditHead = z.infer<typeof AuditHead>

const emptyTrailHead: AuditHead = { count: 0, bytes: 0, hash: firstPreviousHash }

type TrailFiles = { readonly lines: string; readonly head: string; readonly lock: string }

/** Reads the head file. Returns `damaged` if it is invalid. Fails with `file.unreadable`. */
async function readTrailHead(path: string): Promise<AuditHead | 'missing' | 'damaged'> {
  const text = await undefinedIfMissing(readFile(path, 'utf8')).catch((error: unknown) => {
    throw createUnreadableError(path, error)
  })
  if (text === undefined) return 'missing'
  return AuditHead.safeParse(parseJson(text)).data ?? 'damaged'
}

/** Replaces the head atomically. Fails with `file.unwritable`. */
function saveAuditHead(path: string, head: AuditHead): Promise<void> {
  return writeFile({ path, content: new Content(`${JSON.stringify(head)}\n`), mode: 0o600 }, realDisk)
}
