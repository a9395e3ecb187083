import { withVisibleControls } from '@shared/hidden-characters'
import { bareName, fieldOf, foundField, isObject, isPlain } from './lookup'
import type { Format, Json, Resource, ResourceColumn } from './resource'

/** How many fields that no column knows are shown when hardly any column finds a value. */
const mostFound = 4
const fewest = 2

const isDate = (value: Json | undefined): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function formatOf(value: Json | undefined): Format {
  if (isDate(value)) return 'date'
  return typeof value === 'number' ? 'number' : 'text'
}

/** Names of fields of these rows that no declaration speaks of, in the order they came. */
function unknownNames(rows: readonly Json[], known: ReadonlySet<string>): readonly string[] {
  const names = rows.flatMap((row) =>
    isObject(row) ? Object.entries(row).flatMap(([name, value]) => (isPlain(value) ? [name] : [])) : [],
  )
  return [...new Set(names)].filter((name) => !known.has(bareName(name)))
}

function foundColumn(name: string, rows: readonly Json[]): ResourceColumn {
  const sample = rows.map((row) => fieldOf(row, [name])).find((value) => value !== undefined)
  const format = formatOf(sample)
  return {
    id: `found-${name}`,
    header: () => withVisibleControls(name),
    names: [name],
    format,
    ...(format === 'number' && { align: 'right' }),
  }
}

/**
 * The columns that these rows have something for. Where the server's fields have other names than the declaration knows, the first of its own
 * are shown instead, so that a list is never bare.
 */
export function columnsOf(
  resource: Pick<Resource, 'columns' | 'naming'>,
  rows: readonly Json[],
): readonly ResourceColumn[] {
  if (rows.length === 0) return resource.columns
  const told = resource.columns.filter(({ names }) => rows.some((row) => fieldOf(row, names) !== undefined))
  if (told.length >= Math.min(fewest, resource.columns.length)) return told
  const nameFields = rows.flatMap((row) => foundField(row, resource.naming)?.[0] ?? [])
  const known = new Set([...nameFields, ...told.flatMap(({ names }) => names)].map(bareName))
  return [
    ...told,
    ...unknownNames(rows, known)
      .slice(0, mostFound)
      .map((name) => foundColumn(name, rows)),
  ]
}
