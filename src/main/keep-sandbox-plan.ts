import { AppError } from '@shared/failure'
import type { Plans } from './features/plans'
import type { SandboxReady } from './sandbox/host'
import { Secret } from './secret'

/** Makes sure that the sandbox's first plan is among this machine's plans, at its present address and with its key. */
export async function keepSandboxPlan(
  { plans }: { plans: Plans },
  ready: SandboxReady,
  knownId: string | undefined,
): Promise<string> {
  const [offered] = ready.plans
  const [key] = offered?.keys ?? []
  if (!offered || !key) throw new AppError('sandbox.failed', 'The sandbox has no plan.')
  const secret = new Secret(key.key)
  const fields = {
    gatewayUrl: ready.gatewayUrl,
    models: offered.models.map(({ modelCode }) => modelCode),
    contextTokens: Math.min(...offered.models.map(({ contextTokens }) => contextTokens)),
  }
  const known = plans.list().find(({ id }) => id === knownId)
  if (!known) {
    const name = freeName(offered.name, plans)
    const added = await plans.add({ ...fields, name }, secret, { source: 'sandbox', keyName: key.name })
    return added.id
  }
  const [held] = known.keys
  const { gatewayUrl, models } = fields
  const isSameKey = held?.masked === secret.masked
  // Another key belongs to another plan or another world, whose models may be others; those that the person wrote down stay otherwise.
  if (!isSameKey) plans.update(known.id, { ...known, gatewayUrl, models })
  else if (known.gatewayUrl !== gatewayUrl) plans.update(known.id, { ...known, gatewayUrl })
  if (held && (!isSameKey || held.kept === 'missing')) await plans.replaceKey(known.id, held.id, secret)
  return known.id
}

function freeName(wanted: string, plans: Plans): string {
  const taken = new Set(plans.list().map(({ name }) => name))
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!taken.has(name)) return name
  }
}
