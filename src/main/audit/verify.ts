import { createReadStream } from 'node:fs'
import type { AuditVerdict } from '@shared/contract'
import { hashOf } from '../tools/content'
import { codeOf } from '../tools/disk'
import { unreadable } from '../tools/file-errors'
import { writtenOfNext } from './append'
import { emptyHead, type Head, readHead, type TrailFiles } from './head'
import { noHash, readLine } from './line'
import { withLock } from './lock'

const LINE_FEED = 0x0a

type Reason = NonNullable<AuditVerdict['reason']>
type Line = NonNullable<ReturnType<typeof readLine>>

/** Bytes up to a line feed, or, not ended, up to the end of the file. */
interface RawLine {
  readonly bytes: Uint8Array
  readonly isEnded: boolean
}

/** How the lines must end. `doubt`: there is no head that could say so. */
export type End = Pick<Head, 'count' | 'hash'> | { readonly doubt: 'removed' | 'unreadable' }

/** Reads the whole trail and tells whether it is as it was written. A write that a kill cut off is no harm. Fails with `file.*`. */
export async function verifyTrail(files: TrailFiles): Promise<AuditVerdict> {
  return withLock(files.lock, async () => {
    const head = await readHead(files.head)
    if (typeof head === 'string') {
      const end = { doubt: head === 'missing' ? 'removed' : 'unreadable' } as const
      return verifyLines(readLines(files.lines), end)
    }
    const written = await writtenOfNext(files, head)
    const isNextThere = head.next !== undefined && written === Buffer.byteLength(head.next) + 1
    const end = isNextThere ? { count: head.count + 1, hash: hashOf(head.next ?? '') } : head
    const most = written === undefined || isNextThere ? undefined : head.bytes
    return verifyLines(readLines(files.lines, most), end)
  })
}

/** Follows the chain from the first line to the end that the head knows. */
export async function verifyLines(lines: AsyncIterable<RawLine>, end: End): Promise<AuditVerdict> {
  const rest = lines[Symbol.asyncIterator]()
  let last = { number: 0, hash: emptyHead.hash }
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    const number = last.number + 1
    const { bytes, isEnded } = next.value
    const line = readLine(bytes)
    if (!isEnded || !line) return broken(rest, { at: number, reason: isEnded ? 'unreadable' : 'cutOff', read: number })
    if (line.number !== number || line.previous !== last.hash) return blame({ line, bytes, last, rest, end })
    last = { number, hash: hashOf(bytes) }
  }
  return verdictAtEnd(last, end)
}

function verdictAtEnd({ number: count, hash }: { number: number; hash: string }, end: End): AuditVerdict {
  const stop = (brokenAt: number, reason: Reason): AuditVerdict => ({ isWhole: false, count, brokenAt, reason })
  if ('doubt' in end)
    return count === 0 && end.doubt === 'removed' ? { isWhole: true, count } : stop(count + 1, end.doubt)
  if (count < end.count) return stop(count + 1, 'removed')
  if (count > end.count) return stop(end.count + 1, 'changed')
  return hash === end.hash ? { isWhole: true, count } : stop(count, 'changed')
}

interface Break {
  readonly line: Line
  readonly bytes: Uint8Array
  readonly last: { readonly number: number; readonly hash: string }
  readonly rest: AsyncIterator<RawLine>
  readonly end: End
}

/** A line that does not follow the one before it: which of the two is at fault, and what became of it. */
async function blame({ line, bytes, last, rest, end }: Break): Promise<AuditVerdict> {
  const number = last.number + 1
  const read = number
  if (line.number !== number && line.previous === last.hash)
    return broken(rest, { at: number, reason: 'changed', read })
  if (line.number < number) return broken(rest, { at: number, reason: 'reordered', read })
  if (line.number > number) return broken(rest, { at: number, reason: 'removed', read, sought: number })
  if (line.previous === noHash) return broken(rest, { at: number, reason: 'removed', read })
  const next = await rest.next()
  const vouched = next.done ? 'hash' in end && end.hash : readLine(next.value.bytes)?.previous
  const at = vouched === hashOf(bytes) && last.number > 0 ? last.number : number
  return broken(rest, { at, reason: 'changed', read: read + (next.done ? 0 : 1) })
}

interface Found {
  readonly at: number
  readonly reason: Reason
  /** How many lines were read. */
  readonly read: number
  /** The number of a missing line: one that comes later was moved. */
  readonly sought?: number
}

/** Reads on to the end, for the count and for a line that was moved. */
async function broken(rest: AsyncIterator<RawLine>, { at, reason, read, sought }: Found): Promise<AuditVerdict> {
  let count = read
  let isMoved = false
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    count += 1
    isMoved ||= sought !== undefined && readLine(next.value.bytes)?.number === sought
  }
  return { isWhole: false, count, brokenAt: at, reason: isMoved ? 'reordered' : reason }
}

/** The lines of a file, of its first `most` bytes when that is given; none when there is no file. */
async function* readLines(path: string, most?: number): AsyncGenerator<RawLine, void, void> {
  if (most === 0) return
  const chunks: AsyncIterable<Buffer> = createReadStream(path, most === undefined ? {} : { end: most - 1 })
  try {
    yield* linesOf(chunks)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unreadable(path, error)
  }
}

/** Bytes cut behind each line feed. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<RawLine> {
  let begun: Uint8Array[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      yield { bytes: Buffer.concat([...begun, chunk.subarray(from, to)]), isEnded: true }
      begun = []
      from = to + 1
    }
    if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (begun.length > 0) yield { bytes: Buffer.concat(begun), isEnded: false }
}
