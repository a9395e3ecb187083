import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { Seed, World } from './world'

const saveDelayMs = 500

/** Prints a message to the terminal, outside of standard output. */
export type Notify = (text: string) => void

const getErrorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Version 1 had plans only. Its seed is kept, because tools may still use its keys. */
const FirstStateVersion = z.object({ version: z.literal(1), seed: Seed })

/**
 * Loads the world. `undefined` for a new file. Moves unusable content aside, never overwrites it. Rejects when the path
 * is not a readable file.
 */
export async function loadWorld(
  path: string,
  { notify, begin }: { notify: Notify; begin: (seed: string, nowMs: number) => World },
): Promise<World | undefined> {
  // Remove temporary files of a killed process. The lock excludes other writers.
  const prefix = `${basename(path)}.`
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const isLeftover = name.startsWith(prefix) && /^\d+-[0-9a-f]{8}\.tmp$/.test(name.slice(prefix.length))
    if (isLeftover) await rm(join(dirname(path), name), { force: true })
  }
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw new Error(`The state file cannot be read: ${reason(error)}`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    const content: unknown = JSON.parse(text)
    const firstVersion = FirstStateVersion.safeParse(content)
    return firstVersion.success ? begin(firstVersion.data.seed, Date.now()) : World.parse(content)
  } catch {
    const brokenFilePath = `${path}.broken-${new Date().toISOString().replaceAll(':', '-')}`
    await rename(path, brokenFilePath)
    notify(`The state file ${path} could not be used. It was moved to ${brokenFilePath}, and a fresh state was begun.`)
    return undefined
  }
}

/** Atomic write with mode 0600. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const temporaryFile = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    const file = await open(temporaryFile, 'wx', 0o600)
    await file.writeFile(text).finally(async () => {
      await file.sync()
      await file.close()
    })
    await rename(temporaryFile, path)
  } catch (error) {
    await rm(temporaryFile, { force: true })
    throw error
  }
}

/**
 * Serializes and debounces writes of one file. Retries failed writes, which never stop the sandbox. Notifies on the
 * first failure and on recovery, not on every attempt.
 */
export function createStateWriter(path: string, notify: Notify, writeFile = writeAtomically) {
  let isFailing = false
  let pendingWorld: World | undefined
  let timer: NodeJS.Timeout | undefined
  let lastWrite: Promise<void> = Promise.resolve()
  const writePendingWorld = async () => {
    if (pendingWorld === undefined) return
    const world = pendingWorld
    pendingWorld = undefined
    try {
      await writeFile(path, `${JSON.stringify(world)}\n`)
      if (isFailing) notify('The state file could be written again.')
      isFailing = false
    } catch (error) {
      if (!isFailing) notify(`The state file was not written, and will be tried again: ${reason(error)}`)
      isFailing = true
      save(pendingWorld ?? world)
    }
  }
  /** Writes immediately. */
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    lastWrite = lastWrite.then(writePendingWorld)
    return lastWrite
  }
  const save = (world: World) => {
    pendingWorld = world
    timer ??= setTimeout(flush, saveDelayMs).unref()
  }
  /** Resolves when everything saved so far is in the file. Concurrent callers share one write. */
  const saved = async () => {
    await flush()
    while (isFailing) await wait(saveDelayMs, undefined, { ref: false })
  }
  /** Writes a last time. A failed write is not tried again. */
  const close = async () => {
    await flush()
    clearTimeout(timer)
  }
  return { save, flush, saved, close }
}

/** Owner of a state file. `startTime` distinguishes a process from a later one with the same id, where supported. */
const Owner = z.object({ pid: z.number().int().positive(), startTime: z.string(), since: z.string() })
type Owner = z.infer<typeof Owner>

export class StateInUseError extends Error {
  constructor(path: string, owner: Owner | undefined) {
    const ownerText = owner ? `process ${owner.pid}, since ${owner.since}` : 'its process is not known'
    super(
      `The state file ${path} is used by another sandbox (${ownerText}). Stop that one, or choose another state file.`,
    )
  }
}

/** Age in ms of an empty lock whose owner was killed while writing it. */
const staleLockMs = 5_000

/** Start time of a process in the system's unit. Empty except on Linux. */
async function readStartTime(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The process name in parentheses may contain spaces. Field 22 of the line is the 20th after it.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getErrorCode(error) === 'EPERM'
  }
}

const ownedLocks = new Set<string>()

const readLock = (lock: string): Promise<string | undefined> => readFile(lock, 'utf8').catch(() => undefined)

function parseOwner(text: string): Owner | undefined {
  try {
    return Owner.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function isStale(text: string, lock: string): Promise<boolean> {
  const owner = parseOwner(text)
  if (owner?.pid === process.pid) return !ownedLocks.has(lock)
  if (owner) return !isAlive(owner.pid) || owner.startTime !== (await readStartTime(owner.pid))
  const { mtimeMs } = await stat(lock)
  return Date.now() - mtimeMs > staleLockMs
}

/** Removes a stale lock file. If another process has replaced it since, restores that process's lock. */
async function removeStaleLock(lock: string, text: string): Promise<void> {
  const staleLockPath = `${lock}.${process.pid}-${randomBytes(4).toString('hex')}`
  await rename(lock, staleLockPath).catch(() => undefined)
  if ((await readLock(staleLockPath)) !== text) await link(staleLockPath, lock).catch(() => undefined)
  await rm(staleLockPath, { force: true })
}

/**
 * Locks a state file and returns the release function. Rejects with `StateInUseError`. Ignores locks of killed processes.
 * Without write permission the later write reports the error.
 */
export async function lockState(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const owner = { pid: process.pid, startTime: await readStartTime(process.pid), since: new Date().toISOString() }
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined)
  for (;;) {
    try {
      await writeFile(lock, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return async () => undefined
    }
    const text = await readLock(lock)
    if (text === undefined) continue
    if (!(await isStale(text, lock))) throw new StateInUseError(path, parseOwner(text))
    await removeStaleLock(lock, text)
  }
  ownedLocks.add(lock)
  return async () => {
    ownedLocks.delete(lock)
    await rm(lock, { force: true }).catch(() => undefined)
  }
}
