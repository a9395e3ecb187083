import type { MethodInput } from '@shared/contract'
import Papa from 'papaparse'
import { byteOrderMark, formula } from '../../core/csv'
import type { Disk } from '../../core/files/disk'
import { Content, resolveLinks, toFileName, writeFile } from '../../core/files/files'
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
  const save = async (path: string | undefined, text: string): Promise<{ path?: string }> => {
    if (path === undefined) return {}
    await writeFile({ path: await resolveLinks(path, disk), content: new Content(text), mode: defaultFileMode }, disk)
    return { path }
  }
  return {
    /** Exports the rows of a list. Fails with `file.unwritable`. */
    export: async ({ name, format, rows }: MethodInput<'resources.export'>) =>
      save(
        await dialogs.save(`${toFileName(name, 'rows')}.${format}`, format),
        format === 'json' ? formatJson(rows) : formatCsv(rows),
      ),
    /** Saves a text as a file. Fails with `file.unwritable`. */
    saveText: async ({ name, text }: MethodInput<'resources.saveText'>) =>
      save(await dialogs.save(toFileName(name, 'text.txt'), 'text'), text),
  }
}

const formatJson = (rows: readonly Json[]): string => `[${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}\n]\n`

/** Columns are the top-level fields. Nested values are JSON. */
function formatCsv(rows: readonly Json[]): string {
  const columns = listColumns(rows)
  const lines = rows.map((row) => columns.map((column) => toCell(row, column)))
  // A leading quote protects cells that a spreadsheet would run as a formula, except numbers.
  const text = Papa.unparse([columns, ...lines], { newline: '\r\n', escapeFormulae: formula })
  return `${byteOrderMark}${text}\r\n`
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
