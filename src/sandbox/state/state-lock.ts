import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

/** Who uses a state file. `startTime` tells a process from a later one with the same id, where the system says it. */
const Owner = z.object({ pid: z.number().int().positive(), startTime: z.string(), since: z.string() })
type Owner = z.infer<typeof Owner>

/** The state file is used by another sandbox that is running. */
export class StateInUse extends Error {
  constructor(path: string, owner: Owner | undefined) {
    const who = owner ? `process ${owner.pid}, since ${owner.since}` : 'its process is not known'
    super(`The state file ${path} is used by another sandbox (${who}). Stop that one, or choose another state file.`)
    this.name = 'StateInUse'
  }
}

/** A lock that says nothing after so long was left by a process that ended while it wrote it. */
const silentMs = 5_000

/** When a process began, in the system's own count; empty where the system does not tell (Linux does). */
async function startTimeOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in brackets may hold anything; the 22nd field of the line is the 20th after it.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const held = new Set<string>()

async function isRunning({ pid, startTime }: Owner, lock: string): Promise<boolean> {
  if (pid === process.pid) return held.has(lock)
  return isAlive(pid) && startTime === (await startTimeOf(pid))
}

const readLock = (lock: string): Promise<string | undefined> => readFile(lock, 'utf8').catch(() => undefined)

function ownerIn(text: string): Owner | undefined {
  try {
    return Owner.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function isStale(text: string, lock: string): Promise<boolean> {
  const owner = ownerIn(text)
  if (owner) return !(await isRunning(owner, lock))
  const { mtimeMs } = await stat(lock)
  return Date.now() - mtimeMs > silentMs
}

/** Takes away a lock that nobody holds. If another process was faster and the lock is already its own, it gets it back. */
async function removeStale(lock: string, text: string): Promise<void> {
  const aside = `${lock}.${process.pid}-${randomBytes(4).toString('hex')}`
  await rename(lock, aside).catch(() => undefined)
  if ((await readLock(aside)) !== text) await link(aside, lock).catch(() => undefined)
  await rm(aside, { force: true })
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * Takes a state file for this process; the result gives it back. Rejects with `StateInUse` while another sandbox uses it; what a killed
 * one left does not count. Where no lock can be written, no state can be, which is told when that fails.
 */
export async function lockState(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const owner = { pid: process.pid, startTime: await startTimeOf(process.pid), since: new Date().toISOString() }
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined)
  for (;;) {
    try {
      await writeFile(lock, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return async () => undefined
    }
    const text = await readLock(lock)
    if (text === undefined) continue
    if (!(await isStale(text, lock))) throw new StateInUse(path, ownerIn(text))
    await removeStale(lock, text)
  }
  held.add(lock)
  return async () => {
    held.delete(lock)
    await rm(lock, { force: true }).catch(() => undefined)
  }
}
