import type { RelayWay } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import type { ProxyFor } from '../net/proxy'
import type { RelayClient, RelayTable, RelayUpstream } from '../relay/ports'
import type { Secret } from '../secret'
import type { RelayWayRecord } from '../settings/records'
import type { KeyRecord, PlanRecord, Settings } from '../settings/settings'
import { uses } from './upstream-choices'

export interface TableDeps {
  /** Fails with `vault.*`. */
  readonly secretOf: (plan: PlanRecord, keyId: string) => Promise<Secret>
  readonly tokenOf: (toolId: string) => Promise<Secret>
  readonly proxyFor: ProxyFor
}

/** The relay's table, and why a tool has nothing to be served with, or less than was chosen. */
export interface BuiltTable {
  readonly table: RelayTable
  readonly failures: ReadonlyMap<string, Failure>
}

/** What of the settings a table is made of. */
export type TableGround = Pick<Settings, 'plans' | 'relay'>

/** Makes tables of settings and vault. A key is read again only when the settings say that it is another one. */
export class TableBuilder {
  readonly #deps: TableDeps
  readonly #keys = new Map<string, Secret>()

  constructor(deps: TableDeps) {
    this.#deps = deps
  }

  /** Never rejects: a tool whose key or token cannot be read is in `failures`. */
  async build({ plans, relay: { ways, isPaused } }: TableGround): Promise<BuiltTable> {
    const failures = new Map<string, Failure>()
    const clients: RelayClient[] = []
    for (const way of ways) {
      const client = await this.#clientOf(way, { plans, failures }).catch((error: unknown) => {
        failures.set(way.toolId, failureOf(error))
        return undefined
      })
      if (client) clients.push(client)
    }
    return { table: { clients, isPaused }, failures }
  }

  /** Forgets the keys it has read: the keychain may hold others. */
  forget(): void {
    this.#keys.clear()
  }

  async #clientOf(way: RelayWayRecord, { plans, failures }: Noting): Promise<RelayClient> {
    const { toolId } = way
    const token = await this.#deps.tokenOf(toolId)
    const upstreams: RelayUpstream[] = []
    for (const use of uses(way)) {
      try {
        upstreams.push(await this.#upstreamOf(use, plans))
      } catch (error) {
        if (!failures.has(toolId)) failures.set(toolId, failureOf(error))
      }
    }
    const reason = upstreams.length === 0 ? failures.get(toolId) : undefined
    return { toolId, token, upstreams, ...(reason ? { reason } : {}) }
  }

  async #upstreamOf({ planId, keyId }: RelayWay, plans: readonly PlanRecord[]): Promise<RelayUpstream> {
    const plan = plans.find(({ id }) => id === planId)
    if (!plan)
      throw new AppError('plan.notFound', 'The plan that the relay used was removed. Choose another one for it.')
    const key = keyId === undefined ? plan.keys[0] : plan.keys.find(({ id }) => id === keyId)
    if (!key) {
      const message = `The plan ${plan.name} no longer has the key that the relay used. Choose another one for it.`
      throw new AppError('key.notFound', message)
    }
    const { gatewayUrl, models } = plan
    const network = await this.#deps.proxyFor(gatewayUrl)
    return { planId, keyId: key.id, gatewayUrl, models, network, key: await this.#keyOf(plan, key) }
  }

  /** The keychain asks some people each time it is read. */
  async #keyOf(plan: PlanRecord, { id, masked, addedAt, kept }: KeyRecord): Promise<Secret> {
    const name = JSON.stringify([id, masked, addedAt, kept])
    const known = this.#keys.get(name)
    if (known) return known
    const read = await this.#deps.secretOf(plan, id)
    this.#keys.set(name, read)
    return read
  }
}

interface Noting {
  readonly plans: readonly PlanRecord[]
  readonly failures: Map<string, Failure>
}

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  return { code: 'internal.unexpected', message: 'The key could not be read; the log says more.' }
}

/** Says the same for two settings from which the same table comes. */
export function groundText({ plans, relay: { ways, isPaused } }: TableGround): string {
  const used = new Set(ways.flatMap((way) => uses(way).map(({ planId }) => planId)))
  const grounds = plans
    .filter(({ id }) => used.has(id))
    .map(({ id, gatewayUrl, models, keys }) => ({
      id,
      gatewayUrl,
      models,
      keys: keys.map((key) => [key.id, key.masked, key.addedAt, key.kept]),
    }))
  return JSON.stringify({ grounds, ways, isPaused })
}
