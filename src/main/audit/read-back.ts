import { type FileHandle, open } from 'node:fs/promises'
import type { AuditEntry } from '@shared/contract'
import { ifThere } from '../tools/disk'
import { unreadable } from '../tools/file-errors'
import { entryOf } from './line'

const CHUNK_BYTES = 64 * 1024
const LINE_FEED = 0x0a

/** Which entries: those before a number, all without one. */
export interface Page {
  readonly before?: number | undefined
  readonly limit: number
}

/** The newest entries of a file of lines, the newest first. What is no entry is left out. Fails with `file.unreadable`. */
export async function readPage(path: string, { before = Number.POSITIVE_INFINITY, limit }: Page) {
  const entries: AuditEntry[] = []
  for await (const line of linesBackwards(path)) {
    if (numberOf(line) >= before) continue
    const entry = entryOf(line)
    if (entry) entries.push(entry)
    if (entries.length >= limit) break
  }
  return entries
}

/** The number of the last entry; 0 when there is none. */
export async function lastNumber(path: string): Promise<number> {
  const [last] = await readPage(path, { limit: 1 })
  return last?.number ?? 0
}

/** The bytes of a file from a place to its end; none when there is no file, undefined when it ends before. */
export async function readFrom(path: string, start: number): Promise<Uint8Array | undefined> {
  const file = await opened(path)
  if (!file) return start === 0 ? new Uint8Array() : undefined
  try {
    const { size } = await file.stat()
    return size < start ? undefined : await readPart({ file, path }, start, size)
  } finally {
    await file.close()
  }
}

/** The lines of a file from its end, in pieces of 64 KB; what follows the last line feed is none. */
async function* linesBackwards(path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = await opened(path)
  if (!file) return
  try {
    let end = (await file.stat()).size
    let rest: Buffer = Buffer.alloc(0)
    let isEnded = false
    while (end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES)
      const bytes = Buffer.concat([await readPart({ file, path }, start, end), rest])
      const { head, lines } = splitLast(bytes)
      for (const line of lines.reverse()) {
        if (isEnded) yield line
        isEnded = true
      }
      rest = head
      end = start
    }
    if (isEnded && rest.length > 0) yield rest
  } finally {
    await file.close()
  }
}

/** What stands before the first line feed, and the pieces behind each. */
function splitLast(bytes: Buffer): { head: Buffer; lines: Buffer[] } {
  const lines: Buffer[] = []
  let from = bytes.indexOf(LINE_FEED)
  const head = from < 0 ? bytes : bytes.subarray(0, from)
  while (from >= 0) {
    const to = bytes.indexOf(LINE_FEED, from + 1)
    lines.push(bytes.subarray(from + 1, to < 0 ? bytes.length : to))
    from = to
  }
  return { head, lines }
}

/** The number that a line begins with; 0 when it begins otherwise. */
function numberOf(line: Uint8Array): number {
  const [, digits = '0'] = /^\{"number":(\d{1,15}),/.exec(Buffer.from(line.subarray(0, 32)).toString('latin1')) ?? []
  return Number(digits)
}

const opened = (path: string): Promise<FileHandle | undefined> =>
  ifThere(open(path, 'r')).catch((error: unknown) => {
    throw unreadable(path, error)
  })

async function readPart({ file, path }: { file: FileHandle; path: string }, start: number, end: number) {
  const bytes = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  return bytes.subarray(0, bytesRead)
}
