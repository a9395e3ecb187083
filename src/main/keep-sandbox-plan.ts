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
  if (known.gatewayUrl !== fields.gatewayUrl) plans.update(known.id, { ...known, gatewayUrl: fields.gatewayUrl })
  if (held && (held.masked !== secret.masked || held.kept === 'missing'))
    await plans.replaceKey(known.id, held.id, secret)
  return known.id
}

function freeName(wanted: string, plans: Plans): string {
  const taken = new Set(plans.list().map(({ name }) => name))
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!taken.has(name)) return name
  }
}
