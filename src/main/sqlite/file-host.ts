import { AppError } from '@shared/app-error'
import type { AnswersOf, Call, CallsOf, OutputOf, ThreadName } from '../worker-thread'
import { sqliteCode } from './database'
import { isDamage, NewerFile } from './file'
import { storageCause } from './process-lock'

/** What a database is, once it is open. */
export interface Opened {
  /** Whether the file that was opened still is the one at its path. */
  isInPlace(): boolean
  close(): void
}

/** How a file is opened, what it is called, and how long one that cannot be used is left alone, in ms. */
interface HostOptions<Open extends Opened> extends ThreadName {
  readonly open: (isSuspect: boolean) => Open
  readonly retryMs: number
}

/**
 * Keeps a database open for as long as its file can be used: opens it anew when the file was replaced or found damaged and, after a while, when
 * it could not be opened. Calls fail with its `unavailable` meanwhile.
 */
export class FileHost<Calls extends CallsOf<Calls>, Open extends Opened> {
  #opened: Open | undefined
  #isNewer = false
  #isSuspect = false
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: HostOptions<Open>) {}

  /** Whether the file was written by a newer version, when it was last looked at. */
  get isNewer(): boolean {
    return this.#isNewer
  }

  /** Carries out one call; once more, after a thorough look at the file, when it may be damaged. */
  async answer<Name extends keyof Calls>(
    answers: AnswersOf<Calls>,
    { name, input }: Call<Calls, Name>,
  ): Promise<OutputOf<Calls, Name>> {
    const carryOut = async (): Promise<OutputOf<Calls, Name>> => await answers[name](input)
    try {
      return await carryOut().catch((error: unknown) => {
        if (!isDamage(error) && !isRuledOut(error)) throw error
        this.letGo()
        this.#isSuspect = true
        return carryOut()
      })
    } catch (error) {
      throw explain(error, this.options, this.options.retryMs)
    }
  }

  /** The open database; see `openFile` for how it fails. */
  open(): Open {
    if (this.#opened && !this.#opened.isInPlace()) this.letGo()
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
  letGo(): void {
    const opened = this.#opened
    this.#opened = undefined
    try {
      opened?.close()
    } catch {
      // What was to be saved is: only the log could not be written into the file.
    }
  }
}

/** The tables refuse a value: the app is wrong, or the value was reckoned from one that is damaged, which only a thorough look tells. */
const isRuledOut = (error: unknown): boolean => /^SQLITE_CONSTRAINT/.test(sqliteCode(error) ?? '')

const busyRetryMs = 500

/**
 * Errors that trying again does not help against: the app is wrong. `SQLITE_ERROR` is not among them: each statement is tried by the tests,
 * so it tells that the tables in the file are not those that were made.
 */
const ourFault = /^SQLITE_(CONSTRAINT|MISMATCH|RANGE|MISUSE)/

/** Why a database could not answer; its `unavailable` says after which time it may. Other errors stay as they are. */
function explain(error: unknown, { name, unavailable }: ThreadName, retryMs: number): unknown {
  if (error instanceof AppError) return error
  if (error instanceof NewerFile) {
    return new AppError(unavailable, `The ${name} was written by a newer version of this app. Update the app.`)
  }
  const code = sqliteCode(error)
  if (code === undefined || ourFault.test(code)) return error
  const retryAfterMs = code.startsWith('SQLITE_BUSY') ? busyRetryMs : retryMs
  const reason = storageCause(error)?.reason ?? `SQLite says ${code}`
  const message = `The ${name} cannot be used now: ${reason}. The app goes on without it and tries again.`
  return new AppError(unavailable, message, { retryAfterMs, cause: error })
}
