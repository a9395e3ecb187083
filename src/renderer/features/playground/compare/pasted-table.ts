import type { ComparisonCase, ComparisonSetup } from '@shared/contract'
import Papa from 'papaparse'
import { answerChecks, limits, newId } from './setup'

interface PasteProblem {
  readonly kind: 'noRows' | 'names' | 'limits' | 'row'
  /** Row of the table, counted from 1 and including the header. */
  readonly row?: number
}

export interface PastedTable {
  readonly variables: readonly string[]
  readonly cases: readonly Omit<ComparisonCase, 'id'>[]
  readonly problems: readonly PasteProblem[]
}

/** Spreadsheet formulas are exported with a leading quote. */
const quotedFormula = /^'(?=[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r])/u

/**
 * Test cases of an exported comparison: the columns between `run` and `expected`, without answers, further runs and
 * totals. Returns other tables unchanged.
 */
function readExportedCases(table: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [head = [], ...body] = table
  const end = head.indexOf('expected')
  if (head[0] !== 'case' || head[1] !== 'run' || end < 0) return table
  const cases = body.filter(([number, run]) => number !== 'total' && run === '1')
  return [head, ...cases].map((row) => row.slice(2, end + 1).map((value) => value.replace(quotedFormula, '')))
}

/**
 * Parses CSV or tab-separated text. The first row contains the names of variables, unless `names` is given. Short
 * rows are filled with empty values. `expected` and `check` are the check of a row, unless a prompt uses the name.
 */
export function parsePastedTable(
  text: string,
  names?: readonly string[],
  usedNames: readonly string[] = [],
): PastedTable {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    // Choose the delimiter here, because Papa Parse would guess a comma and split sentences of a single column.
    delimiter: firstLine.includes('\t') ? '\t' : firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',',
    skipEmptyLines: 'greedy',
  })
  const [head = [], ...rows] = names ? [names, ...data] : readExportedCases(data)
  const allNames = head.map((name) => name.trim().slice(0, limits.nameLength))
  // Spreadsheets also copy empty columns on the right.
  const columns = allNames.slice(0, allNames.findLastIndex((name) => name !== '') + 1)
  const checkColumns = ['expected', 'check'].filter((name) => columns.includes(name) && !usedNames.includes(name))
  const isCheck = (name: string): boolean => !names && checkColumns.includes('expected') && checkColumns.includes(name)
  const variables = columns.filter((name) => !isCheck(name))
  const cases = rows.map((row) => {
    const readCheckColumn = (name: string): string => (isCheck(name) ? (row[columns.indexOf(name)] ?? '') : '')
    const checkText = readCheckColumn('check').trim().toLowerCase()
    const expected = readCheckColumn('expected')
    const check = answerChecks.find((name) => name === checkText) ?? (expected === '' ? undefined : 'contains')
    return {
      values: columns.flatMap((name, index) => (isCheck(name) ? [] : [row[index] ?? ''])),
      ...(check && { check }),
      ...(expected !== '' && { expected }),
    }
  })
  const isTooLong = rows.flat().some((value) => value.length > limits.valueLength)
  const invalidRows = new Set([
    ...errors.flatMap(({ type, row = 0 }) => (type === 'Quotes' ? [row + 1] : [])),
    ...rows.flatMap((row, index) =>
      row.slice(columns.length).some((value) => value.trim() !== '') ? [index + (names ? 1 : 2)] : [],
    ),
  ])
  const problems: readonly (PasteProblem | false)[] = [
    cases.length === 0 && { kind: 'noRows' },
    (variables.includes('') || new Set(variables).size < variables.length) && { kind: 'names' },
    (variables.length > limits.variables || cases.length > limits.cases || isTooLong) && { kind: 'limits' },
    ...[...invalidRows].map((row) => ({ kind: 'row', row }) as const),
  ]
  return { variables, cases, problems: problems.filter((problem) => problem !== false) }
}

/** Adds pasted rows as cases, and missing variables as columns. `mode`: replace existing cases or append to them. */
export function applyPastedTable(setup: ComparisonSetup, table: PastedTable, mode: 'replace' | 'append') {
  const variables = [...new Set([...setup.variables, ...table.variables])].slice(0, limits.variables)
  const casesToKeep = (mode === 'append' ? setup.cases : []).map((testCase) => ({
    ...testCase,
    values: variables.map((_, index) => testCase.values[index] ?? ''),
  }))
  const pastedCases = table.cases.map((pastedCase) => ({
    ...pastedCase,
    id: newId(),
    values: variables.map((name) => pastedCase.values[table.variables.indexOf(name)] ?? ''),
  }))
  return { ...setup, variables, cases: [...casesToKeep, ...pastedCases].slice(0, limits.cases) }
}
