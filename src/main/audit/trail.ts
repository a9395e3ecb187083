import type { AuditEntry, AuditVerdict } from '@shared/contract'
import type { Clock, Log } from '../ports'
import { append } from './append'
import { filesIn, type TrailFiles } from './head'
import type { AuditNote, AuditPort } from './port'
import { type Page, readPage } from './read-back'
import { verifyTrail } from './verify'

export interface TrailDeps {
  readonly dataDir: string
  readonly clock: Clock
  /** Whose process this is. */
  readonly by: AuditEntry['by']
  readonly log: Log
}

/** The audit trail of a data folder: `note` adds, nothing takes away. Several processes may share it. */
export class AuditTrail implements AuditPort {
  readonly #deps: TrailDeps
  readonly #files: TrailFiles
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: TrailDeps) {
    this.#deps = deps
    this.#files = filesIn(deps.dataDir)
  }

  note(entry: AuditNote): Promise<void> {
    const { clock, by, log } = this.#deps
    const at = clock().toISOString()
    return this.#inTurn(() => append(this.#files, { ...entry, at, by })).catch((error: unknown) =>
      log.error('audit.note', error),
    )
  }

  /** The newest first. Fails with `file.unreadable`. */
  list(page: Page): Promise<AuditEntry[]> {
    return readPage(this.#files.lines, page)
  }

  /** Whether every line is as it was written. Fails with `file.*` when the files cannot be read. */
  verify(): Promise<AuditVerdict> {
    return this.#inTurn(() => verifyTrail(this.#files))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
