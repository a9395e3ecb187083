import { History } from 'lucide-react'
import { isObject } from '../resources/lookup'
import type { Json, Resource } from '../resources/resource'
import { names, versionOf } from './names'

/** The versions of a runtime (spec: "each PATCH of a runtime creates a new version"). */
export const versions: Resource = {
  id: 'runtime-versions',
  address: 'runtimeApiUrl',
  icon: History,
  at: '/runtimes/:id/versions',
  words: {
    title: (t) => t('runtimes:versions.title'),
    name: (t) => t('runtimes:fields.version'),
    empty: (t) => t('runtimes:versions.empty'),
    emptyText: (t) => t('runtimes:versions.emptyText'),
  },
  list: { operation: 'runtime.versions.list' },
  identifier: { names: [...names.version, 'id', 'uuid'], param: 'version' },
  naming: [...names.version, 'id', 'uuid'],
  columns: [
    { id: 'image', header: (t) => t('runtimes:fields.image'), names: names.image, format: 'code' },
    { id: 'flavor', header: (t) => t('runtimes:fields.flavor'), names: names.flavor, width: '130px', from: 720 },
    {
      id: 'replicas',
      header: (t) => t('runtimes:fields.replicas'),
      names: names.replicas,
      format: 'number',
      align: 'right',
      width: '80px',
    },
    {
      id: 'created',
      header: (t) => t('runtimes:fields.created'),
      names: names.created,
      format: 'date',
      width: '140px',
    },
  ],
  actions: [],
}

/** A version with its number, as far as its row tells one. */
export interface Version {
  readonly number: string
  readonly row: Json
}

/** The versions of these rows, newest first where they count; rows without a number are left out. */
export function versionsOf(rows: readonly Json[]): readonly Version[] {
  const all = rows.flatMap((row) => {
    const number = versionOf(row)
    return number === undefined ? [] : [{ number, row }]
  })
  const counts = all.every(({ number }) => Number.isFinite(Number(number)))
  return counts ? all.toSorted((a, b) => Number(b.number) - Number(a.number)) : all
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}

/** All fields of a version as JSON, in the order of their names: so that two are told apart by what they say alone. */
export const versionText = ({ row }: Version): string => JSON.stringify(sorted(row), undefined, 2)
