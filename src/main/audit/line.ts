import { AuditEntry } from '@shared/contract'
import { z } from 'zod'
import { redact } from '../secret'

const LONGEST_TEXT = 300

/** An entry as it is kept; `previous`: SHA-256 of the line before, in hex. */
const AuditLine = z.strictObject({ ...AuditEntry.shape, previous: z.string().regex(/^[0-9a-f]{64}$/) })
type AuditLine = z.infer<typeof AuditLine>

/** What stands in for the hash before the first line, and for one that was lost. */
export const noHash = '0'.repeat(64)

/** An entry as a line, without its line feed. Names that look like a secret are hidden. */
export function lineOf(entry: AuditEntry, previous: string): string {
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
export function entryOf(bytes: Uint8Array): AuditEntry | undefined {
  const line = readLine(bytes)
  if (!line) return undefined
  const { previous: _, ...entry } = line
  return entry
}

const plain = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : redact(text).slice(0, LONGEST_TEXT)
