import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { isRunning } from '../../is-running'
import type { Database } from '../../sqlite'

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
export function register(db: Database, instance: string): number {
  db.run(
    'INSERT OR IGNORE INTO owners (instance, pid, started, opened_at) VALUES (?, ?, ?, ?)',
    ...[instance, process.pid, startOf(process.pid), Date.now()],
  )
  return db.row('SELECT key FROM owners WHERE instance = ?', instance)?.number(0) ?? 0
}

/** Forgets the processes that are gone: what they had under way, or kept for an undo, is nobody's then. */
export function forgetGone(db: Database): void {
  const gone = ownersOf(db).filter((owner) => !isAlive(owner))
  for (const { key } of gone) db.run('DELETE FROM owners WHERE key = ?', key)
}

/** Whether another process has the file open. */
export const isOpenElsewhere = (db: Database): boolean =>
  ownersOf(db).some((owner) => owner.pid !== process.pid && isAlive(owner))

const ownersOf = (db: Database): readonly Owner[] =>
  db
    .rows('key, pid, started, opened_at', 'SELECT * FROM owners')
    .map((row) => ({ key: row.number(0), pid: row.number(1), started: row.text(2), openedAt: row.number(3) }))

function isAlive({ pid, started, openedAt }: Owner): boolean {
  if (!isRunning(pid)) return false
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
