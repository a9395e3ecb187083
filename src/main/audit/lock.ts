import { randomUUID } from 'node:crypto'
import { link, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning } from '../is-running'
import { codeOf, ifThere } from '../tools/disk'
import { unwritable } from '../tools/file-errors'

/** How long a lock of a process that ended is respected, and one of a process that may live, in ms. */
const deadMs = 2_000
const staleMs = 30_000
const patienceMs = 40_000

/**
 * Runs `work` while no other process holds the lock. A lock that a killed process left is broken after two seconds.
 * Fails with `file.unwritable` when it cannot be had.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = `${process.pid} ${randomUUID()}`
  const until = Date.now() + patienceMs
  while (!(await take(path, mine))) {
    if (Date.now() > until) throw unwritable(path, 'another program holds it')
    await breakStale(path)
    await wait(5 + Math.random() * 15)
  }
  try {
    return await work()
  } finally {
    if ((await ifThere(readFile(path, 'utf8'))) === mine) await ifThere(unlink(path))
  }
}

async function take(path: string, mine: string): Promise<boolean> {
  try {
    await writeFile(path, mine, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    // Windows says EPERM of a file that is being deleted.
    if (codeOf(error) === 'EEXIST' || (process.platform === 'win32' && codeOf(error) === 'EPERM')) return false
    throw unwritable(path, error)
  }
}

async function breakStale(path: string): Promise<void> {
  const holder = await ifThere(readFile(path, 'utf8'))
  const facts = await ifThere(stat(path))
  if (holder === undefined || facts === undefined) return
  const ageMs = Date.now() - facts.mtimeMs
  if (ageMs < (holder !== '' && !isRunning(Number.parseInt(holder, 10)) ? deadMs : staleMs)) return
  const aside = `${path}.${randomUUID()}`
  // Of several that find it stale, one gets it; who got a newer lock instead puts that back.
  if ((await ifThere(rename(path, aside).then(() => true))) === undefined) return
  if ((await readFile(aside, 'utf8')) !== holder) await link(aside, path).catch(() => undefined)
  await ifThere(unlink(aside))
}
