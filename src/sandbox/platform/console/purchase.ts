import { z } from 'zod'
import type { Package } from '../../catalogue/packages'
import { buyPlan } from '../../state/plan-purchase'
import { type Call, created, type Reply } from '../operation'
import { conflict, invalidName, roleNotAllowed } from '../refusals'
import { planWith } from './lookups'
import { packageWith } from './packages'
import { viewPlan } from './views'

const buyers: readonly string[] = ['ROOT', 'ADMIN']
const planName = /^[a-zA-Z0-9_.-]{1,50}$/

const Again = z.object({
  name: z.string('must be a text: the name of the plan'),
  autoRenew: z.boolean('must be true or false').default(true),
})
const Purchase = Again.extend({ packageId: z.string('must be a text: the id of a package') })

/** Spec, "Roles": only Root and Admin may buy; nothing else asks for a role. Throws 403. */
function refuseRole({ store }: Call): void {
  const { role } = store.world().account
  if (buyers.includes(role)) return
  throw roleNotAllowed(
    `Only ROOT and ADMIN may buy a plan, and this account is ${role}. Ask a Root or an Admin for a key.`,
  )
}

/** Throws 400 (spec, "Limits": plan name). Names need not be unique. */
function refuseName(name: string): void {
  if (planName.test(name)) return
  throw invalidName('name: a plan name has 1 to 50 of the characters a-z A-Z 0-9 _ - . and no others.')
}

function checkOut(call: Call, offer: Package, { name, autoRenew }: z.infer<typeof Again>): Reply {
  const { store } = call
  const times = { nowMs: store.nowMs(), provisioningMs: call.timing().provisioningMs }
  const bought = buyPlan(store.world(), { name, offer, autoRenew, ...times })
  if (bought === undefined) {
    const { credits } = store.world().account
    const message = `The plan costs ${offer.price} credits and the account has ${credits} (1 credit = 1 VND). Add credits first.`
    throw conflict('INSUFFICIENT_CREDITS', message)
  }
  store.replace(bought.world)
  return created(viewPlan(call, bought.plan))
}

/** Buys a plan with credits. Throws 403, 400, 404 (package), 409, in this order; a refusal changes nothing. */
export async function buy(call: Call): Promise<Reply> {
  refuseRole(call)
  const { packageId, ...wish } = await call.body(Purchase)
  refuseName(wish.name)
  return checkOut(call, packageWith(packageId), wish)
}

/** Buys a separate new plan of the same type, also of an expired one. Throws 403, 400, 404 (plan), 409, in this order. */
export async function buyAgain(call: Call): Promise<Reply> {
  refuseRole(call)
  const wish = await call.body(Again)
  refuseName(wish.name)
  const { packageId } = planWith(call.store.world(), call.params.planId)
  return checkOut(call, packageWith(packageId), wish)
}
