import type { ConnectionView, MethodInput } from '@shared/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type CallError, call } from '../../ipc'
import type { Json } from '../resources/resource'
import { versionsOf } from './versions'

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
