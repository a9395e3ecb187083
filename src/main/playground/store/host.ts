import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { dayMs } from '@shared/durations'
import type { Database } from '../../core/sqlite/database'
import { FileHost, openFile } from '../../core/sqlite/file'
import { isProcessAlive } from '../../core/sqlite/process-lock'
import type { Call, CallOutput } from '../../core/worker-thread'
import { type CallName, type PlaygroundStore, storeCalls } from '../store-client'
import { deleteRemovedCells } from './comparisons'
import { sweepAttachments } from './messages'
import { interruptRuns } from './runs'
import { rebuildIndex, searchTableSql } from './search'
import { type Store, storeName, type ThreadOptions } from './store'

/** Executes calls. They fail with `playground.unavailable` while the file is unusable. */
export class PlaygroundHost {
  readonly #host: FileHost<{ readonly store: Store; close(): void }>

  constructor({ retryMs, ...place }: ThreadOptions) {
    const open = (isSuspect: boolean) => {
      const store = openStore({ ...place, isSuspect })
      return { store, close: () => store.db.close() }
    }
    this.#host = new FileHost({ ...storeName, file: place.file, retryMs, open })
  }

  answer<Name extends CallName>(call: Call<PlaygroundStore, Name>): Promise<CallOutput<PlaygroundStore, Name>> {
    return this.#host.run(() => {
      try {
        return storeCalls[call.name](this.#host.open().store, ...call.input)
      } finally {
        if (call.name === 'close') this.#host.close()
      }
    })
  }
}

/** Default size limit of all stored requests and responses, in bytes. */
const maxExchangeBytes = 500000000

/** Maximum number of runs outside of messages and comparisons. The oldest are deleted. */
const maxStandaloneRuns = 500
const maxFreePages = 500

/** Opens the file and cleans up after processes that have ended. */
function openStore(options: Omit<ThreadOptions, 'retryMs'> & { readonly isSuspect: boolean }): Store {
  const { file, instance, wireBytes = maxExchangeBytes, isSuspect } = options
  const db = openFile({ file, steps: migrations, isSuspect, isSynced: true, isShared: isOpenElsewhere })
  try {
    const store = db.transaction('IMMEDIATE', () => {
      if (isSuspect) rebuildIndex(db)
      const openedStore: Store = { db, owner: register(db, instance), wireBytes }
      cleanStore(openedStore)
      return openedStore
    })
    if (db.pragma('freelist_count') > maxFreePages) db.exec('PRAGMA incremental_vacuum')
    return store
  } catch (error) {
    db.close()
    throw error
  }
}

function cleanStore(store: Store): void {
  const { db } = store
  // Active runs and hidden rows of ended processes then belong to no process, so they can be cleaned up.
  for (const owner of listOwners(db)) if (!isAlive(owner)) db.run('DELETE FROM owners WHERE key = ?', owner.key)
  interruptRuns(store)
  deleteRemovedItems(db)
  // Keep removed cells while another process has the file open, because it may still undo the removal.
  if (!isOpenElsewhere(db)) deleteRemovedCells(store)
  db.run(
    `DELETE FROM runs WHERE key IN (
       SELECT key FROM runs WHERE is_loose = 1 AND owner IS NULL ORDER BY key DESC LIMIT -1 OFFSET ${maxStandaloneRuns}
     )`,
  )
  sweepAttachments(store)
}

/** Deletes items with their runs that ended processes have removed. */
function deleteRemovedItems(db: Database): void {
  const isRemoved = 'removed_by IS NOT NULL AND removed_by NOT IN (SELECT key FROM owners)'
  const messagesSql = `messages JOIN conversations ON conversations.key = conversation WHERE ${isRemoved}`
  db.run(
    `DELETE FROM found WHERE rowid IN (
       SELECT messages.key FROM ${messagesSql} UNION ALL SELECT -key FROM conversations WHERE ${isRemoved}
     )`,
  )
  const runs = db.rows(
    'run',
    `SELECT run FROM ${messagesSql} AND run IS NOT NULL
     UNION ALL SELECT run FROM cells JOIN comparisons ON key = comparison WHERE ${isRemoved}`,
  )
  for (const table of ['conversations', 'comparisons', 'prompts']) db.run(`DELETE FROM ${table} WHERE ${isRemoved}`)
  const runKeys = JSON.stringify(runs.map((row) => row.number(0)))
  db.run('DELETE FROM runs WHERE key IN (SELECT value FROM json_each(?))', runKeys)
}

/** Maximum age of an owner where process start times are unknown, because process ids are reused. */
const maxAgeMs = dayMs

/** Tolerance in ms when process start times are compared, because the clock may be adjusted. */
const slackMs = 5000

/** A process that has or had the file open. `openedAt` is in ms since 1970. */
interface Owner {
  readonly key: number
  readonly pid: number
  readonly started: string
  readonly openedAt: number
}

/** Registers this process and returns its row key. Calls with the same `instance` return the same key. */
function register(db: Database, instance: string): number {
  db.run(
    'INSERT OR IGNORE INTO owners (instance, pid, started, opened_at) VALUES (?, ?, ?, ?)',
    ...[instance, process.pid, readProcessStart(process.pid), Date.now()],
  )
  return db.row('SELECT key FROM owners WHERE instance = ?', instance)?.number(0) ?? 0
}

const isOpenElsewhere = (db: Database): boolean =>
  listOwners(db).some((owner) => owner.pid !== process.pid && isAlive(owner))

