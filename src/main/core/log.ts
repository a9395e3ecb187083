import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type Failure } from '@shared/failure'
import { createFolder } from './data-dir'
import type { Log } from './ports'
import { redact } from './secret'

const maxBytes = 1_000_000

/** The logger: one redacted JSON line per event in `<dataDir>/logs/companion.log` (0600), with one rotated file. */
export function createLog(dataDir: string): Log {
  const folder = join(dataDir, 'logs')
  const path = join(folder, 'companion.log')
  const writeLogLine = (level: string, event: string, details: unknown): void => {
    try {
      createFolder(folder)
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`)
      const line = JSON.stringify({ at: new Date().toISOString(), level, event, details })
      appendFileSync(path, `${redact(line)}\n`, { mode: 0o600 })
    } catch {
      // A full disk or a read-only log folder must not stop the app.
    }
  }
  return {
    info: (event, details) => writeLogLine('info', event, details),
    // Logs kind, failure and stack, never the contents of the error's causes.
    error(event, error) {
      if (error instanceof AppError) return writeLogLine('error', event, error.failure)
      const { name, message, stack } = error instanceof Error ? error : { message: String(error) }
      writeLogLine('error', event, { name, message, stack })
    },
  }
}

/** The failure of an error. Logs an unexpected error under `event`. */
export function toFailure(
  error: unknown,
  log: Log,
  event: string,
  message = 'Something failed unexpectedly. The log has the details.',
): Failure {
  if (error instanceof AppError) return error.failure
  log.error(event, error)
  return { code: 'internal.unexpected', message }
}
