import type { AuditEntry } from '@shared/contract'

/** System clipboard, text only. */
export interface ClipboardPort {
  readText(): Promise<string>
  writeText(text: string): Promise<void>
}

/** Type of the files that a dialog offers. */
export type FileType = 'json' | 'csv' | 'markdown' | 'text' | 'png' | 'svg' | 'certificates' | 'keyFile'

/** Dialogs for files and folders. They return undefined or no path when the user cancels. */
export interface FileDialogs {
  open(type: FileType): Promise<string | undefined>
  openMany(type: FileType): Promise<readonly string[]>
  save(suggestedName: string, type: FileType): Promise<string | undefined>
  chooseFolder(): Promise<string | undefined>
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
