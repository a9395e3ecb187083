import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AuditEntry } from '@shared/contract'
import { hashOf } from '../tools/content'
import { ifThere } from '../tools/disk'
import { unwritable } from '../tools/file-errors'
import { emptyHead, type Head, readHead, type TrailFiles, writeHead } from './head'
import { lineOf, noHash } from './line'
import { withLock } from './lock'
import { lastNumber, readFrom } from './read-back'

const LINE_FEED = 0x0a

/** Adds a line. Fails with `file.unwritable` or `file.unreadable`. */
export async function append(files: TrailFiles, entry: Omit<AuditEntry, 'number'>): Promise<void> {
  const folder = dirname(files.lines)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unwritable(folder, error)
  })
  await withLock(files.lock, async () => {
    const head = await settledHead(files)
    const next = lineOf({ ...entry, number: head.count + 1 }, head.hash)
    await writeHead(files.head, { ...head, next })
    await complete(files, head, { next, written: 0 })
  })
}

/** How many bytes of the line that was being written are there; undefined when something else is, or nothing was being written. */
export async function writtenOfNext(files: TrailFiles, { bytes, next }: Head): Promise<number | undefined> {
  const tail = next === undefined ? undefined : await readFrom(files.lines, bytes)
  const isBegun = tail && Buffer.from(`${next}\n`).subarray(0, tail.length).equals(tail)
  return isBegun ? tail.length : undefined
}

/** The head that the next line follows. A write that was cut off is completed; what else differs is left for `verify` to find. */
async function settledHead(files: TrailFiles): Promise<Head> {
  const kept = await readHead(files.head)
  const bytes = (await ifThere(stat(files.lines)))?.size ?? 0
  if (kept === 'missing' && bytes === 0) return emptyHead
  // Nobody vouches for the last line any more, and the missing hash in the next one says so.
  if (typeof kept === 'string') return { count: Math.max(1, await lastNumber(files.lines)), bytes, hash: noHash }
  const { next, ...head } = kept
  const written = await writtenOfNext(files, kept)
  if (next === undefined) return { ...head, bytes }
  // Something else is in its place: the chain goes on from what should be there.
  if (written === undefined) return { count: head.count + 1, bytes, hash: hashOf(next) }
  return complete(files, head, { next, written })
}

/** Writes the rest of a line and then the head that follows from it. */
async function complete(files: TrailFiles, head: Head, { next, written }: { next: string; written: number }) {
  const bytes = await addBytes(files.lines, Buffer.from(`${next}\n`).subarray(written), written === 0)
  const following: Head = { count: head.count + 1, bytes, hash: hashOf(next) }
  await writeHead(files.head, following)
  return following
}

/** Adds bytes at the end, on a line of their own when they begin one; gives the size that the file has then. */
async function addBytes(path: string, bytes: Uint8Array, isLine: boolean): Promise<number> {
  try {
    const file = await open(path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const last = Buffer.alloc(1, LINE_FEED)
      if (isLine && size > 0) await file.read(last, 0, 1, size - 1)
      await file.appendFile(last[0] === LINE_FEED ? bytes : Buffer.concat([Buffer.from('\n'), bytes]))
      await file.datasync()
      return (await file.stat()).size
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unwritable(path, error)
  }
}
