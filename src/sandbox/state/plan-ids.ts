import { createHmac } from 'node:crypto'
import type { World } from './world'

function idFor(kind: 'plan' | 'key', { seed }: World, n: number): string {
  return `${kind}-${createHmac('sha256', seed).update(`${kind}|${n}`).digest('hex').slice(0, 16)}`
}

/** The id of the next plan: it follows from the seed and from how many there were, since deleted ones stay on record. */
export const nextPlanId = (world: World): string => idFor('plan', world, world.plans.length)

/** The id of the next key, in the same way; the same world gives the same keys again after a reset. */
export const nextKeyId = (world: World): string => idFor('key', world, world.keys.length)
