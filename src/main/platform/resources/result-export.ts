import type { MethodInput } from '@shared/contract'
import Papa from 'papaparse'
import { byteOrderMark, formula } from '../../core/csv'
import type { Disk } from '../../core/files/disk'
import { resolveLinks, toFileName, writeStreamedFile } from '../../core/files/files'
import type { FileDialogs } from '../../core/ports'
import type { Json } from './redact-response'

/** File mode of exports, which contain no secrets and may be read by other users. */
const defaultFileMode = 0o644

export function createResourceFiles({
  dialogs,
  disk,
}: {
  readonly dialogs: Pick<FileDialogs, 'save'>
  readonly disk: Disk
}) {
  const save = async (path: string | undefined, pieces: Iterable<string>): Promise<{ path?: string }> => {
    if (path === undefined) return {}
    await writeStreamedFile({ path: await resolveLinks(path, disk), pieces, mode: defaultFileMode }, disk)
    return { path }
  }
  return {
    /** Exports the rows of a list. Fails with `file.unwritable`. */
    export: async ({ name, format, rows }: MethodInput<'resources.export'>) =>
      save(await dialogs.save(`${toFileName(name, 'rows')}.${format}`, format), exportText(rows, format)),
    /** Saves a text as a file. Fails with `file.unwritable`. */
    saveText: async ({ name, text }: MethodInput<'resources.saveText'>) =>
      save(await dialogs.save(toFileName(name, 'text.txt'), 'text'), [text]),
  }
}

const rowsPerChunk = 500

/** Streams rows as JSON or CSV. CSV columns are the top-level fields; nested values are JSON. */
function exportText(rows: readonly Json[], format: 'json' | 'csv'): Iterable<string> {
  return format === 'json' ? jsonText(rows) : csvText(rows)
}

function* jsonText(rows: readonly Json[]): Generator<string> {
  yield '['
  for (let rowIndex = 0; rowIndex < rows.length; rowIndex += rowsPerChunk) {
    const lines = rows.slice(rowIndex, rowIndex + rowsPerChunk).map((row) => `\n${JSON.stringify(row)}`)
    yield (rowIndex === 0 ? '' : ',') + lines.join(',')
  }
  yield '\n]\n'
}

function* csvText(rows: readonly Json[]): Generator<string> {
  const columns = listColumns(rows)
  // A leading quote protects cells that a spreadsheet would run as a formula, except numbers.
  const options = { newline: '\r\n', escapeFormulae: formula }
  yield byteOrderMark + Papa.unparse([columns], options)
  for (let rowIndex = 0; rowIndex < rows.length; rowIndex += rowsPerChunk) {
    const lines = rows
      .slice(rowIndex, rowIndex + rowsPerChunk)
      .map((row) => columns.map((column) => toCell(row, column)))
    yield `\r\n${Papa.unparse(lines, options)}`
  }
  yield '\r\n'
}

/** CSV column name for rows that are not JSON objects. */
const singleColumn = 'value'

function listColumns(rows: readonly Json[]): string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of isFields(row) ? Object.keys(row) : [singleColumn]) names.add(name)
  return [...names]
}

function toCell(row: Json, column: string): string | number | boolean | null {
  const value = isFields(row) ? row[column] : column === singleColumn ? row : undefined
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : value
}

const isFields = (row: Json): row is { [name: string]: Json } =>
  typeof row === 'object' && row !== null && !Array.isArray(row)
