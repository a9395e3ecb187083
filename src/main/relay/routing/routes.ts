import { randomBytes } from 'node:crypto'
import type { RelayRoute } from '@shared/contract'
import { undefinedIfFailed } from '@shared/failure'
import type { Send } from '../../core/net/send'
import { Secret } from '../../core/secret'
import type { RelayChoice, RelayRouteRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import type { Vault } from '../../core/vault/vault'
import { readBody } from '../../gateway/server-message'

export interface OwnRelay {
  isOn(): boolean
  /** Resolves when the relay runs with the current settings. Fails with `relay.*`. */
  ready(): Promise<void>
}

interface RouteDeps {
  readonly settings: SettingsStore
  readonly vault: Vault
  /** Relay of this process. Undefined in a process without a relay. */
  readonly own: () => OwnRelay | undefined
  /** Whether a relay responds at a local port. */
  readonly answersAt: (port: number) => Promise<boolean>
}

export const relayRoot = (port: number, toolId: string): string => `http://127.0.0.1:${port}/t/${toolId}`

export type ToolRelayRoute = RelayRoute & { readonly toolId: string }

export type RelayPort = Pick<Routes, 'getRelayRoot' | 'getUpstream' | 'readToken' | 'isOn' | 'point' | 'unpoint'>

/** Routes of tools, from settings and vault. */
export class Routes {
  constructor(private readonly deps: RouteDeps) {}

  /** Relay address in a tool's settings, in place of the gateway: `http://127.0.0.1:PORT/t/<tool>`. */
  getRelayRoot(toolId: string): string {
    return relayRoot(this.#read().port, toolId)
  }

  /** The tool's upstream. Undefined if the tool does not use the relay. */
  getUpstream(toolId: string): RelayRouteRecord | undefined {
    return findUpstream(this.#read().ways, toolId)
  }

  /** Token with which the tool authenticates to the relay. Creates a missing one. Fails with `vault.*`. */
  async readToken(toolId: string): Promise<Secret> {
    const { vault } = this.deps
    const id = toolTokenId(toolId)
    const existingToken = await undefinedIfFailed('vault.keyMissing', vault.get(id))
    if (existingToken) return existingToken
    try {
      // The prefix distinguishes the token from subscription keys, and `redact` recognizes it.
      await vault.save(id, new Secret(`relay-${randomBytes(32).toString('base64url')}`))
    } catch (error) {
      // Read the token again. If another process stored one at the same time, that token is used.
      return vault.get(id).catch(() => {
        throw error
      })
    }
    return vault.get(id)
  }

  /** Whether any process on this computer runs the relay, paused or not. */
  async isOn(): Promise<boolean> {
    return this.deps.own()?.isOn() || this.deps.answersAt(this.#read().port)
  }

  /** Adds routes and starts the relay if possible. Resolves with an undo function. Fails with `relay.*`. */
  async point(ways: readonly ToolRelayRoute[]): Promise<() => void> {
    if (ways.length === 0) return () => undefined
    const previousRelay = this.#read()
    this.#write((current) => ({ wanted: true, ways: ways.reduce(setUpstream, current.ways) }))
    const isPointed = ({ toolId }: RelayRouteRecord): boolean => ways.some((way) => way.toolId === toolId)
    const undoRoutes = (): void =>
      this.#write((current) => ({
        wanted: previousRelay.wanted,
        ways: [...current.ways.filter((way) => !isPointed(way)), ...previousRelay.ways.filter(isPointed)],
      }))
    try {
      await this.deps.own()?.ready()
    } catch (error) {
      undoRoutes()
      throw error
    }
    return undoRoutes
  }

  /** Removes the routes of tools. */
  unpoint(toolIds: readonly string[]): void {
    // Skip empty updates, because each write locks the settings.
    if (toolIds.length === 0) return
    this.#write(({ ways }) => ({ ways: ways.filter(({ toolId }) => !toolIds.includes(toolId)) }))
  }

  /** Address and token of the MCP server for a tool. Creates a missing token. Fails with `vault.*`. */
  async mcpAccess(toolId: string): Promise<{ readonly url: string; readonly token: Secret }> {
    return { url: this.mcpUrl(toolId), token: await this.readToken(mcpTokenId(toolId)) }
  }

  mcpUrl(toolId: string): string {
    return `http://127.0.0.1:${this.#read().port}/mcp/${toolId}`
  }

  /** Enables or disables MCP access of a tool. Enabling switches the relay on. Fails with `relay.*`. */
  async setMcpAccess(toolId: string, isOn: boolean): Promise<void> {
    const { settings, vault, own } = this.deps
    const { overHttp } = settings.read().mcp
    if (overHttp.includes(toolId) === isOn) return
    const otherTools = overHttp.filter((id) => id !== toolId)
    settings.update(({ mcp }) => ({ mcp: { ...mcp, overHttp: isOn ? [...otherTools, toolId] : otherTools } }))
    if (!isOn) return vault.remove(toolTokenId(mcpTokenId(toolId)))
    this.#write(() => ({ wanted: true }))
    await own()?.ready()
  }

  /** Changes routes. If this process runs the relay, resolves when the relay uses the new routes. */
  async change(change: (ways: readonly RelayRouteRecord[]) => readonly RelayRouteRecord[]): Promise<void> {
    this.#write(({ ways }) => ({ ways: [...change(ways)] }))
    const ownRelay = this.deps.own()
    if (ownRelay?.isOn()) await ownRelay.ready()
  }

  #read(): RelayChoice {
    return this.deps.settings.read().relay
  }

  #write(change: (current: RelayChoice) => Partial<RelayChoice>): void {
    this.deps.settings.update(({ relay }) => ({ relay: { ...relay, ...change(relay) } }))
  }
}

