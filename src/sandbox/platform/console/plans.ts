import { z } from 'zod'
import { setAutoRenew } from '../../state/plans'
import { type Call, ok, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { conflict } from '../refusals'
import { planWith } from './lookups'
import { viewPlan } from './views'

const PlanUpdate = z.object({ autoRenew: z.boolean('must be true or false') })

/** All plans that were not deleted, the newest purchase first. */
export function listPlans(call: Call): Reply {
  const plans = call.store.world().plans.filter((plan) => !plan.deleted)
  const newestFirst = plans.toReversed().toSorted((a, b) => Date.parse(b.purchasedAt) - Date.parse(a.purchasedAt))
  return pageOf({ query: call.query, paging: listPaging }, newestFirst, (plan) => viewPlan(call, plan))
}

/** One plan. Throws 404. */
export function getPlan(call: Call): Reply {
  return ok(viewPlan(call, planWith(call.store.world(), call.params.planId)))
}

/** Switches auto-renew, at no charge and with no refund. Throws 404, and 409 after the expiry (ours: the spec allows it before). */
export async function updatePlan(call: Call): Promise<Reply> {
  const { autoRenew } = await call.body(PlanUpdate)
  const { store, params } = call
  const world = store.world()
  const { planId, name, status } = planWith(world, params.planId)
  if (status === 'EXPIRED') {
    const message = `The token plan "${name}" has expired; auto-renew can be switched before the expiry only. Buy it again.`
    throw conflict('PLAN_EXPIRED', message)
  }
  store.replace(setAutoRenew(world, planId, autoRenew))
  return getPlan(call)
}
