import { AppError } from '@shared/failure'
import type { Core } from '../core'
import { proxyFromEnvironment } from '../net/environment-proxy'
import { createSender } from '../net/undici-send'
import { createPlatformClient, type PlatformClient } from '../platform/core'
import { sleepFor } from '../platform/deadline'
import type { Operation } from '../platform/table'
import { keySource } from '../platform/tokens/held-token'
import { chooseConnection } from './choose-connection'

/** Over what a call goes, as the person chose it. */
export interface Chosen {
  /** Name or id of a connection; the active one when absent. */
  readonly connection?: string
  /** Name or id of the plan whose key opens the gateway. */
  readonly plan?: string
}

/** A way to what is called; without a connection it is a plan's own gateway. */
export interface Target {
  readonly client: PlatformClient
  readonly connectionId: string | undefined
}

/** Finds the way for each call of a run. */
export interface Targets {
  /** Fails with `connection.notFound`, or with `input.invalid` when it is not clear which plan's key opens the gateway. */
  of(operation: Pick<Operation, 'credential'>): Promise<Target>
}

/** The ways of one run. Fails with `connection.notFound` or `plan.notFound` when what was named is not there. */
export function createTargets(core: Core, { connection, plan }: Chosen): Targets {
  const named = connection === undefined ? undefined : core.connections.find(connection)
  if (plan !== undefined) core.plans.find(plan)
  let gateway: Promise<Target> | undefined
  const openGateway = async (): Promise<Target> => {
    const over = named ?? (plan === undefined ? chooseConnection(core, undefined) : core.connections.active())
    const planId = choosePlan(core, plan, over?.addresses.tokenPlanUrl)
    const isThere = core.plans.find(planId).gatewayUrl === over?.addresses.tokenPlanUrl
    const client = await planClient(core, { planId, caFile: isThere ? over?.caFile : undefined })
    return { client, connectionId: over?.id }
  }
  return {
    async of({ credential }) {
      if (credential === 'gateway') {
        gateway ??= openGateway()
        return gateway
      }
      const { id } = chooseConnection(core, connection)
      return { client: await core.connections.client(id), connectionId: id }
    },
  }
}

/** A plan whose key opens a gateway, and the certificates that its connection trusts. */
interface PlanGateway {
  readonly planId: string
  readonly caFile: string | undefined
}

/** A client for the gateway of a plan, with the plan's key; the key goes to no other address. Fails with `vault.*`. */
async function planClient({ plans }: Pick<Core, 'plans'>, gateway: PlanGateway): Promise<PlatformClient> {
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
function choosePlan({ plans }: Pick<Core, 'plans'>, named: string | undefined, gatewayUrl: string | undefined): string {
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
