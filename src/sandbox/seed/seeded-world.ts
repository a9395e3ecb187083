import type { World } from '../state/world'
import { seededAip, seededIdentity } from './seeded-identity'
import { seededMemories } from './seeded-memory'
import { seededKeys, seededPlans } from './seeded-plans'
import { seededRegistry } from './seeded-registry'
import { seededRuntimes } from './seeded-runtimes'
import { bookedPlans, seededUsage } from './seeded-usage'

/**
 * The world a new sandbox begins with: enough to make every screen worth looking at. The same seed (64 hex digits) at the same moment gives the
 * same world; at another moment only its dates, and with them the rhythm of weekdays, differ.
 */
export function seededWorld(seed: string, nowMs: number): World {
  const plans = seededPlans(nowMs)
  const usage = seededUsage(seed, plans, nowMs)
  return {
    version: 2,
    seed,
    clockOffsetMs: 0,
    tokenGeneration: 0,
    account: { accountId: 'acc-sandbox-0001', role: 'ROOT', credits: 3_200_000 },
    plans: bookedPlans(plans, usage),
    keys: seededKeys(plans),
    usage,
    identity: seededIdentity(seed, nowMs),
    runtime: seededRuntimes(nowMs),
    memory: seededMemories(seed, nowMs),
    registry: seededRegistry(seed, nowMs),
    aip: seededAip(nowMs),
  }
}
