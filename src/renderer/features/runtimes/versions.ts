import type { ConnectionView, MethodInput } from '@shared/contract'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo } from 'react'
import { type CallError, call } from '../../ipc'
import type { Json, Resource } from '../resources'
import { isObject } from '../resources'
import { names, versionOf } from './runtimes'

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

const pageSize = 100

/** All rows of a paged list that is part of a runtime; main reads its pages. */
async function everyRow(asked: MethodInput<'resources.every'>, signal: AbortSignal): Promise<Json[]> {
  const callId = crypto.randomUUID()
  signal.addEventListener('abort', () => void call('calls.cancel', { callId }), { once: true })
  const { rows } = await call('resources.every', { ...asked, size: pageSize, callId })
  return rows
}

/** Every row of a list of a runtime: its versions, its endpoints. Renewed with all that comes from the platform. */
export function useEvery(connection: ConnectionView, operation: string, runtimeId: string) {
  return useQuery<Json[], CallError>({
    queryKey: ['resources.every', connection.id, operation, runtimeId],
    queryFn: ({ signal }) => everyRow({ connectionId: connection.id, operation, path: { id: runtimeId } }, signal),
  })
}

/** The versions of a runtime, newest first. */
export function useVersions(connection: ConnectionView, runtimeId: string) {
  const query = useEvery(connection, 'runtime.versions.list', runtimeId)
  const all = useMemo(() => versionsOf(query.data ?? []), [query.data])
  return { ...query, all }
}
