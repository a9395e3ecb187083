import type { ResourceAnswer, ResourcePage } from '@shared/contract'
import { useCallback } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { create } from 'zustand'
import { useCall } from '../../ipc'
import { isStillAt } from '../../still-at'
import { type ListPlace, type PageSize, readPlace, writePlace } from './list-address'
import { rowsOf } from './lookup'
import type { Resource, Scope } from './resource'

const usualSize: PageSize = 20

/** Where a list stands by the address, with the page size last chosen for it. */
export function useListPlace({ id }: Pick<Resource, 'id'>) {
  const [query, setQuery] = useSearchParams()
  const { pathname } = useLocation()
  const remembered = useSizes(({ sizes }) => sizes[id])
  const remember = useSizes((store) => store.remember)
  const place = readPlace(query)
  const size = place.size ?? remembered ?? usualSize
  const change = useCallback(
    (part: Partial<ListPlace>): void => {
      // What was typed is told a moment later.
      if (!isStillAt(pathname)) return
      if (part.size !== undefined) remember(id, part.size)
      setQuery((before) => writePlace(before, part), { replace: true })
    },
    [setQuery, remember, id, pathname],
  )
  return { place: { ...place, size }, change }
}

const asPage = ({ data, secrets, requestId }: ResourceAnswer): ResourcePage => {
  const rows = [...rowsOf(data)]
  return {
    rows,
    page: 1,
    firstPage: 1,
    totalItems: rows.length,
    totalPages: 1,
    secrets,
    ...(requestId && { requestId }),
  }
}

interface Asked {
  readonly connectionId: string
  readonly resource: Resource
  readonly scope: Scope
  readonly place: Pick<ListPlace, 'page' | 'filter'> & { readonly size: number }
}

/** What is asked for a page of a list, without its page and size. */
function listCall({ connectionId, resource, scope, place }: Asked) {
  const { operation, filter } = resource.list
  return {
    connectionId,
    operation,
    path: { ...scope },
    ...(filter && { query: { [filter.param]: place.filter } }),
  }
}

/** The call whose answer is on the screen, for copying. */
export function shownCall(asked: Asked, page: number | undefined) {
  const call = listCall(asked)
  if (asked.resource.list.isUnpaged || page === undefined) return call
  return { ...call, query: { ...call.query, page, size: asked.place.size } }
}

/** One page of a list; what was shown before stays until the next is there. */
export function useList(asked: Asked) {
  const { place, resource } = asked
  const { page, size } = place
  const isUnpaged = resource.list.isUnpaged ?? false
  const call = listCall(asked)
  const paged = useCall(
    'resources.page',
    { ...call, size, ...(page !== undefined && { page }) },
    { enabled: !isUnpaged, placeholderData: (before) => before },
  )
  const whole = useCall<'resources.call', ResourcePage>('resources.call', call, { enabled: isUnpaged, select: asPage })
  return isUnpaged ? whole : paged
}

interface SizesStore {
  readonly sizes: Readonly<Record<string, PageSize>>
  readonly remember: (resourceId: string, size: PageSize) => void
}

/** How many rows a page of each list has, as last chosen; kept while the window lives. */
const useSizes = create<SizesStore>((set) => ({
  sizes: {},
  remember: (resourceId, size) => set(({ sizes }) => ({ sizes: { ...sizes, [resourceId]: size } })),
}))
