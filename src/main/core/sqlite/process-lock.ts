import { closeSync, existsSync, openSync, truncateSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@shared/app-error'
import type { FailureCode } from '@shared/failure'
import { sqliteCode, tryLock } from './database'

/** Lock timeout. Waiting is not fair, so allow well over 10 s under contention. */
const timeoutMs = 30_000
const initialDelayMs = 1
const maxPauseMs = 20

const sleepBuffer = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread. */
export const sleepSync = (ms: number): void => void Atomics.wait(sleepBuffer, 0, 0, ms)

/**
 * Runs `work` under an exclusive file lock across and within processes. The system releases the lock of a killed
 * process. Runs nothing on failure. Fails with `storage.*`.
 */
export function withProcessLock<T>(file: string, work: () => T): T {
  const startedMs = performance.now()
  for (let pauseCount = 0; ; pauseCount += 1) {
    const release = acquireLock(file, startedMs + timeoutMs)
    if (release === undefined) {
      sleepSync(pauseMs(pauseCount, startedMs))
      continue
    }
    try {
      return work()
    } finally {
      release()
    }
  }
}

/** Like `withProcessLock`, for asynchronous work and with its own timeout. */
export async function withProcessLockAsync<T>(
  file: string,
  work: () => Promise<T>,
  atMostMs: number = timeoutMs,
): Promise<T> {
  const startedMs = performance.now()
  for (let pauseCount = 0; ; pauseCount += 1) {
    const release = acquireLock(file, startedMs + atMostMs)
    if (release === undefined) {
      await wait(pauseMs(pauseCount, startedMs))
      continue
    }
    try {
      return await work()
    } finally {
      release()
    }
  }
}

/** Delay before the next attempt in ms. Shorter after a long wait, so that newcomers do not always win. Jittered. */
function pauseMs(pauses: number, startedMs: number): number {
  const maxMs = maxPauseMs / (1 + (performance.now() - startedMs) / 1000)
  return Math.min(maxMs, initialDelayMs * 2 ** pauses) * (0.5 + Math.random())
}

function acquireLock(file: string, deadlineMs: number): (() => void) | undefined {
  try {
    // Open the file only to create it, because closing an existing one would release all locks of this process on it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
    const release = lockAfterTruncation(file)
    if (release !== undefined || performance.now() < deadlineMs) return release
  } catch (error) {
    throw toStorageError(error, file)
  }
  throw new AppError('storage.busy', `Another process of this app uses ${file}. Nothing was saved. Try again.`)
}

/** A file with content cannot be locked, so empty it. */
function lockAfterTruncation(file: string): (() => void) | undefined {
  try {
    return tryLock(file)
  } catch (error) {
    if (!sqliteCode(error)?.startsWith('SQLITE_NOTADB')) throw error
    truncateSync(file)
    return tryLock(file)
  }
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const codes: readonly { readonly is: RegExp; readonly code: FailureCode; readonly reason: string }[] = [
  { is: /^(ENOSPC|EDQUOT|SQLITE_FULL)/, code: 'storage.full', reason: 'the disk is full. Free some space' },
  {
    is: /^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM)/,
    code: 'storage.denied',
    reason: 'the folder is read-only or belongs to another user. Allow writing to it',
  },
]

/** Explains why a file of the data folder is unusable. Returns other errors unchanged. */
export function toStorageError(error: unknown, path: string): unknown {
  const storageFailure = findStorageCause(error)
  if (storageFailure === undefined) return error
  const message = `${path} cannot be used: ${storageFailure.reason} and try again. What was saved before is unchanged.`
  return new AppError(storageFailure.code, message, { cause: error })
}

/** Finds the storage failure that corresponds to a system or SQLite error. Undefined for other errors. */
export const findStorageCause = (error: unknown) => codes.find(({ is }) => is.test(sqliteCode(error) ?? ''))
