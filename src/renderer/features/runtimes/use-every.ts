import type { ConnectionView } from '@shared/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type CallError, call } from '../../ipc'
import type { Json } from '../resources/resource'
import { versionsOf } from './versions'

const pageSize = 100
const mostPages = 20

/** All rows of a paged list that is part of a runtime, page by page; a list that goes on after 2,000 rows is cut. */
async function everyRow(
  connectionId: string,
  operation: string,
  path: Readonly<Record<string, string>>,
): Promise<Json[]> {
  const rows: Json[] = []
  let page: number | undefined
  for (let pages = 0; pages < mostPages; pages += 1) {
    const asked = { connectionId, operation, path: { ...path }, size: pageSize, ...(page !== undefined && { page }) }
    const answer = await call('resources.page', asked)
    rows.push(...answer.rows)
    const isLast = answer.totalItems === undefined ? answer.rows.length < pageSize : rows.length >= answer.totalItems
    if (isLast || answer.rows.length === 0) break
    page = answer.page + 1
  }
  return rows
}

/** Every row of a list of a runtime: its versions, its endpoints. Renewed with all that comes from the platform. */
export function useEvery(connection: ConnectionView, operation: string, runtimeId: string) {
  return useQuery<Json[], CallError>({
    queryKey: ['resources.every', connection.id, operation, runtimeId],
    queryFn: () => everyRow(connection.id, operation, { id: runtimeId }),
  })
}

/** The versions of a runtime, newest first. */
export function useVersions(connection: ConnectionView, runtimeId: string) {
  const query = useEvery(connection, 'runtime.versions.list', runtimeId)
  const all = useMemo(() => versionsOf(query.data ?? []), [query.data])
  return { ...query, all }
}
