import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type Driver from 'libsql'

const load = createRequire(import.meta.url)

/** The driver, loaded when a file is first opened: its native part takes 13 ms of CPU, which `companion key print` does without. */
const driver = (): typeof Driver => load('libsql')

/** An SQLite database of somebody else's, open to read. */
export interface ForeignDatabase {
  /** Fails for a schema that does not have what is asked for. */
  all(sql: string, values: readonly (string | number)[]): readonly unknown[]
  close(): void
}

/** How many rows an inserting statement takes: few statements to prepare, few to run. */
const insertSizes = [64, 8, 1]

/** What a parameter may be; everything from outside goes in as one. */
export type Parameter = string | number | null | Uint8Array

/** SQLite's own code of an error (`SQLITE_FULL`), where it told one. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : undefined
}

/** One row of an answer; a cell of another type than expected is told as a damaged file. */
export class Row {
  constructor(private readonly cells: readonly unknown[]) {}

  number(at: number): number {
    const cell = this.cells[at]
    if (typeof cell !== 'number') throw new UnexpectedCell()
    return cell
  }

  text(at: number): string {
    const cell = this.cells[at]
    if (typeof cell !== 'string') throw new UnexpectedCell()
    return cell
  }

  /** A number, or nothing where none is kept. */
  maybe(at: number): number | undefined {
    return this.cells[at] === null ? undefined : this.number(at)
  }

  /** A text, or nothing where none is kept. */
  maybeText(at: number): string | undefined {
    return this.cells[at] === null ? undefined : this.text(at)
  }

  /** Of a row that was asked for alone: bytes are in no JSON. */
  bytes(at: number): Uint8Array {
    const cell = this.cells[at]
    if (!(cell instanceof Uint8Array)) throw new UnexpectedCell()
    return cell
  }
}

class UnexpectedCell extends Error {
  readonly code = 'SQLITE_CORRUPT'
  constructor() {
    super('The file holds something of another kind than was written.')
  }
}

/** An open SQLite file. Statements are prepared once; errors are SQLite's own, see `sqliteCode`. */
export class Database {
  readonly #driver: Driver.Database
  readonly #statements = new Map<string, Driver.Statement>()

  constructor(file: string) {
    this.#driver = new (driver())(file)
  }

  exec(sql: string): void {
    this.#driver.exec(sql)
  }

  run(sql: string, ...parameters: readonly Parameter[]): void {
    this.#prepared(sql).run([...parameters])
  }

  /** Inserts rows of as many cells as `width`, many with each statement; `sql` has `VALUES` where they go. */
  insert(sql: string, width: number, rows: readonly (readonly Parameter[])[]): void {
    const row = `(${Array.from({ length: width }, () => '?')})`
    let done = 0
    for (const size of insertSizes) {
      const full = sql.replace('VALUES', `VALUES ${Array.from({ length: size }, () => row)}`)
      for (; rows.length - done >= size; done += size) this.run(full, ...rows.slice(done, done + size).flat())
    }
  }

  /** The first row. */
  row(sql: string, ...parameters: readonly Parameter[]): Row | undefined {
    const row: unknown = this.#prepared(sql)
      .raw()
      .get([...parameters])
    return Array.isArray(row) ? new Row(row) : undefined
  }

  /** All rows. They come as one JSON text: the driver takes ten times as long for each row that it hands over. */
  rows(columns: string, sql: string, ...parameters: readonly Parameter[]): readonly Row[] {
    const all = this.row(`SELECT json_group_array(json_array(${columns})) FROM (${sql})`, ...parameters)
    const cells: unknown = JSON.parse(all?.text(0) ?? '[]')
    return Array.isArray(cells) ? cells.map((row: unknown) => new Row(Array.isArray(row) ? row : [])) : []
  }

  /** Runs `work` in a transaction that is taken back when it throws. */
  transaction<T>(kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
    this.exec(`BEGIN ${kind}`)
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (this.#driver.inTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  /** Writes the log into the file, so that the next opening needs no check, and lets go of it. */
  close(): void {
    try {
      this.row('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      this.#statements.clear()
      this.#driver.close()
    }
  }

  #prepared(sql: string): Driver.Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#driver.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

/**
 * Opens a database of somebody else's to read. The driver's own option for that is without effect, so the address says it: nothing is
 * ever written, its log is not carried into it either. Fails with SQLite's own errors.
 */
export function openForeign(file: string): ForeignDatabase {
  const opened = new (driver())(`${pathToFileURL(file).href}?mode=ro`)
  opened.exec('PRAGMA busy_timeout = 200')
  return { all: (sql, values) => opened.prepare(sql).all([...values]), close: () => void opened.close() }
}

/**
 * Locks an empty file for this process and every other one; undefined while somebody else holds it. The system frees it when its holder ends,
 * however that ends, and nothing is ever written to the file: SQLite serves for its locks alone. Fails with SQLite's own errors.
 */
export function tryLock(file: string): (() => void) | undefined {
  const opened = new (driver())(file)
  try {
    // The journal would be a file, which a full disk has no room for.
    opened.exec('PRAGMA journal_mode = MEMORY')
    opened.exec('BEGIN IMMEDIATE')
    return () => void opened.close()
  } catch (error) {
    opened.close()
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}
