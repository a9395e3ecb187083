import type { ResourcePage } from '@shared/contract'
import { useMemo } from 'react'
import { call, useCall } from '../../../ipc'
import { fieldOf } from '../../resources/lookup'
import { RowPages } from '../long-table/row-pages'
import { type SessionKey, timeNames } from '../names'
import type { OpenMemory } from '../open-memory'

/** How many events are asked for at a time; a server that gives fewer is followed by its own size. */
const askedSize = 100

/** How many rows the server's pages have: a first page that is shorter than asked for, and may not be the last, shows its size. */
export function sizeOfPages({
  rows,
  totalItems,
  totalPages,
}: Pick<ResourcePage, 'rows' | 'totalItems' | 'totalPages'>): number {
  const isTold = totalItems !== undefined || totalPages !== undefined
  const mayBeMore = !isTold || (totalItems ?? 0) > rows.length || (totalPages ?? 0) > 1
  return mayBeMore && rows.length > 0 && rows.length < askedSize ? rows.length : askedSize
}

/** Which end of the list the newest event is at; nothing when the rows do not say. */
export function newestEnd(rows: ResourcePage['rows']): 'start' | 'end' | undefined {
  const times = rows
    .map((row) => fieldOf(row, timeNames))
    .map((time) => (typeof time === 'string' ? Date.parse(time) : typeof time === 'number' ? time : Number.NaN))
    .filter((time) => !Number.isNaN(time))
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined || first === last) return undefined
  return first > last ? 'start' : 'end'
}

const countOf = ({ totalItems, rows }: ResourcePage): number | undefined =>
  totalItems === undefined ? undefined : Math.max(totalItems, rows.length)

/** A session's events, page by page as they are looked at. */
export function useEvents({ connection, memoryId }: OpenMemory, { actorId, sessionId }: SessionKey) {
  const connectionId = connection.id
  const path = useMemo(() => ({ id: memoryId, actorId, sessionId }), [memoryId, actorId, sessionId])
  const asked = useMemo(
    () => ({ connectionId, operation: 'memory.events.list', path, size: askedSize }),
    [connectionId, path],
  )
  const first = useCall('resources.page', asked, { refetchOnWindowFocus: false })
  const { data } = first
  const pages = useMemo(() => {
    if (!data) return undefined
    const size = sizeOfPages(data)
    return new RowPages({
      size,
      count: countOf(data),
      first: data.rows,
      load: async (page) => {
        const loaded = await call('resources.page', { ...asked, size, page: data.firstPage + page })
        return { rows: loaded.rows, total: loaded.totalItems }
      },
    })
  }, [data, asked])
  const newest = useMemo(() => newestEnd(data?.rows ?? []), [data])
  return { asked, first, pages, newest }
}
