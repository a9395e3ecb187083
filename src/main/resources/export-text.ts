import Papa from 'papaparse'
import { formula } from '../register/csv'
import type { Json } from './hide-secrets'

const piece = 500

/** Rows as JSON or CSV, piece by piece. In CSV every field of the first level is a column, and what is nested is JSON. */
export function exportText(rows: readonly Json[], format: 'json' | 'csv'): Iterable<string> {
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

/** What is no object stands in a column of this name. */
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
