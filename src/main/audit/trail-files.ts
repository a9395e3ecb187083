import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AuditEntry } from '@shared/contract/register'
import { z } from 'zod'
import { redact } from '../secret'
import { ifThere, realDisk } from '../tools/disk'
import { Content, unreadable, writeFile } from '../tools/files'

const LONGEST_TEXT = 300

/** An entry as it is kept; `previous`: SHA-256 of the line before, in hex. */
const AuditLine = z.strictObject({ ...AuditEntry.shape, previous: z.string().regex(/^[0-9a-f]{64}$/) })
type AuditLine = z.infer<typeof AuditLine>

/** What stands in for the hash before the first line, and for one that was lost. */
export const noHash = '0'.repeat(64)

/** An entry as a line, without its line feed. Names that look like a secret are hidden. */
export function formatLine(entry: AuditEntry, previous: string): string {
  const { number, at, what, secretKind, planName, keyName, subject, by } = entry
  const texts = { planName: plain(planName), keyName: plain(keyName), subject: plain(subject) }
  return JSON.stringify(AuditLine.parse({ number, at, what, secretKind, ...texts, by, previous }))
}

/** A line read strictly; undefined when it is none. */
export function readLine(bytes: Uint8Array): AuditLine | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return AuditLine.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The entry of a line; undefined when it is none. */
export function toAuditEntry(bytes: Uint8Array): AuditEntry | undefined {
  const line = readLine(bytes)
  if (!line) return undefined
  const { previous: _, ...entry } = line
  return entry
}

const plain = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : redact(text).slice(0, LONGEST_TEXT)

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
  return { lines: file('jsonl'), head: file('head'), lock: join(dataDir, 'audit-trail.lock') }
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
