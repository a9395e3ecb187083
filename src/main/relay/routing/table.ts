import type { RelayRoute } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { listCaFiles } from '../../core/net/network'
import type { ResolveProxy } from '../../core/net/proxy'
import type { Secret } from '../../core/secret'
import type { RelayRouteRecord } from '../../core/settings/records'
import type { KeyRecord, PlanRecord, Settings } from '../../core/settings/settings'
import { metricsAccount, type Vault } from '../../core/vault/vault'
import { defaultKey } from '../../plans/plan-directory'
import type { Plans } from '../../plans/plans'
import { type BudgetSettings, relayBudgets } from '../budgets/budgets'
import { buildRelayMetrics, type MetricsSettings, metricsText } from '../metrics/metrics'
import type { RelayClient, RelayTable, RelayUpstream } from '../ports'
import { listUpstreams, mcpTokenId, metricsTokenId, type Routes } from './routes'

interface TableDeps {
  readonly plans: Pick<Plans, 'readSecret'>
  readonly routes: Pick<Routes, 'readToken'>
  readonly network: { readonly proxyFor: ResolveProxy }
  readonly vault: Pick<Vault, 'get'>
}

/** The relay's table, and failures of tools whose requests the relay rejects or can only partly serve. */
export interface BuiltTable {
  readonly table: RelayTable
  readonly failures: ReadonlyMap<string, Failure>
}

export type TableSettings = Pick<Settings, 'plans' | 'connections' | 'relay' | 'register' | 'rotations' | 'mcp'> &
  BudgetSettings &
  MetricsSettings

/** Builds tables from settings and vault. Rereads a key only when its record has changed. */
export class TableBuilder {
  readonly #keys = new Map<string, Secret>()

  constructor(private readonly deps: TableDeps) {}

  /** Builds the routing table. Never rejects: `failures` has the tools with an unreadable key or token. */
  async build(ground: TableSettings): Promise<BuiltTable> {
    const { ways, isPaused, allowsUncounted } = ground.relay
    const failures = new Map<string, Failure>()
    const clients: RelayClient[] = []
    for (const relayRoute of ways) {
      const client = await this.#buildClient(relayRoute, { ground, failures }).catch((error: unknown) => {
        failures.set(relayRoute.toolId, toFailure(error))
        return undefined
      })
      if (client) clients.push(client)
    }
    const { routes, network, vault } = this.deps
    const metrics = await buildRelayMetrics(ground, {
      token: () => routes.readToken(metricsTokenId),
      header: () => vault.get(metricsAccount),
      proxyFor: network.proxyFor,
    })
    const mcp: NonNullable<RelayTable['mcp']>[number][] = []
    for (const toolId of ground.mcp.overHttp) {
      const token = await routes.readToken(mcpTokenId(toolId)).catch(() => undefined)
      if (token) mcp.push({ toolId, token })
    }
    return { table: { clients, isPaused, allowsUncounted, budgets: relayBudgets(ground), metrics, mcp }, failures }
  }

  /** Clears the key cache. */
  forget(): void {
    this.#keys.clear()
  }

  async #buildClient(
    way: RelayRouteRecord,
    { ground, failures }: { readonly ground: TableSettings; readonly failures: Map<string, Failure> },
  ): Promise<RelayClient> {
    const { toolId } = way
    const token = await this.deps.routes.readToken(toolId)
    const upstreams: RelayUpstream[] = []
    for (const upstreamUse of listUpstreams(way)) {
      try {
        upstreams.push(await this.#buildUpstream(upstreamUse, ground))
      } catch (error) {
        if (!failures.has(toolId)) failures.set(toolId, toFailure(error))
      }
    }
    const reason = upstreams.length === 0 ? failures.get(toolId) : undefined
    return { toolId, token, upstreams, overload: way.overload, reason }
  }

  async #buildUpstream({ planId, keyId }: RelayRoute, ground: TableSettings): Promise<RelayUpstream> {
    const plan = ground.plans.find(({ id }) => id === planId)
    if (!plan)
      throw new AppError('plan.notFound', 'The plan that the relay used was removed. Choose another one for it.')
    const key = findKey(plan, keyId, ground)
    if (!key) {
      const message = `The plan ${plan.name} no longer has the key that the relay used. Choose another one for it.`
      throw new AppError('key.notFound', message)
    }
    const { gatewayUrl, models } = plan
    const network = await this.deps.network.proxyFor(gatewayUrl)
    const caFiles = listCaFiles(ground)
    return { planId, keyId: key.id, gatewayUrl, models, network, caFiles, key: await this.#readKey(plan, key) }
  }

  /** Reads a key and caches it, because some keychains prompt on each read. */
  async #readKey(plan: PlanRecord, { id, masked, addedAt, kept }: KeyRecord): Promise<Secret> {
    const name = JSON.stringify([id, masked, addedAt, kept])
    const knownSecret = this.#keys.get(name)
    if (knownSecret) return knownSecret
    const secret = await this.deps.plans.readSecret(plan, id)
    this.#keys.set(name, secret)
    return secret
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  return { code: 'internal.unexpected', message: 'The key could not be read. The log has the details.' }
}

/** Finds the key of a route. Without a key id, returns the plan's default key. */
export const findKey = (plan: PlanRecord, keyId: string | undefined, ground: TableSettings): KeyRecord | undefined =>
  keyId === undefined ? defaultKey(plan, ground) : plan.keys.find(({ id }) => id === keyId)

/** Settings as text for comparison. Equal texts result in the same routing table. */
export function toSettingsFingerprint(ground: TableSettings): string {
  const { ways, isPaused, allowsUncounted } = ground.relay
  const usedPlanIds = new Set(ways.flatMap((way) => listUpstreams(way).map(({ planId }) => planId)))
  const planSettings = ground.plans
    .filter(({ id }) => usedPlanIds.has(id))
    .map((plan) => {
      const keys = plan.keys.map((key) => [key.id, key.masked, key.addedAt, key.kept])
      return [plan.id, plan.gatewayUrl, plan.models, keys, defaultKey(plan, ground)?.id]
    })
  const otherSettings = [metricsText(ground), ground.mcp.overHttp, listCaFiles(ground)]
  return JSON.stringify([planSettings, ways, isPaused, allowsUncounted, relayBudgets(ground), ...otherSettings])
}
