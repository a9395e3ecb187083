import type { AuditEntry } from '@shared/contract'

/** What is noted: the trail adds the number, the moment and who. */
export type AuditNote = Omit<AuditEntry, 'number' | 'at' | 'by'>

/** Where features note what they did. */
export interface AuditPort {
  /** Never fails what it is told of: an entry that cannot be written is told to the log. */
  note(entry: AuditNote): Promise<void>
}
