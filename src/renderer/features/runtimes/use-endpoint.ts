import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { identifierOf, nameOf } from '../resources/lookup'
import { endpointsOf } from './endpoints'
import type { OpenRuntime } from './open-runtime'
import { useEvery } from './use-every'

const { identifier, naming, list } = endpointsOf([])

/** The endpoints of a runtime by name, and the one that the address speaks of. */
export function useEndpoint({ connection, runtimeId }: OpenRuntime) {
  const [query, setQuery] = useSearchParams()
  const asked = useEvery(connection, list.operation, runtimeId)
  const { data } = asked
  const chosen = query.get('endpoint') ?? undefined
  const endpoints = useMemo(() => {
    const told = (data ?? []).flatMap((row) => {
      const id = identifierOf(row, identifier)
      return id === undefined ? [] : [{ id, name: nameOf(row, { naming, identifier }) }]
    })
    const isTold = chosen === undefined || told.some(({ id }) => id === chosen)
    return isTold ? told : [...told, { id: chosen, name: chosen }]
  }, [data, chosen])
  const choose = (id: string | undefined): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (id === undefined) next.delete('endpoint')
        else next.set('endpoint', id)
        return next
      },
      { replace: true },
    )
  return { asked, endpoints, chosen, choose }
}
