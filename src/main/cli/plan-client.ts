import { AppError } from '@shared/failure'
import type { Core } from '../core'
import { proxyFromEnvironment } from '../net/environment-proxy'
import { createSender } from '../net/undici-send'
import { createPlatformClient, type PlatformClient } from '../platform/core'
import { sleepFor } from '../platform/deadline'
import { keySource } from '../platform/tokens/held-token'

/** A plan whose key opens a gateway, and the certificates that its connection trusts. */
export interface PlanGateway {
  readonly planId: string
  readonly caFile: string | undefined
}

/** A client for the gateway of a plan, with the plan's key; the key goes to no other address. Fails with `vault.*`. */
export async function planClient({ plans }: Pick<Core, 'plans'>, gateway: PlanGateway): Promise<PlatformClient> {
  const plan = plans.find(gateway.planId)
  const key = await plans.secretOf(plan)
  const caFiles = gateway.caFile === undefined ? [] : [gateway.caFile]
  const { send } = createSender({ proxyFor: proxyFromEnvironment(process.env), caFiles })
  return createPlatformClient({
    addresses: { tokenPlanUrl: plan.gatewayUrl },
    tokens: { gateway: keySource(async () => key) },
    send,
    clock: () => new Date(),
    sleep: sleepFor,
    random: Math.random,
    log: { info: () => undefined, error: () => undefined },
  })
}

/** The plan whose key a gateway call takes: the named one, else the only one at the connection's gateway. Fails with `plan.notFound` or `input.invalid`. */
export function choosePlan(
  { plans }: Pick<Core, 'plans'>,
  named: string | undefined,
  gatewayUrl: string | undefined,
): string {
  if (named !== undefined) return plans.find(named).id
  const there = plans.list().filter((plan) => plan.gatewayUrl === gatewayUrl)
  const [only] = there
  if (only !== undefined && there.length === 1) return only.id
  const found = there.length === 0 ? 'none is known for the gateway of this connection' : namesOf(there)
  const message = `A call to the gateway takes the key of a plan: name one with --plan. "companion plan list" shows those there are; ${found}.`
  throw new AppError('input.invalid', message, { field: 'plan' })
}

const namesOf = (plans: readonly { readonly name: string }[]): string =>
  `at this gateway are ${plans.map(({ name }) => name).join(', ')}`
