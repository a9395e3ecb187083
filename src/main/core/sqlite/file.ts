import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '@shared/app-error'
import { createFolder } from '../data-dir'
import type { ThreadName } from '../worker-thread'
import { Database, sqliteCode } from './database'
import { findStorageCause, sleepSync } from './process-lock'

/** The file was written by a newer app version. It stays unchanged. */
class NewerFile extends Error {}

/** Whether the file is damaged or no database. TOOBIG means a damaged length, because no value is that large. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|TOOBIG)/.test(sqliteCode(error) ?? '')

/** Time in ms to wait for another process that is writing to the file. */
const busyTimeoutMs = 5000

const setup = [
  `PRAGMA busy_timeout = ${busyTimeoutMs}`,
  'PRAGMA journal_mode = WAL',
  'PRAGMA wal_autocheckpoint = 4000',
  'PRAGMA journal_size_limit = 33554432',
]

const databaseSuffixes = ['', '-wal', '-shm']

export interface DatabaseFile {
  readonly file: string
  /** SQL of the migrations. Step n leads from version n to n + 1. */
  readonly steps: readonly string[]
  /** Whether damage was found during use, which requires a full integrity check. */
  readonly isSuspect?: boolean | undefined
  /** Whether commits are synced to disk. Otherwise a power cut may lose the last commits. */
  readonly isSynced?: boolean | undefined
  /** Cache size in KiB; 32 MB by default. */
  readonly cacheKib?: number | undefined
  /** Whether other processes have the file open. An existing write-ahead log is then no sign of a crash. */
  readonly isShared?: ((db: Database) => boolean) | undefined
}

/**
 * Opens the file (0600) and migrates it. A damaged one is renamed and replaced by a new one. Fails with `NewerFile`, or
 * with the system's or SQLite's error when the file is unusable.
 */
export function openFile(databaseFile: DatabaseFile): Database {
  createFolder(dirname(databaseFile.file))
  try {
    return openWithLock(databaseFile)
  } catch (error) {
    if (!isDamage(error)) throw error
    const { file } = databaseFile
    const name = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    for (const suffix of databaseSuffixes) if (fileBytes(file + suffix) > 0) renameSync(file + suffix, name + suffix)
    rmSync(`${file}-shm`, { force: true })
    const db = openCheckedDatabase({ ...databaseFile, isSuspect: false })
    db.run('UPDATE state SET set_aside = ?', name)
    return db
  }
}

/** Waits for other processes that create the file. SQLite's busy timeout does not cover the change to a log. */
function openWithLock(databaseFile: DatabaseFile): Database {
  for (const deadline = performance.now() + busyTimeoutMs; ; ) {
    try {
      return openCheckedDatabase(databaseFile)
    } catch (error) {
      if (!sqliteCode(error)?.startsWith('SQLITE_BUSY') || performance.now() >= deadline) throw error
      sleepSync(5 + 20 * Math.random())
    }
  }
}

/** Size in bytes of the database file together with SQLite's log files next to it. */
export const databaseBytes = (file: string): number =>
  databaseSuffixes.reduce((totalBytes, end) => totalBytes + fileBytes(file + end), 0)

/** Identifies an open file and its log. Changes when one of them is replaced or removed. */
function fileIdentity(file: string): string {
  const stats = [file, `${file}-wal`].map(statIfPresent)
  return stats.map((fileStats) => (fileStats ? `${fileStats.dev} ${fileStats.ino}` : '')).join(' ')
}

export function removeCopies(file: string): void {
  const isCopy = (name: string): boolean =>
    name.startsWith(`${basename(file)}.version-`) || name.startsWith(`${basename(file)}.damaged-`)
  for (const name of readdirSync(dirname(file)).filter(isCopy)) rmSync(join(dirname(file), name), { force: true })
}

function openCheckedDatabase(databaseFile: DatabaseFile): Database {
  const { file, steps, isSuspect, isSynced, isShared, cacheKib = 32_000 } = databaseFile
  closeSync(openSync(file, 'a', 0o600))
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  if (headerVersion(file) > steps.length) throw new NewerFile()
  // A nonempty write-ahead log shows that the last process crashed.
  const hasLeftoverWal = fileBytes(`${file}-wal`) > 0
  const db = new Database(file)
  try {
    // SQLite ignores this pragma after the first table is created.
    if (fileBytes(file) === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    for (const line of setup) db.exec(line)
    db.exec(`PRAGMA cache_size = -${cacheKib}`)
    db.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`)
    const version = readSchemaVersion(db)
    if (version > steps.length) throw new NewerFile()
    const needsQuickCheck = hasLeftoverWal && !(version > 0 && isShared?.(db))
    if (isSuspect) check(db, 'integrity_check')
    else if (needsQuickCheck || (version > 0 && version < steps.length)) check(db, 'quick_check')
    migrate(db, file, steps)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function check(db: Database, pragma: 'integrity_check' | 'quick_check'): void {
  const pragmaValue = db.row(`SELECT ${pragma} FROM pragma_${pragma}(1)`)?.text(0)
  if (pragmaValue !== 'ok') throw Object.assign(new Error('The file is damaged.'), { code: 'SQLITE_CORRUPT' })
}

/** Reads the schema version from the file header. Does not use SQLite, which would create files next to it. */
function headerVersion(file: string): number {
  const header = Buffer.alloc(100)
  const fileDescriptor = openSync(file, 'r')
  try {
    readSync(fileDescriptor, header, 0, header.length, 0)
  } finally {
    closeSync(fileDescriptor)
  }
  return header.toString('latin1', 0, 15) === 'SQLite format 3' ? header.readUInt32BE(60) : 0
}

const fileBytes = (path: string): number => statIfPresent(path)?.size ?? 0

function statIfPresent(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Reads the schema version. 0 for an empty file. */
const readSchemaVersion = (db: Database): number => db.pragma('user_version')

/** Migrates a file, each step in a transaction. Copies a nonempty file first. */
function migrate(db: Database, file: string, steps: readonly string[]): void {
  const versionBefore = readSchemaVersion(db)
  if (versionBefore > 0 && versionBefore < steps.length) {
    const copyPath = `${file}.version-${versionBefore}`
    rmSync(copyPath, { force: true })
    closeSync(openSync(copyPath, 'wx', 0o600))
    db.run('VACUUM INTO ?', copyPath)
  }
  for (const [version, sql] of steps.entries()) {
    if (version < versionBefore) continue
    db.transaction('IMMEDIATE', () => {
      // Another process may have migrated the file in the meantime.
      if (readSchemaVersion(db) !== version) return
      db.exec(sql)
      db.exec(`PRAGMA user_version = ${version + 1}`)
    })
  }
}

/** `retryMs` is the delay before an unusable file is opened again. */
interface HostOptions<Open> extends ThreadName {
  readonly file: string
  readonly open: (isSuspect: boolean) => Open
  readonly retryMs: number
}

/** Keeps a database open. Reopens a replaced or damaged file, or after a delay one that could not be opened. */
export class FileHost<Open extends { close(): void }> {
  #opened: Open | undefined
  #identity: string | undefined
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
    const { file, retryMs, name, unavailable, open } = this.options
    if (this.#opened && fileIdentity(file) !== this.#identity) this.close()
    if (this.#opened) return this.#opened
    if (performance.now() - this.#failedAt < retryMs) {
      throw new AppError(unavailable, `The ${name} could not be opened a moment ago.`)
    }
    try {
      this.#opened = open(this.#isSuspect)
      this.#identity = fileIdentity(file)
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
