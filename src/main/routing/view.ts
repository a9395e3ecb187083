import type { RelayTool, RelayView, RelayWay } from '@shared/contract'
import type { Failure } from '@shared/failure'
import type { Settings } from '../settings/settings'
import type { RelayStatus } from './relay-host'
import { relayRoot } from './routes'
import { wayFor } from './ways'

/** How the relay's process stands. */
interface Standing {
  readonly state: 'off' | 'starting' | 'on' | 'failed'
  readonly failure: Failure | undefined
  readonly startAtLogin: boolean | undefined
}

/** What a view is made of. */
export interface ViewGround extends Pick<Settings, 'plans' | 'relay'> {
  /** Every tool that could go through the relay. */
  readonly tools: readonly { readonly id: string; readonly name: string }[]
  /** Ids of those whose files point at it now. */
  readonly pointed: readonly string[]
  readonly status: RelayStatus
  /** Why a tool cannot be served as it was chosen. */
  readonly failures: ReadonlyMap<string, Failure>
}

/** The relay as it may be shown. */
export function relayView({ state, failure, startAtLogin }: Standing, ground: ViewGround): RelayView {
  const { port, wanted, keepInBackground, isPaused } = ground.relay
  return {
    state: state === 'on' && isPaused ? 'paused' : state,
    ...(failure ? { failure } : {}),
    port,
    wanted,
    ...(startAtLogin === undefined ? {} : { startAtLogin }),
    keepInBackground,
    open: ground.status.open,
    tools: ground.tools.map((tool) => toolView(tool, ground)),
  }
}

function toolView({ id, name }: ViewGround['tools'][number], ground: ViewGround): RelayTool {
  const { relay, pointed, status, failures, plans } = ground
  const way = wayFor(relay.ways, id)
  const traffic = status.tools.find(({ toolId }) => toolId === id)
  const lastFailure = failures.get(id) ?? traffic?.failure
  return {
    toolId: id,
    toolName: name,
    address: relayRoot(relay.port, id),
    isPointedHere: pointed.includes(id),
    ...(way ? { way: wayOf(way), ...namesOf(way, plans) } : {}),
    failover: (way?.failover ?? []).map((one) => ({ ...wayOf(one), ...namesOf(one, plans) })),
    requests: traffic?.requests ?? 0,
    ...(traffic ? { lastAt: traffic.lastAt } : {}),
    ...(lastFailure ? { lastFailure } : {}),
  }
}

const wayOf = ({ planId, keyId }: RelayWay): RelayWay => ({ planId, ...(keyId === undefined ? {} : { keyId }) })

/** Nothing is named that is no longer on this machine. */
function namesOf({ planId, keyId }: RelayWay, plans: Settings['plans']): { planName?: string; keyName?: string } {
  const plan = plans.find(({ id }) => id === planId)
  const key = keyId === undefined ? plan?.keys[0] : plan?.keys.find(({ id }) => id === keyId)
  return { ...(plan ? { planName: plan.name } : {}), ...(key ? { keyName: key.name } : {}) }
}
