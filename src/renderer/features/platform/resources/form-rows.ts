import type { CapturedSecret } from '@shared/contract'
import { isObject } from './lookup'
import type { CellValue, FormField, FormRow, Json, RowsShape } from './resource'

export const isRows = (value: unknown): value is readonly FormRow[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null && 'cells' in row)

let lastKey = 0

export const createRow = (cells: FormRow['cells'] = {}): FormRow => {
  lastKey += 1
  return { key: String(lastKey), cells }
}

const isFilled = (cell: CellValue | undefined): boolean =>
  cell !== undefined && (typeof cell !== 'string' || cell.trim() !== '')

const filledRows = (rows: readonly FormRow[]): readonly FormRow[] =>
  rows.filter(({ cells }) => Object.values(cells).some(isFilled))

/**
 * Current rows of an object. Undefined if the form cannot edit the value without loss, such as a nested one. Masked
 * secrets are kept by their handles.
 */
export function readRows(
  value: Json,
  { columns }: RowsShape,
  { secrets, at }: { readonly secrets: readonly CapturedSecret[]; readonly at: string },
): readonly FormRow[] | undefined {
  const [nameColumn, valueColumn] = columns
  if (!isObject(value) || !nameColumn || !valueColumn) return undefined
  const rows: FormRow[] = []
  for (const [name, text] of Object.entries(value)) {
    const pointer = [at, name].map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    const secret = secrets.find((candidate) => candidate.at === pointer)
    if (!secret && typeof text !== 'string') return undefined
    const cell = secret ? { handle: secret.handle, masked: secret.masked } : String(text)
    rows.push(createRow({ [nameColumn.id]: name, [valueColumn.id]: cell }))
  }
  return rows
}

export type RowsProblem = 'rowRequired' | 'rowDuplicate'

/** Whether a required cell is empty, or two rows have the same name. */
export function findRowsProblem({ format, columns }: RowsShape, rows: readonly FormRow[]): RowsProblem | undefined {
  const filled = filledRows(rows)
  const required = columns.filter(({ isRequired }) => isRequired)
  if (filled.some(({ cells }) => required.some(({ id }) => !isFilled(cells[id])))) return 'rowRequired'
  const names = filled.map(({ cells }) => toName(cells[columns[0]?.id ?? '']))
  return format === 'object' && new Set(names).size < names.length ? 'rowDuplicate' : undefined
}

const toName = (cell: CellValue | undefined): string => (typeof cell === 'string' ? cell.trim() : '')

function toJson(cell: CellValue): Json {
  if (typeof cell === 'string') return cell
  return 'pendingId' in cell ? { $pending: cell.pendingId } : { $held: cell.handle }
}

/** Value to send. Undefined if the rows did not change, so that the platform keeps its value. */
export function toRowsValue({ rows: rowsShape, initial }: FormField, rows: readonly FormRow[]): Json | undefined {
  const initialRows = isRows(initial) ? initial : []
  if (!rowsShape || toComparableText(rows) === toComparableText(initialRows)) return undefined
  const { format, columns } = rowsShape
  const filled = filledRows(rows)
  if (format === 'list') {
    return filled.map(({ cells }) =>
      Object.fromEntries(
        columns.flatMap(({ id }) => {
          const cell = cells[id]
          if (cell === undefined || !isFilled(cell)) return []
          return [[id, typeof cell === 'string' ? cell.trim() : toJson(cell)]]
        }),
      ),
    )
  }
  const [nameColumn, valueColumn] = columns
  return Object.fromEntries(
    filled.map(({ cells }) => [toName(cells[nameColumn?.id ?? '']), toJson(cells[valueColumn?.id ?? ''] ?? '')]),
  )
}

const toComparableText = (rows: readonly FormRow[]): string =>
  JSON.stringify(filledRows(rows).map(({ cells }) => cells))
