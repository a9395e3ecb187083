import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type Driver from 'libsql'

const load = createRequire(import.meta.url)

/** The driver, loaded when a file is first opened: its native part takes 13 ms of CPU, which `companion key print` does without. */
const driver = (): typeof Driver => load('libsql')

/** An SQLite database of somebody else's, open to read. */
export interface ForeignDatabase {
  /** The cells of each row; fails for a schema that does not have what is asked for. */
  all(sql: string, values: readonly (string | number)[]): readonly (readonly unknown[])[]
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

/**
 * How rows are read: as JSON, handed over as bytes. The driver ends the whole process at a text that is not UTF-8, wherever one stands, and takes ten
 * times as long for rows that it hands over one by one. Decoding puts U+FFFD where bytes are no text.
 */
const asBytes = (json: string): string => `CAST(${json} AS BLOB)`

const decoder = new TextDecoder()

function parseCells(bytes: unknown): readonly unknown[] {
  const isThere = bytes instanceof Uint8Array || bytes instanceof ArrayBuffer
  const cells: unknown = isThere ? JSON.parse(decoder.decode(bytes)) : []
  return Array.isArray(cells) ? cells : []
}

const prepareAsIs = (database: Driver.Database, sql: string): Driver.Statement => database.prepare(sql)

/**
 * A query for rows of JSON, one for each row of `sql`. SQLite tells how many columns it has where `count` is wrong: the driver's own list of them
 * ends the process where a type in the file's schema is not UTF-8, and so does every column that is answered as it is.
 */
function jsonRows(database: Driver.Database, sql: string, count = 1): Driver.Statement {
  const columns = Array.from({ length: count }, (_, at) => `c${at}`)
  // Bytes are in no JSON.
  const cells = columns.map((column) => `iif(typeof(${column}) = 'blob', NULL, ${column})`)
  const json = asBytes(`json_array(${cells})`)
  try {
    return database.prepare(`WITH found (${columns}) AS (${sql}) SELECT ${json} AS json FROM found`)
  } catch (error) {
    const actual = Number(/ has (\d+) values for /.exec(String(error))?.[1] ?? count)
    if (actual === count) throw error
    return jsonRows(database, sql, actual)
  }
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
      for (; rows.length - done >= size; done += size) this.#prepared(full).run(rows.slice(done, done + size).flat())
    }
  }

  /** The first row. */
  row(sql: string, ...parameters: readonly Parameter[]): Row | undefined {
    const json = this.#first(this.#prepared(sql, jsonRows), parameters)
    return json === undefined ? undefined : new Row(parseCells(json))
  }

  /** All rows. */
  rows(columns: string, sql: string, ...parameters: readonly Parameter[]): readonly Row[] {
    const all = `SELECT ${asBytes(`json_group_array(json_array(${columns}))`)} FROM (${sql})`
    const rows = parseCells(this.#first(this.#prepared(all), parameters))
    return rows.map((row) => new Row(Array.isArray(row) ? row : []))
  }

  /** The first cell of the first row of a query for bytes (`CAST(... AS BLOB)`), which are in no JSON. */
  bytes(sql: string, ...parameters: readonly Parameter[]): Uint8Array | undefined {
    const bytes = this.#first(this.#prepared(sql), parameters)
    return bytes instanceof Uint8Array ? bytes : undefined
  }

  /** A pragma that answers with a number. */
  pragma(name: string): number {
    const value = this.#first(this.#prepared(`PRAGMA ${name}`), [])
    return typeof value === 'number' ? value : 0
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
      this.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      this.#statements.clear()
      this.#driver.close()
    }
  }

  #first(statement: Driver.Statement, parameters: readonly Parameter[]): unknown {
    try {
      const row: unknown = statement.raw().get([...parameters])
      return Array.isArray(row) ? row[0] : undefined
    } catch (error) {
      // Bytes where something else was written.
      if (error instanceof Error && error.message === 'JSON cannot hold BLOB values') throw new UnexpectedCell()
      throw error
    }
  }

  #prepared(sql: string, prepare = prepareAsIs): Driver.Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = prepare(this.#driver, sql)
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
  const all: ForeignDatabase['all'] = (sql, values) => {
    const rows = jsonRows(opened, sql).all([...values])
    return rows.map((row) => parseCells(row instanceof Object && 'json' in row ? row.json : undefined))
  }
  return { all, close: () => void opened.close() }
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
