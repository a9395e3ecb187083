import { join } from 'node:path'
import type { Database } from '../sqlite/database'
import { openFile } from '../sqlite/file'

const steps = [
  `CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, usage_sent_at TEXT NOT NULL);
INSERT INTO state VALUES (1, '', '');
CREATE TABLE bases (space TEXT NOT NULL, address TEXT NOT NULL, version INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (space, address)) WITHOUT ROWID;
CREATE TABLE sent_hours (space TEXT NOT NULL, hour INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (space, hour)) WITHOUT ROWID;`,
]

/** A note as both sides last agreed on it, and its version there; an empty note: nobody holds the key. */
export interface Base {
  readonly version: number
  /** As JSON. */
  readonly note: string
}

/**
 * How far this computer and the team space agree, in `<data>/team.sqlite`. What waits to be sent is in no queue of its own: it is what the settings, the
 * audit trail and the ledger hold beyond this, so that a kill loses none of it.
 */
export class TeamState {
  #opened: Database | undefined

  constructor(
    private readonly file: string,
    private readonly spaceId: string,
  ) {}

  bases(): Map<string, Base> {
    const rows = this.#db().rows(
      'address, version, note',
      'SELECT address, version, note FROM bases WHERE space = ?',
      this.spaceId,
    )
    return new Map(rows.map((row) => [row.text(0), { version: row.number(1), note: row.text(2) }]))
  }

  setBases(all: ReadonlyMap<string, Base>): void {
    if (all.size === 0) return
    const db = this.#db()
    db.transaction('IMMEDIATE', () => {
      for (const [address, { version, note }] of all)
        db.run('INSERT OR REPLACE INTO bases VALUES (?, ?, ?, ?)', this.spaceId, address, version, note)
    })
  }

  /** Forgets what was agreed on with this space. */
  clear(): void {
    const db = this.#db()
    db.transaction('IMMEDIATE', () => {
      db.run('DELETE FROM bases WHERE space = ?', this.spaceId)
    })
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  #db(): Database {
    // A power cut may take the last moments away: then it is compared and sent again, which changes nothing.
    this.#opened ??= openFile({ file: this.file, steps, isShared: () => true })
    return this.#opened
  }
}

/** The file in a data folder. */
export const teamStateFile = (dataDir: string): string => join(dataDir, 'team.sqlite')
