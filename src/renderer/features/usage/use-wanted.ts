import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { readWanted, type Wanted, writeWanted } from './wanted'

/** What is wanted stands in the address, so that a link leads to it and going back undoes a choice. */
export function useWanted(): { readonly wanted: Wanted; readonly change: (part: Partial<Wanted>) => void } {
  const [query] = useSearchParams()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const wanted = useMemo(() => readWanted(query), [query])
  const change = useCallback(
    (part: Partial<Wanted>): void => void navigate(`${pathname}${writeWanted({ ...wanted, ...part })}`),
    [navigate, pathname, wanted],
  )
  return { wanted, change }
}
