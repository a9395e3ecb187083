import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Content } from '../tools/content'
import { ifThere, realDisk } from '../tools/disk'
import { unreadable } from '../tools/file-errors'
import { writeFile } from '../tools/files'
import { noHash } from './line'

const Head = z.strictObject({
  count: z.number().int().nonnegative(),
  /** Size of the lines, in bytes. */
  bytes: z.number().int().nonnegative(),
  /** Of the last line. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The line that is being written. */
  next: z.string().optional(),
})

/** What the lines must end with, kept apart from them. */
export type Head = z.infer<typeof Head>

/** The head of a trail without lines. */
export const emptyHead: Head = { count: 0, bytes: 0, hash: noHash }

/** The files of a trail. */
export interface TrailFiles {
  readonly lines: string
  readonly head: string
  readonly lock: string
}

/** Where the trail of a data folder is. */
export function filesIn(dataDir: string): TrailFiles {
  const file = (end: string): string => join(dataDir, `audit.${end}`)
  return { lines: file('jsonl'), head: file('head'), lock: file('lock') }
}

/** The head as it is kept: `missing` when there is none, `damaged` when it cannot be understood. Fails with `file.unreadable`. */
export async function readHead(path: string): Promise<Head | 'missing' | 'damaged'> {
  const text = await ifThere(readFile(path, 'utf8')).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if (text === undefined) return 'missing'
  try {
    return Head.safeParse(JSON.parse(text)).data ?? 'damaged'
  } catch {
    return 'damaged'
  }
}

/** Puts the head in the place of the one before. Fails with `file.unwritable`. */
export function writeHead(path: string, head: Head): Promise<void> {
  return writeFile({ path, content: new Content(`${JSON.stringify(head)}\n`), mode: 0o600 }, realDisk)
}