const listOwners = (db: Database): readonly Owner[] =>
  db
    .rows('key, pid, started, opened_at', 'SELECT * FROM owners')
    .map((row) => ({ key: row.number(0), pid: row.number(1), started: row.text(2), openedAt: row.number(3) }))

function isAlive({ pid, started, openedAt }: Owner): boolean {
  if (!isProcessAlive(pid)) return false
  const processStart = readProcessStart(pid)
  if (processStart !== '' && started !== '') return processStart === started
  const earliestStartMs = Date.now() - 1000 * (pid === process.pid ? process.uptime() : uptime()) - slackMs
  return openedAt > earliestStartMs && Date.now() - openedAt < maxAgeMs
}

/** Process start time in the system's unit. Empty where unknown. */
function readProcessStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // In `/proc/PID/stat`, the program name in parentheses may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/**
 * Version 1. `key` is SQLite's row id in creation order. Ids and JSON are those of the contract. `messages.run` is the
 * run of an answer, or NULL for a question. `shown` is the child in the shown branch, or the root for a conversation.
 * `owner` and `removed_by` are processes in `owners`. `conversations.messages` is not used any more.
 */
const firstSchema = `
CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, wire_bytes INTEGER NOT NULL);
INSERT INTO state VALUES (1, '', 0);

CREATE TABLE owners (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  instance TEXT NOT NULL UNIQUE,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  opened_at INTEGER NOT NULL
);

CREATE TABLE conversations (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  is_pinned INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  shown INTEGER,
  removed_by INTEGER,
  model TEXT,
  title TEXT NOT NULL,
  setup TEXT NOT NULL
);
CREATE INDEX conversations_order ON conversations (is_pinned, updated_at, key);
CREATE INDEX conversations_removed ON conversations (removed_by) WHERE removed_by IS NOT NULL;

CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER,
  is_loose INTEGER NOT NULL,
  record TEXT NOT NULL,
  answer TEXT NOT NULL
);
CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_loose ON runs (key) WHERE is_loose = 1;

CREATE TABLE wires (
  run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  wire BLOB NOT NULL
);
CREATE TRIGGER wires_come AFTER INSERT ON wires BEGIN UPDATE state SET wire_bytes = wire_bytes + new.bytes; END;
CREATE TRIGGER wires_go AFTER DELETE ON wires BEGIN UPDATE state SET wire_bytes = wire_bytes - old.bytes; END;

CREATE TABLE messages (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
  parent INTEGER,
  shown INTEGER,
  run INTEGER REFERENCES runs,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX messages_tree ON messages (conversation, parent, shown, run, id);
CREATE INDEX messages_run ON messages (run) WHERE run IS NOT NULL;
${searchTableSql}

CREATE TABLE contents (key INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE attachments (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  content INTEGER NOT NULL REFERENCES contents,
  owner INTEGER NOT NULL,
  facts TEXT NOT NULL
);
CREATE INDEX attachments_content ON attachments (content);
CREATE TABLE named_attachments (
  message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
  attachment INTEGER NOT NULL REFERENCES attachments,
  PRIMARY KEY (message, attachment)
) WITHOUT ROWID;
CREATE INDEX named_attachments_back ON named_attachments (attachment);
CREATE TABLE drafts (key TEXT PRIMARY KEY, draft TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE comparisons (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  is_pinned INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  removed_by INTEGER,
  title TEXT NOT NULL,
  setup TEXT NOT NULL
);
CREATE TABLE cells (
  comparison INTEGER NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  column_id TEXT NOT NULL,
  case_id TEXT NOT NULL,
  run INTEGER NOT NULL REFERENCES runs,
  asked TEXT NOT NULL,
  PRIMARY KEY (comparison, column_id, case_id)
) WITHOUT ROWID;
CREATE INDEX cells_run ON cells (run);

CREATE TABLE prompts (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  updated_at INTEGER NOT NULL,
  removed_by INTEGER,
  name TEXT NOT NULL,
  tags TEXT NOT NULL
);
CREATE TABLE prompt_versions (
  prompt INTEGER NOT NULL REFERENCES prompts ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (prompt, number)
) WITHOUT ROWID;
`

/**
 * Migration from version n to n + 1 by index. Never change an entry, because files of released versions exist. A new
 * member of stored JSON needs an entry too (even an empty one), so that an older app rejects the file.
 */
const migrations: readonly string[] = [
  firstSchema,
  // Version 2 adds only members of stored JSON: tool results, changed answers and checked JSON.
  '',
  // Version 3 adds repeats and ratings of cells, and checks of cases (JSON).
  `
CREATE TABLE rated_cells (
  comparison INTEGER NOT NULL REFERENCES comparisons ON DELETE CASCADE,
  column_id TEXT NOT NULL,
  case_id TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  run INTEGER NOT NULL REFERENCES runs,
  asked TEXT NOT NULL,
  rating INTEGER,
  PRIMARY KEY (comparison, column_id, case_id, repeat)
) WITHOUT ROWID;
INSERT INTO rated_cells SELECT comparison, column_id, case_id, 1, run, asked, NULL FROM cells;
DROP TABLE cells;
ALTER TABLE rated_cells RENAME TO cells;
CREATE INDEX cells_run ON cells (run);
`,
  // Version 4 adds MCP tools to stored settings (JSON).
  '',
]
