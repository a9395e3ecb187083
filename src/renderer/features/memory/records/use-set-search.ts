import { useEffect, useState } from 'react'
import { CallError, call } from '../../../ipc'
import type { OpenSet } from './record-loader'
import { scanSet } from './scan-set'

/** What was found in a list so far. */
export interface SetSearch {
  readonly places: readonly number[]
  readonly looked: number
}

/** How long one stops typing before the list is looked through, in ms. */
const restMs = 250

/** Looks through all records that are loaded; nothing while nothing is looked for. */
export function useSetSearch(set: OpenSet | undefined, find: string): SetSearch | undefined {
  const [found, setFound] = useState<SetSearch>()
  const wanted = find.trim()
  const setId = set?.setId
  const total = set?.total ?? 0
  useEffect(() => {
    setFound(undefined)
    if (wanted === '' || setId === undefined) return
    let isStopped = false
    const begin = (): void => {
      scanSet({
        total,
        find: wanted,
        slice: async (from, count) => (await call('resources.slice', { setId, from, count })).rows,
        tell: (places, looked) => setFound({ places, looked }),
        isStopped: () => isStopped,
      }).catch((error: unknown) => {
        // The list is no longer held: its table says so and offers to load it again.
        if (!(error instanceof CallError)) throw error
      })
    }
    const timer = setTimeout(begin, restMs)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [setId, total, wanted])
  return wanted === '' ? undefined : (found ?? { places: [], looked: 0 })
}
