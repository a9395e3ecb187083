import type { ComparisonSetup } from '@shared/contract'
import Papa from 'papaparse'
import { most } from './limits'
import { newId } from './setup'

/** What is wrong with a pasted table; `line` counts from 1 in the text. */
export type PasteProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'noRows' }
  | { readonly kind: 'unevenRow'; readonly line: number; readonly found: number; readonly wanted: number }
  | { readonly kind: 'openQuote'; readonly line: number }
  | { readonly kind: 'namelessColumn'; readonly column: number }
  | { readonly kind: 'doubledColumn'; readonly name: string }
  | { readonly kind: 'tooManyColumns'; readonly found: number }
  | { readonly kind: 'tooManyRows'; readonly found: number }
  | { readonly kind: 'tooLong'; readonly line: number }

/** A pasted table as it was read. With problems it is shown and cannot be taken. */
export interface PastedTable {
  readonly variables: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly problems: readonly PasteProblem[]
}

interface Row {
  readonly values: readonly string[]
  readonly line: number
}

const nothing: PastedTable = { variables: [], rows: [], problems: [{ kind: 'empty' }] }

/** The rows of CSV or TSV (a spreadsheet copies tabs), each with the line it begins in; rows without any content are left out. */
function rowsOf(text: string): { readonly rows: readonly Row[]; readonly problems: readonly PasteProblem[] } {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const { data, errors } = Papa.parse<string[]>(text, {
    // Left to guess, a text of a single column would be cut at any comma of its first sentence.
    delimiter: firstLine.includes('\t') ? '\t' : firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',',
  })
  let line = 1
  const rows = data.map((values) => {
    const row = { values, line }
    line += 1 + values.reduce((sum, value) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
    return row
  })
  const isQuote = (type: string): boolean => type === 'Quotes'
  const problems = errors
    .filter(({ type }) => isQuote(type))
    .map(({ row }): PasteProblem => ({ kind: 'openQuote', line: rows[row ?? 0]?.line ?? 1 }))
  return { rows: rows.filter(({ values }) => values.some((value) => value.trim() !== '')), problems }
}

function headProblems(names: readonly string[]): PasteProblem[] {
  const doubled = names.filter((name, at) => name !== '' && names.indexOf(name) !== at)
  return [
    ...(names.length > most.variables ? [{ kind: 'tooManyColumns' as const, found: names.length }] : []),
    ...names.flatMap((name, at) => (name === '' ? [{ kind: 'namelessColumn' as const, column: at + 1 }] : [])),
    ...[...new Set(doubled)].map((name) => ({ kind: 'doubledColumn' as const, name })),
  ]
}

function rowProblems(rows: readonly Row[], wanted: number): PasteProblem[] {
  return rows.flatMap(({ values, line }): PasteProblem[] => {
    if (values.slice(wanted).some((value) => value.trim() !== ''))
      return [{ kind: 'unevenRow', line, found: values.length, wanted }]
    return values.some((value) => value.length > most.valueLength) ? [{ kind: 'tooLong', line }] : []
  })
}

/**
 * Reads a table that was pasted, CSV or as a spreadsheet copies it. The first row names the variables unless `names` does.
 * Rows that are too short are filled up.
 */
export function readPasted(text: string, names?: readonly string[]): PastedTable {
  const { rows, problems: quotes } = rowsOf(text.replace(/^\uFEFF/, ''))
  const [head, ...rest] = rows
  if (!head) return nothing
  const body = names ? rows : rest
  const given = (names ?? head.values).map((name) => name.trim().slice(0, most.nameLength))
  // A spreadsheet copies empty columns at the right as well.
  const width = given.findLastIndex((name) => name !== '') + 1
  const variables = given.slice(0, width)
  return {
    variables,
    rows: body.map(({ values }) => variables.map((_, at) => values[at] ?? '')),
    problems: [
      ...quotes,
      ...headProblems(variables),
      ...(body.length === 0 ? [{ kind: 'noRows' as const }] : []),
      ...(body.length > most.cases ? [{ kind: 'tooManyRows' as const, found: body.length }] : []),
      ...rowProblems(body, variables.length),
    ],
  }
}

/** The setup with the rows of a pasted table: in place of the cases that are there, or after them. Columns it does not know are added. */
export function withPasted(setup: ComparisonSetup, table: PastedTable, way: 'replace' | 'append'): ComparisonSetup {
  const before = way === 'append' ? setup.cases : []
  const variables = [...setup.variables, ...table.variables.filter((name) => !setup.variables.includes(name))]
  const placed = table.rows.map((row) => ({
    id: newId(),
    values: variables.map((name) => row[table.variables.indexOf(name)] ?? ''),
  }))
  const kept = before.map((one) => ({ ...one, values: variables.map((_, at) => one.values[at] ?? '') }))
  return {
    ...setup,
    variables: variables.slice(0, most.variables),
    cases: [...kept, ...placed]
      .slice(0, most.cases)
      .map((one) => ({ ...one, values: one.values.slice(0, most.variables) })),
  }
}