export const toolTokenId = (toolId: string): string => `relay:${toolId}`

/** The token of the Prometheus page is stored under this id. Tokens of tools are stored under the tool's id. */
export const metricsTokenId = 'metrics'

export const mcpTokenId = (toolId: string): string => `mcp:${toolId}`

const healthTimeoutMs = 500

/** Whether a relay of any process responds at a local port. Never rejects. */
export async function isRelayAnswering(port: number, send: Send): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(healthTimeoutMs)
    const response = await send({ method: 'GET', url: `http://127.0.0.1:${port}/health`, headers: {}, signal })
    return response.status === 200 && (await readBody(response.body, 2)).text === 'ok'
  } catch {
    return false
  }
}

/** Plan and key of a tool's requests. The relay's route wins, because it can change without writing tool files. */
export function applyRoute<C extends RelayRoute & { readonly route: 'gateway' | 'relay' }>(
  choice: C,
  way: RelayRoute | undefined,
): C {
  if (choice.route === 'gateway' || way === undefined) return choice
  return { ...choice, planId: way.planId, keyId: way.keyId }
}

export const findUpstream = (ways: readonly RelayRouteRecord[], toolId: string): RelayRouteRecord | undefined =>
  ways.find((way) => way.toolId === toolId)

/** All upstreams of a tool in order: its route, then its failover upstreams. */
export const listUpstreams = ({ planId, keyId, failover }: RelayRouteRecord): readonly RelayRoute[] => [
  { planId, keyId },
  ...failover,
]

/** Sets a tool's upstream. Keeps its failover upstreams and overload option if `failover` is undefined. */
export function setUpstream(
  ways: readonly RelayRouteRecord[],
  choice: ToolRelayRoute & Partial<Pick<RelayRouteRecord, 'failover' | 'overload'>>,
): RelayRouteRecord[] {
  const { toolId, planId, keyId } = choice
  const currentRoute = findUpstream(ways, toolId)
  const { failover = [], overload } = (choice.failover === undefined ? currentRoute : choice) ?? {}
  const relayRoute = { toolId, planId, keyId, failover: [...failover], overload }
  return currentRoute ? ways.map((way) => (way === currentRoute ? relayRoute : way)) : [...ways, relayRoute]
}

export function setRouteKey(
  ways: readonly RelayRouteRecord[],
  isMatch: (way: RelayRoute) => boolean,
  keyId: string,
): RelayRouteRecord[] {
  const replaceKeyIfMatch = <W extends RelayRoute>(way: W): W => (isMatch(way) ? { ...way, keyId } : way)
  return ways.map((way) => ({ ...replaceKeyIfMatch(way), failover: way.failover.map(replaceKeyIfMatch) }))
}
