import type { ResourceSet } from '@shared/contract'
import { foundIn } from '../find-rows'

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
