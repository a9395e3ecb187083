import { AppError } from '@shared/failure'
import { sqliteCode } from '../sqlite'
import { NewerFile } from './file'
import type { DatabaseName } from './protocol'

const busyRetryMs = 500

/** Errors that trying again does not help against: the app is wrong. */
const ourFault = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG)/

/** The tables in the file are not those that were made. */
const hasOtherTables = (error: unknown): boolean =>
  error instanceof Error && /^(no such (table|column)|table \S+ already exists)/.test(error.message)

/** Why a database could not answer; its `unavailable` says after which time it may. Other errors stay as they are. */
export function explain(error: unknown, { name, unavailable }: DatabaseName, retryMs: number): unknown {
  if (error instanceof AppError) return error
  if (error instanceof NewerFile) {
    return new AppError(unavailable, `The ${name} was written by a newer version of this app. Update the app.`)
  }
  const code = sqliteCode(error)
  if (code === undefined || (ourFault.test(code) && !hasOtherTables(error))) return error
  const retryAfterMs = code.startsWith('SQLITE_BUSY') ? busyRetryMs : retryMs
  const message = `The ${name} cannot be used now (${code}). The app goes on without it and tries again.`
  return new AppError(unavailable, message, { retryAfterMs, cause: error })
}
