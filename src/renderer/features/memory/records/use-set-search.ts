import type { ResourceSet } from '@shared/contract'
import { useEffect, useState } from 'react'
import { CallError, call } from '../../../ipc'
import { foundIn } from '../find-rows'
import type { OpenSet } from './record-loader'

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

const step = 500

interface Scan {
  readonly total: number
  readonly find: string
  readonly slice: (from: number, count: number) => Promise<ResourceSet['rows']>
  /** Told after each step what was found so far, and how many rows were looked through. */
  readonly tell: (places: readonly number[], looked: number) => void
  readonly isStopped: () => boolean
}

/** Looks through a list that main holds, slice by slice; only the places of what is found are kept. */
export async function scanSet({ total, find, slice, tell, isStopped }: Scan): Promise<void> {
  const places: number[] = []
  for (let from = 0; from < total && !isStopped(); from += step) {
    const rows = await slice(from, step)
    if (isStopped()) return
    places.push(
      ...foundIn(
        rows.map((row, at) => [from + at, row] as const),
        find,
      ),
    )
    tell([...places], Math.min(total, from + step))
  }
}
