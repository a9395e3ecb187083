import type { AuditEntry } from '@shared/contract'

/** System clipboard, text only. */
export interface ClipboardPort {
  readText(): Promise<string>
  writeText(text: string): Promise<void>
}

/** Current time, replaceable in tests. */
export type Clock = () => Date

/** Writes redacted text to the app's log. */
export interface Log {
  info(event: string, details?: Readonly<Record<string, unknown>>): void
  error(event: string, error: unknown): void
}

/** Input of an audit entry, without number, time and origin. */
export type AuditEvent = Omit<AuditEntry, 'number' | 'at' | 'by' | 'osUser'>

export interface AuditPort {
  /** Writes an audit entry. Never rejects: logs an entry that cannot be written. */
  note(entry: AuditEvent): Promise<void>
}
