import type { Core } from '../core'
import type { PlatformClient } from '../platform/core'
import type { Operation } from '../platform/table'
import { chooseConnection } from './choose-connection'
import { choosePlan, planClient } from './plan-client'

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
