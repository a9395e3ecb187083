import { useMemo } from 'react'
import { useCall } from '../../../ipc'
import { rowsOf } from '../../resources/lookup'
import type { OpenMemory } from '../open-memory'
import { useSeen } from '../seen-store'
import { type FoundRecord, foundRecords } from './found'
import { isFieldName, type SearchWish, searchCall } from './wish'

/** What a search found, asked for as soon as there is a text. */
export function useSearch(open: OpenMemory, namespace: string, wish: SearchWish) {
  const field = useSeen(({ queryField }) => queryField)
  const asked = searchCall(open, namespace, { wish, field })
  const query = useCall('resources.call', asked, {
    enabled: wish.text !== '' && isFieldName(field),
    refetchOnWindowFocus: false,
  })
  const { data } = query
  const found = useMemo(
    (): readonly FoundRecord[] | undefined => (data ? foundRecords(rowsOf(data.data)) : undefined),
    [data],
  )
  return { wish, asked, query, found }
}
export type Search = ReturnType<typeof useSearch>
