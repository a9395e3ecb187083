import type { PlanView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { builtInId } from './connections/connections'
import type { Plans } from './plans/plans'
import type { SandboxReady } from './sandbox/host'
import { Secret } from './secret'

type OfferedPlan = SandboxReady['plans'][number]

/** Makes sure that the sandbox's first plan is among this machine's plans, at its present address, with its key, and linked to it. */
export async function keepSandboxPlan(
  { plans }: { plans: Plans },
  ready: SandboxReady,
  knownId: string | undefined,
): Promise<string> {
  const [offered] = ready.plans
  const known = offered && knownPlan(plans.list(), offered, knownId)
  const key = offered && keyFor(known, offered)
  if (!offered || !key) throw new AppError('sandbox.failed', 'The sandbox has no plan.')
  const secret = new Secret(key.key)
  const account = { connectionId: builtInId, planId: offered.planId, keyId: key.keyId }
  const { gatewayUrl } = ready
  const models = offered.models.map(({ modelCode }) => modelCode)
  if (!known) {
    const contextTokens = Math.min(...offered.models.map((model) => model.contextTokens))
    const input = { name: plans.freeName(offered.name), gatewayUrl, models, contextTokens }
    return (await plans.add(input, secret, { source: 'sandbox', keyName: key.name, account })).id
  }
  const [held, ...others] = known.keys
  const isSameKey = held?.masked === secret.masked
  // Another key belongs to another plan or another world, whose models may be others; those that the person wrote down stay otherwise.
  if (!isSameKey) plans.update(known.id, { ...known, gatewayUrl, models })
  else if (known.gatewayUrl !== gatewayUrl) plans.update(known.id, { ...known, gatewayUrl })
  if (!held) await plans.keepKey(known.id, key, secret)
  else if (!isSameKey || held.kept === 'missing') await plans.replaceKey(known.id, held.id, secret)
  if (!isSameKey) for (const { id } of others) await plans.removeKey(known.id, id)
  plans.link(known.id, account)
  return known.id
}

function knownPlan(all: readonly PlanView[], { planId }: OfferedPlan, knownId: string | undefined) {
  const isLinked = ({ origin }: PlanView) => origin?.connectionId === builtInId && origin.planId === planId
  return all.find(({ id }) => id === knownId) ?? all.find(isLinked)
}

/** The key that tools here use stays the one they use, whichever is offered first. */
function keyFor(known: PlanView | undefined, { keys }: OfferedPlan) {
  const heldId = known?.keys[0]?.origin?.keyId
  return keys.find(({ keyId }) => keyId === heldId) ?? keys[0]
}
