import type { RelayRoute } from '@shared/contract'
import type { RelayRouteRecord } from '../../core/settings/records'

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
  choice: RelayRoute & Partial<Pick<RelayRouteRecord, 'failover' | 'overload'>> & { readonly toolId: string },
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
