import { join } from 'node:path'
import type { Database } from '../core/sqlite/database'
import { openFile } from '../core/sqlite/file'

/** Older app versions used all tables. */
const steps = [
  `CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, usage_sent_at TEXT NOT NULL);
INSERT INTO state VALUES (1, '', '');
CREATE TABLE bases (space TEXT NOT NULL, address TEXT NOT NULL, version INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (space, address)) WITHOUT ROWID;
CREATE TABLE sent_hours (space TEXT NOT NULL, hour INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (space, hour)) WITHOUT ROWID;`,
]

/**
 * Opens `<data>/team.sqlite`. `bases` has the version of each key record on which this computer and the space last
 * agreed. Unsent changes are computed by comparison with the settings, so a crash loses none. A power failure may lose
 * rows. These records are compared and sent again, which is idempotent.
 */
export const openTeamState = (dataDir: string): Database =>
  openFile({ file: join(dataDir, 'team.sqlite'), steps, isShared: () => true })
