import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type Driver from 'libsql'

const requireModule = createRequire(import.meta.url)

/** Load the driver on first use: it takes 13 ms of CPU, and `companion key print` does not need it. */
const driver = (): typeof Driver => requireModule('libsql')

/** A read-only database of another program. */
export interface ForeignDatabase {
  /** Runs a query and returns the cells of each row. Fails when the schema lacks a column. */
  all(sql: string, values: readonly (string | number)[]): readonly (readonly unknown[])[]
  close(): void
}

/** Rows per insert statement, to prepare and run few statements. */
const insertSizes = [64, 8, 1]

/** Value of a statement's parameter. Values from outside must be passed as parameters. */
export type Parameter = string | number | null | Uint8Array

/** Error code of SQLite or of the system, such as `SQLITE_FULL`. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  return error.message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : undefined
}

/**
 * Reads rows as JSON bytes. The driver aborts the process on text that is not UTF-8 and is ten times slower per row. Decoding replaces
 * invalid bytes by U+FFFD.
 */
const toBlobSql = (json: string): string => `CAST(${json} AS BLOB)`

const decoder = new TextDecoder()

function parseCells(bytes: unknown): readonly unknown[] {
  const isBinary = bytes instanceof Uint8Array || bytes instanceof ArrayBuffer
  const cells: unknown = isBinary ? JSON.parse(decoder.decode(bytes)) : []
  return Array.isArray(cells) ? cells : []
}

/**
 * Wraps a query so that each row is one JSON text with `count` cells. The count is passed and checked by SQLite,
 * because the driver aborts the process when it lists columns whose type name is not UTF-8.
 */
function jsonRows(database: Driver.Database, sql: string, count = 1): Driver.Statement {
  const columns = Array.from({ length: count }, (_, index) => `c${index}`)
  // Replace bytes by NULL, because JSON cannot contain bytes.
  const cells = columns.map((column) => `iif(typeof(${column}) = 'blob', NULL, ${column})`)
  const json = toBlobSql(`json_array(${cells})`)
  try {
    return database.prepare(`WITH found (${columns}) AS (${sql}) SELECT ${json} AS json FROM found`)
  } catch (error) {
    const actualCount = Number(/ has (\d+) values for /.exec(String(error))?.[1] ?? count)
    if (actualCount === count) throw error
    return jsonRows(database, sql, actualCount)
  }
}

/** A row of a query. A cell of an unexpected type means a damaged file. */
export class Row {
  constructor(private readonly cells: readonly unknown[]) {}

  number(index: number): number {
    const cell = this.cells[index]
    if (typeof cell !== 'number') throw new UnexpectedCellError()
    return cell
  }

  text(index: number): string {
    const cell = this.cells[index]
    if (typeof cell !== 'string') throw new UnexpectedCellError()
    return cell
  }

  maybe(index: number): number | undefined {
    return this.cells[index] === null ? undefined : this.number(index)
  }

  maybeText(index: number): string | undefined {
    return this.cells[index] === null ? undefined : this.text(index)
  }
}

class UnexpectedCellError extends Error {
  readonly code = 'SQLITE_CORRUPT'
  constructor() {
    super('The file holds something of another kind than was written.')
  }
}

/** An open SQLite file with cached prepared statements. Errors are SQLite's own, see `sqliteCode`. */
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

  /** Inserts rows of `width` cells, many per statement, at the word `VALUES` in `sql`. */
  insert(sql: string, width: number, rows: readonly (readonly Parameter[])[]): void {
    const row = `(${Array.from({ length: width }, () => '?')})`
    let insertedCount = 0
    for (const size of insertSizes) {
      const fullSql = sql.replace('VALUES', `VALUES ${Array.from({ length: size }, () => row)}`)
      for (; rows.length - insertedCount >= size; insertedCount += size)
        this.#prepared(fullSql).run(rows.slice(insertedCount, insertedCount + size).flat())
    }
  }

  row(sql: string, ...parameters: readonly Parameter[]): Row | undefined {
    const json = this.#first(this.#prepared(sql, jsonRows), parameters)
    return json === undefined ? undefined : new Row(parseCells(json))
  }

  rows(columns: string, sql: string, ...parameters: readonly Parameter[]): readonly Row[] {
    const jsonSql = `SELECT ${toBlobSql(`json_group_array(json_array(${columns}))`)} FROM (${sql})`
    const rows = parseCells(this.#first(this.#prepared(jsonSql), parameters))
    return rows.map((row) => new Row(Array.isArray(row) ? row : []))
  }

  /** First cell of a query for bytes (`CAST(... AS BLOB)`), which JSON cannot contain. */
  bytes(sql: string, ...parameters: readonly Parameter[]): Uint8Array | undefined {
    const bytes = this.#first(this.#prepared(sql), parameters)
    return bytes instanceof Uint8Array ? bytes : undefined
  }

  pragma(name: string): number {
    const value = this.#first(this.#prepared(`PRAGMA ${name}`), [])
    return typeof value === 'number' ? value : 0
  }

  /** Runs `work` in a transaction. Rolls back when it throws. */
  transaction<T>(kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
    this.exec(`BEGIN ${kind}`)
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (error) {
      // SQLite itself ends the transaction when the disk is full.
      if (this.#driver.inTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  /** Checkpoints the write-ahead log, so that the next open needs no recovery. */
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
      // A damaged cell has bytes instead of its declared type.
      if (error instanceof Error && error.message === 'JSON cannot hold BLOB values') throw new UnexpectedCellError()
      throw error
    }
  }

  #prepared(sql: string, prepare = (driver: Driver.Database, text: string) => driver.prepare(text)): Driver.Statement {
    const statement = this.#statements.get(sql) ?? prepare(this.#driver, sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Opens another program's database read-only by a URI, since the driver's option has no effect. Fails with SQLite's errors. */
export function openForeignDatabase(file: string): ForeignDatabase {
  const openedDatabase = new (driver())(`${pathToFileURL(file).href}?mode=ro`)
  openedDatabase.exec('PRAGMA busy_timeout = 200')
  const all: ForeignDatabase['all'] = (sql, values) => {
    const rows = jsonRows(openedDatabase, sql).all([...values])
    return rows.map((row) => parseCells(row instanceof Object && 'json' in row ? row.json : undefined))
  }
  return { all, close: () => void openedDatabase.close() }
}

/**
 * Locks an empty file across processes with an SQLite transaction, and returns a function that unlocks it. Undefined
 * while another process holds the lock. The system releases the lock when its process ends. Fails with SQLite's errors.
 */
export function tryLock(file: string): (() => void) | undefined {
  const openedDatabase = new (driver())(file)
  try {
    // Keep the journal in memory, because a journal file would need space on a full disk.
    openedDatabase.exec('PRAGMA journal_mode = MEMORY')
    openedDatabase.exec('BEGIN IMMEDIATE')
    return () => void openedDatabase.close()
  } catch (error) {
    openedDatabase.close()
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}
