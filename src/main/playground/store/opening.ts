import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Database } from '../../sqlite/database'
import { openFile } from '../../sqlite/file'
import { isProcessAlive } from '../../sqlite/process-lock'
import { sweepAttachments } from './attachments'
import { dropGoneCells } from './comparisons'
import type { ThreadOptions } from './protocol'
import { cutRuns } from './runs'
import { migrations } from './schema'
import { forgetTexts } from './search'
import type { Store } from './store'

/** What is kept of wires when nothing else is said. */
const wireBytes = 500_000_000
/** Runs that belong to no message and no comparison; the oldest go. */
const looseRuns = 500
const freePagesKept = 500

/** A file to open; see `openFile`. */
interface StorePlace extends Omit<ThreadOptions, 'retryMs'> {
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

/** After so long a process id may be another process's, where the system does not tell when that one began. */
const longestMs = 24 * 3_600_000
/** Clocks are put right. */
const slackMs = 5_000

/** A process that has the file open, or had; `openedAt` in ms. */
interface Owner {
  readonly key: number
  readonly pid: number
  readonly started: string
  readonly openedAt: number
}

/** Notes that this process has the file open; gives its key, the same one for the same `instance`. */
function register(db: Database, instance: string): number {
  db.run(
    'INSERT OR IGNORE INTO owners (instance, pid, started, opened_at) VALUES (?, ?, ?, ?)',
    ...[instance, process.pid, startOf(process.pid), Date.now()],
  )
  return db.row('SELECT key FROM owners WHERE instance = ?', instance)?.number(0) ?? 0
}

/** Forgets the processes that are gone: what they had under way, or kept for an undo, is nobody's then. */
function forgetGone(db: Database): void {
  const gone = ownersOf(db).filter((owner) => !isAlive(owner))
  for (const { key } of gone) db.run('DELETE FROM owners WHERE key = ?', key)
}

/** Whether another process has the file open. */
const isOpenElsewhere = (db: Database): boolean =>
  ownersOf(db).some((owner) => owner.pid !== process.pid && isAlive(owner))

const ownersOf = (db: Database): readonly Owner[] =>
  db
    .rows('key, pid, started, opened_at', 'SELECT * FROM owners')
    .map((row) => ({ key: row.number(0), pid: row.number(1), started: row.text(2), openedAt: row.number(3) }))

function isAlive({ pid, started, openedAt }: Owner): boolean {
  if (!isProcessAlive(pid)) return false
  const now = startOf(pid)
  if (now !== '' && started !== '') return now === started
  const couldBegin = Date.now() - 1000 * (pid === process.pid ? process.uptime() : uptime()) - slackMs
  return openedAt > couldBegin && Date.now() - openedAt < longestMs
}

/** When a process began, in the system's own measure; empty where it does not tell. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
