import { openFile } from '../../sqlite/file'
import { sweepAttachments } from './attachments'
import { dropGoneCells } from './comparisons'
import { migrations } from './migrations'
import { forgetGone, isOpenElsewhere, register } from './owners'
import type { ThreadOptions } from './protocol'
import { cutRuns } from './runs'
import { forgetTexts } from './search-text'
import type { Store } from './store'

/** What is kept of wires when nothing else is said. */
const wireBytes = 500_000_000
/** Runs that belong to no message and no comparison; the oldest go. */
const looseRuns = 500
const freePagesKept = 500

/** A file to open; see `openFile`. */
export interface StorePlace extends Omit<ThreadOptions, 'retryMs'> {
  readonly isSuspect?: boolean | undefined
  readonly steps?: readonly string[] | undefined
}

/** Opens the file and puts in order what processes that are gone have left. */
export function openStore({
  file,
  instance,
  wireBytes: most = wireBytes,
  isSuspect,
  steps = migrations,
}: StorePlace): Store {
  const db = openFile({ file, steps, isSuspect, isSynced: true, isShared: isOpenElsewhere })
  try {
    const store = db.transaction('IMMEDIATE', () => {
      const opened: Store = { db, owner: register(db, instance), wireBytes: most }
      putInOrder(opened)
      return opened
    })
    const free = db.pragma('freelist_count')
    if (free > freePagesKept) db.exec('PRAGMA incremental_vacuum')
    return store
  } catch (error) {
    db.close()
    throw error
  }
}

/** Lets go of what this process had under way or kept for an undo. */
export const leave = ({ db, owner }: Store): void => db.run('DELETE FROM owners WHERE key = ?', owner)

function putInOrder(store: Store): void {
  const { db } = store
  forgetGone(db)
  cutRuns(store)
  for (const key of leftOf(store, 'conversations')) dropConversation(store, key)
  for (const key of leftOf(store, 'comparisons')) dropComparison(store, key)
  // Whoever else has the file open may still undo.
  if (!isOpenElsewhere(db)) dropGoneCells(store)
  for (const key of leftOf(store, 'prompts')) db.run('DELETE FROM prompts WHERE key = ?', key)
  db.run(
    `DELETE FROM runs WHERE key IN (
       SELECT key FROM runs WHERE is_loose = 1 AND owner IS NULL ORDER BY key DESC LIMIT -1 OFFSET ${looseRuns}
     )`,
  )
  sweepAttachments(store)
}

const leftOf = ({ db }: Store, table: 'conversations' | 'comparisons' | 'prompts'): readonly number[] =>
  db
    .rows('key', `SELECT key FROM ${table} WHERE removed_by IS NOT NULL AND removed_by NOT IN (SELECT key FROM owners)`)
    .map((row) => row.number(0))

function dropConversation({ db }: Store, key: number): void {
  forgetTexts(db, key)
  const keys = runsOf({ db }, 'SELECT run FROM messages WHERE conversation = ? AND run IS NOT NULL', key)
  db.run('DELETE FROM conversations WHERE key = ?', key)
  dropRuns({ db }, keys)
}

function dropComparison({ db }: Store, key: number): void {
  const keys = runsOf({ db }, 'SELECT run FROM cells WHERE comparison = ?', key)
  db.run('DELETE FROM comparisons WHERE key = ?', key)
  dropRuns({ db }, keys)
}

const runsOf = ({ db }: Pick<Store, 'db'>, sql: string, key: number): readonly number[] =>
  db.rows('run', sql, key).map((row) => row.number(0))

const dropRuns = ({ db }: Pick<Store, 'db'>, keys: readonly number[]): void =>
  db.run('DELETE FROM runs WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
