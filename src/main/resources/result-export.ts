import { randomUUID } from 'node:crypto'
import type { MethodInput, MethodOutput } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import Papa from 'papaparse'
import { formula } from '../csv'
import type { Clock } from '../ports'
import type { Disk } from '../tools/disk'
import { resolveLinks, toFileName, writeStreamed } from '../tools/files'
import type { Json } from './redact-response'

/** Asks a person where to save; undefined when no place was chosen. */
export interface ResourceDialogs {
  saveRows(suggestedName: string, format: 'json' | 'csv'): Promise<string | undefined>
  saveText(suggestedName: string): Promise<string | undefined>
}

interface ResourceFilesParts {
  readonly sets: RecordSets
  readonly dialogs: ResourceDialogs
  readonly disk: Disk
}

/** Rows and texts of the platform as files that a person chooses in a dialog. */
interface ResourceFiles {
  /** Fails with `input.invalid` for a list that is no longer held, or with `file.unwritable`. */
  export(wish: MethodInput<'resources.export'>): Promise<MethodOutput<'resources.export'>>
  /** Fails with `file.unwritable`. */
  saveText(wish: MethodInput<'resources.saveText'>): Promise<MethodOutput<'resources.saveText'>>
}

/** Exported rows and logs hold no secrets, so others may read them. */
const usualMode = 0o644

export function createResourceFiles({ sets, dialogs, disk }: ResourceFilesParts): ResourceFiles {
  const save = async (path: string | undefined, pieces: Iterable<string>): Promise<{ path?: string }> => {
    if (path === undefined) return {}
    await writeStreamed({ path: await resolveLinks(path, disk), pieces, mode: usualMode }, disk)
    return { path }
  }
  return {
    async export({ name, format, rows, setId, places }) {
      if ((rows === undefined) === (setId === undefined)) {
        throw new AppError('input.invalid', 'Give rows or the list that has them.', { field: 'rows' })
      }
      const chosen = rows ?? sets.rows(setId ?? '', places)
      return save(await dialogs.saveRows(`${toFileName(name, 'rows')}.${format}`, format), exportText(chosen, format))
    },
    saveText: async ({ name, text }) => save(await dialogs.saveText(toFileName(name, 'text.txt')), [text]),
  }
}

const piece = 500

/** Streams rows as JSON or CSV. CSV columns are the top-level fields; nested values are JSON. */
function exportText(rows: readonly Json[], format: 'json' | 'csv'): Iterable<string> {
  return format === 'json' ? jsonText(rows) : csvText(rows)
}

function* jsonText(rows: readonly Json[]): Generator<string> {
  yield '['
  for (let at = 0; at < rows.length; at += piece) {
    const lines = rows.slice(at, at + piece).map((row) => `\n${JSON.stringify(row)}`)
    yield (at === 0 ? '' : ',') + lines.join(',')
  }
  yield '\n]\n'
}

/** By this mark a spreadsheet knows that the text is UTF-8. */
const byteOrderMark = '\uFEFF'

function* csvText(rows: readonly Json[]): Generator<string> {
  const columns = columnsOf(rows)
  // A cell that a spreadsheet could run begins with a quote; a number is none.
  const options = { newline: '\r\n', escapeFormulae: formula }
  yield byteOrderMark + Papa.unparse([columns], options)
  for (let at = 0; at < rows.length; at += piece) {
    const lines = rows.slice(at, at + piece).map((row) => columns.map((column) => cellOf(row, column)))
    yield `\r\n${Papa.unparse(lines, options)}`
  }
  yield '\r\n'
}

/** Column of rows that are not objects. */
const alone = 'value'

function columnsOf(rows: readonly Json[]): string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of isFields(row) ? Object.keys(row) : [alone]) names.add(name)
  return [...names]
}

function cellOf(row: Json, column: string): string | number | boolean | null {
  const value = isFields(row) ? row[column] : column === alone ? row : undefined
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : value
}

const isFields = (row: Json): row is { [name: string]: Json } =>
  typeof row === 'object' && row !== null && !Array.isArray(row)

const mostSets = 4
const longestIdleMs = 10 * minuteMs

/** Long lists of the window, held here so that it needs no more of them than it shows. */
export interface RecordSets {
  /** Holds a list; of more than four the one that rested longest goes. */
  open(rows: readonly Json[]): string
  /** Some of its rows. Fails with `input.invalid` when it is no longer held. */
  slice(setId: string, from: number, count: number): Json[]
  /** All of it, or the rows at these places. Fails with `input.invalid` when it is no longer held. */
  rows(setId: string, places?: readonly number[]): readonly Json[]
  close(setId: string): void
}

interface RecordSet {
  readonly rows: readonly Json[]
  usedMs: number
}

/** Drops record sets after ten minutes without use. `after` is the timer. */
export function createRecordSets(clock: Clock, after: (run: () => void, ms: number) => () => void): RecordSets {
  const sets = new Map<string, RecordSet>()
  let cancel: (() => void) | undefined
  const sweep = (): void => {
    cancel = undefined
    const nowMs = clock().getTime()
    for (const [id, { usedMs }] of sets) if (nowMs - usedMs >= longestIdleMs) sets.delete(id)
    watch()
  }
  const watch = (): void => {
    if (sets.size > 0) cancel ??= after(sweep, longestIdleMs / 2)
  }
  const find = (setId: string): RecordSet => {
    const set = sets.get(setId)
    if (set === undefined) {
      throw new AppError('input.invalid', 'This list has expired. Load it again.', { field: 'setId' })
    }
    // Keeps the map in least-recently-used order.
    sets.delete(setId)
    sets.set(setId, set)
    set.usedMs = clock().getTime()
    return set
  }
  return {
    open(rows) {
      const [oldest] = sets.keys()
      if (sets.size >= mostSets && oldest !== undefined) sets.delete(oldest)
      const setId = randomUUID()
      sets.set(setId, { rows, usedMs: clock().getTime() })
      watch()
      return setId
    },
    slice: (setId, from, count) => find(setId).rows.slice(from, from + count),
    rows(setId, places) {
      const { rows } = find(setId)
      return places === undefined ? rows : places.flatMap((at) => (at < rows.length ? (rows[at] ?? null) : []))
    },
    close(setId) {
      sets.delete(setId)
      if (sets.size > 0) return
      cancel?.()
      cancel = undefined
    },
  }
}
