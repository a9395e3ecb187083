import type { MethodInput } from '@shared/contract'
import Papa from 'papaparse'
import { byteOrderMark, formula } from '../../core/csv'
import type { Disk } from '../../core/files/disk'
import { toFileName, writeChosenFile } from '../../core/files/files'
import type { FileDialogs } from '../../core/ports'
import { isObject } from '../../gateway/server-message'
import type { Json } from './redact-response'

export function createResourceFiles(parts: { readonly dialogs: Pick<FileDialogs, 'save'>; readonly disk: Disk }) {
  const { dialogs, disk } = parts
  // An export contains no secrets and may be read by other users.
  const save = (path: string | undefined, text: string) => writeChosenFile(path, text, disk, 0o644)
  return {
    /** Exports the rows of a list. Fails with `file.unwritable`. */
    export: async ({ name, format, rows }: MethodInput<'resources.export'>) =>
      save(
        await dialogs.save(`${toFileName(name, 'rows')}.${format}`, format),
        format === 'json' ? `[${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}\n]\n` : formatCsv(rows),
      ),
    /** Saves a text as a file. Fails with `file.unwritable`. */
    saveText: async ({ name, text }: MethodInput<'resources.saveText'>) =>
      save(await dialogs.save(toFileName(name, 'text.txt'), 'text'), text),
  }
}

/** Columns are the top-level fields, or `value` for a row that is not an object. Nested values are JSON. */
function formatCsv(rows: readonly Json[]): string {
  const fieldRows = rows.map((row) => (isObject(row) ? row : { value: row }))
  const columns = [...new Set(fieldRows.flatMap((fields) => Object.keys(fields)))]
  const lines = fieldRows.map((fields: Readonly<Record<string, unknown>>) =>
    columns.map((column) => {
      const value = fields[column]
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
    }),
  )
  // A leading quote protects cells that a spreadsheet would run as a formula, except numbers.
  const text = Papa.unparse([columns, ...lines], { newline: '\r\n', escapeFormulae: formula })
  return `${byteOrderMark}${text}\r\n`
}
