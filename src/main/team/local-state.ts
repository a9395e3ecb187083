import { join } from 'node:path'
import type { Database } from '../core/sqlite/database'
import { openFile } from '../core/sqlite/file'

/** Older app versions used all tables of the first step. */
const steps = [
  `CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, usage_sent_at TEXT NOT NULL);
INSERT INTO state VALUES (1, '', '');
CREATE TABLE bases (space TEXT NOT NULL, address TEXT NOT NULL, version INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (space, address)) WITHOUT ROWID;
CREATE TABLE sent_hours (space TEXT NOT NULL, hour INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (space, hour)) WITHOUT ROWID;`,
]

/** The version of a key record on which this computer and the space last agreed. */
export interface SyncBase {
  readonly version: number
  /** JSON text. */
  readonly note: string
}

/**
 * The version of each key record on which this computer and the space last agreed, in `<data>/team.sqlite`. Unsent
 * changes are computed by comparison with the settings and the audit log, so a crash loses none.
 */
export class TeamState {
  // A power failure may lose rows. The records are then compared and sent again, which is idempotent.
  readonly #db: Database

  constructor(
    dataDir: string,
    private readonly spaceId: string,
  ) {
    this.#db = openFile({ file: join(dataDir, 'team.sqlite'), steps, isShared: () => true })
  }

  bases(): Map<string, SyncBase> {
    const sql = 'SELECT address, version, note FROM bases WHERE space = ?'
    const rows = this.#db.rows('address, version, note', sql, this.spaceId)
    return new Map(rows.map((row) => [row.text(0), { version: row.number(1), note: row.text(2) }]))
  }

  setBases(bases: ReadonlyMap<string, SyncBase>): void {
    if (bases.size === 0) return
    this.#db.transaction('IMMEDIATE', () => {
      for (const [address, { version, note }] of bases)
        this.#db.run('INSERT OR REPLACE INTO bases VALUES (?, ?, ?, ?)', this.spaceId, address, version, note)
    })
  }

  clear(): void {
    this.#db.run('DELETE FROM bases WHERE space = ?', this.spaceId)
  }

  close(): void {
    this.#db.close()
  }
}
