import type { Key, Plan, World } from '../../state/world'
import { notFound } from '../refusals'

/** The plan with an id, also one that was deleted: its usage is retained. Throws 404. */
export function planOnRecord(world: World, planId = ''): Plan {
  const found = world.plans.find((plan) => plan.planId === planId)
  if (found === undefined)
    throw notFound(`There is no token plan "${planId.slice(0, 100)}". List your plans for their ids.`)
  return found
}

/** The plan with an id, unless it was deleted. Throws 404. */
export function planWith(world: World, planId = ''): Plan {
  const found = planOnRecord(world, planId)
  if (found.deleted)
    throw notFound(`The token plan "${found.name}" (${planId}) was deleted. Its usage can still be read.`)
  return found
}

/** A key of a plan, unless it was deleted. Throws 404, also for a key of another plan. */
export function keyWith(world: World, { planId, name }: Plan, keyId = ''): Key {
  const found = world.keys.find((key) => key.keyId === keyId && key.planId === planId && !key.deleted)
  if (found === undefined) {
    throw notFound(`The token plan "${name}" has no key "${keyId.slice(0, 100)}". List its keys for their ids.`)
  }
  return found
}
