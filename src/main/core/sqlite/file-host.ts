import { AppError } from '@shared/app-error'
import type { ThreadName } from '../worker-thread'
import { sqliteCode } from './database'
import { isDamage, NewerFile } from './file'
import { findStorageCause } from './process-lock'

export interface OpenedFile {
  /** Whether the opened file is still at its path. */
  isInPlace(): boolean
  close(): void
}

/** `retryMs` is the delay before an unusable file is opened again. */
interface HostOptions<Open extends OpenedFile> extends ThreadName {
  readonly open: (isSuspect: boolean) => Open
  readonly retryMs: number
}

/** Keeps a database open. Reopens a replaced or damaged file, or after a delay one that could not be opened. */
export class FileHost<Open extends OpenedFile> {
  #opened: Open | undefined
  #isNewer = false
  #isSuspect = false
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: HostOptions<Open>) {}

  /** Whether the last check found a file of a newer app version. */
  get isNewer(): boolean {
    return this.#isNewer
  }

  /** Executes one call. Retries once after an integrity check if the file may be damaged. */
  async run<Output>(call: () => Output | Promise<Output>): Promise<Output> {
    const executeCall = async (): Promise<Output> => call()
    try {
      return await executeCall().catch((error: unknown) => {
        // A constraint refused a value. Either the app is wrong or damaged data led to it.
        const isConstraintError = sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT')
        if (!isDamage(error) && !isConstraintError) throw error
        this.close()
        this.#isSuspect = true
        return executeCall()
      })
    } catch (error) {
      throw toUnavailableError(error, this.options, this.options.retryMs)
    }
  }

  /** Opens the database if needed. Fails as `openFile` does. */
  open(): Open {
    if (this.#opened && !this.#opened.isInPlace()) this.close()
    if (this.#opened) return this.#opened
    const { retryMs, name, unavailable, open } = this.options
    if (performance.now() - this.#failedAt < retryMs) {
      throw new AppError(unavailable, `The ${name} could not be opened a moment ago.`)
    }
    try {
      this.#opened = open(this.#isSuspect)
      this.#isSuspect = false
      this.#isNewer = false
      return this.#opened
    } catch (error) {
      this.#failedAt = performance.now()
      this.#isNewer = error instanceof NewerFile
      throw error
    }
  }

  /** Closes the file until the next call. */
  close(): void {
    const openedFile = this.#opened
    this.#opened = undefined
    try {
      openedFile?.close()
    } catch {
      // Ignore a failed checkpoint, because the data is already committed.
    }
  }
}

const busyRetryMs = 500

/** Errors that a retry cannot fix. Not `SQLITE_ERROR`: statements are tested, so it means an unexpected schema. */
const internalErrorPattern = /^SQLITE_(CONSTRAINT|MISMATCH|RANGE|MISUSE)/

function toUnavailableError(error: unknown, { name, unavailable }: ThreadName, retryMs: number): unknown {
  if (error instanceof AppError) return error
  if (error instanceof NewerFile) {
    return new AppError(unavailable, `The ${name} was written by a newer version of this app. Update the app.`)
  }
  const code = sqliteCode(error)
  if (code === undefined || internalErrorPattern.test(code)) return error
  const retryAfterMs = code.startsWith('SQLITE_BUSY') ? busyRetryMs : retryMs
  const reason = findStorageCause(error)?.reason ?? `SQLite says ${code}`
  const message = `The ${name} cannot be used now: ${reason}. The app continues without it and tries again.`
  return new AppError(unavailable, message, { retryAfterMs, cause: error })
}
