import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { addCleanup } from './processes.mjs'
import { cacheFolder } from './project.mjs'
import { printLine } from './steps.mjs'

const heartbeatMs = 1000
const staleLockMs = 3000
const staleMs = 20_000
const pollIntervalMs = 200

/**
 * Runs `work` exclusively among processes with the same lock name in this project. Takes over the lock of a killed
 * process after a few seconds.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {string} [folder]
 * @returns {Promise<T>}
 */
export async function withLock(name, work, folder = cacheFolder) {
  const path = join(folder, `${name}.lock`)
  await mkdir(folder, { recursive: true })
  await waitForLock(path)
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeatMs)
  const release = () => rm(path, { force: true })
  const removeCleanup = addCleanup(release)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    removeCleanup()
    await release()
  }
}

/** @param {string} path */
async function waitForLock(path) {
  for (let isFirst = true; !(await tryAcquireLock(path)); isFirst = false) {
    if (isFirst) printLine('   waiting for another run that does the same ...')
    await wait(pollIntervalMs)
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>}
 */
async function tryAcquireLock(path) {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
  if (!(await isAbandoned(path))) return false
  await rm(path, { force: true })
  return tryAcquireLock(path)
}

/**
 * Whether a lock file is stale: no longer touched by its owner, or owned by a process that has ended.
 * @param {string} path
 */
async function isAbandoned(path) {
  try {
    const ageMs = Date.now() - (await stat(path)).mtimeMs
    return ageMs > staleMs || (ageMs > staleLockMs && !isRunning(Number(await readFile(path, 'utf8'))))
  } catch {
    return false
  }
}

/** @param {number} id */
function isRunning(id) {
  try {
    return id === 0 || process.kill(id, 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
