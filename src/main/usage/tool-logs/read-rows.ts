import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { ForeignDatabase } from '../../sqlite'
import type { Portion, Position } from './position'
import type { OpenForeign, RowLog, RowReading, ToldAnswer } from './tool-log'

const Row = z.tuple([z.string(), z.string()])
const rowsAtOnce = 500
/** So many rows before the last one are read again: rows of several processes may come in another order than their ids. */
const overlap = 50
/** An answer that is still open after so long will not go on. */
const longestAnswerMs = 24 * 3_600_000

/** A database and what tells that it has changed: the size and time of its file and of its write-ahead log. */
export interface FoundDatabase {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

export interface RowsDeps {
  readonly openForeign: OpenForeign
  /** In ms. */
  readonly now: number
}

/** Reads rows from where it stopped, answers that were still coming among them. Fails when the database is locked or of another schema. */
export async function* readRows(
  log: RowLog,
  { database, before }: { readonly database: FoundDatabase; readonly before: Position },
  { openForeign, now }: RowsDeps,
): AsyncGenerator<Portion> {
  const { path, size, mtimeMs } = database
  const foreign = await openForeign(path)
  try {
    const next = new NextRow(now)
    const bad = new Set(before.known)
    let cursor = before.from
    for (;;) {
      const rows = rowsFrom(foreign, { log, cursor })
      const answers: ToldAnswer[] = []
      for (const [id, data] of rows) {
        const { reading, openSince } = read(log, id, data)
        if (reading === undefined) bad.add(id)
        else answers.push(...reading)
        next.passed(id, openSince)
      }
      const last = rows.at(-1)?.[0]
      const isLast = rows.length < rowsAtOnce || last === undefined
      const known = [...bad].filter((id) => id >= next.id)
      const notUnderstood = before.notUnderstood + [...bad].filter((id) => !before.known.includes(id)).length
      const done = isLast ? { size, mtimeMs } : { size: 0, mtimeMs: 0 }
      yield { answers, position: { ...before, from: next.id || before.from, known, notUnderstood, ...done } }
      if (isLast) return
      cursor = last
      await setImmediate()
    }
  } finally {
    foreign.close()
  }
}

function rowsFrom(foreign: ForeignDatabase, { log, cursor }: { readonly log: RowLog; readonly cursor: string }) {
  return foreign.all(log.query, [cursor, rowsAtOnce]).flatMap((row) => {
    const { data } = Row.safeParse(row)
    return data ? [data] : []
  })
}

function read(log: RowLog, id: string, data: string): RowReading {
  try {
    return log.read(id, JSON.parse(data))
  } catch {
    return { reading: undefined }
  }
}

/** The row to begin with the next time: the first that is still coming, and some before the last in any case. */
class NextRow {
  readonly #now: number
  readonly #passed: string[] = []
  #open: string | undefined

  constructor(now: number) {
    this.#now = now
  }

  passed(id: string, openSince: number | undefined): void {
    if (this.#passed.at(-1) !== id) this.#passed.push(id)
    if (this.#passed.length > overlap) this.#passed.shift()
    if (openSince !== undefined && openSince > this.#now - longestAnswerMs) this.#open ??= id
  }

  get id(): string {
    const first = this.#passed[0] ?? ''
    return this.#open !== undefined && this.#open < first ? this.#open : first
  }
}
