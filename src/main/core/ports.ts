import type { AuditEntry } from '@shared/contract'

/** The system clipboard; text only. */
export interface ClipboardPort {
  readText(): Promise<string>
  writeText(text: string): Promise<void>
}

/** The time now, so that tests can choose it. */
export type Clock = () => Date

/** Writes to the app's log; every text is redacted before it is kept. */
export interface Log {
  info(event: string, details?: Readonly<Record<string, unknown>>): void
  error(event: string, error: unknown): void
}

/** What is noted: the trail adds the number, the moment and who. */
export type AuditNote = Omit<AuditEntry, 'number' | 'at' | 'by'>

/** Where features note what they did. */
export interface AuditPort {
  /** Never fails what it is told of: an entry that cannot be written is told to the log. */
  note(entry: AuditNote): Promise<void>
}
