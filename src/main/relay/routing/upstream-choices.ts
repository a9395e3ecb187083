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
  { planId, ...(keyId === undefined ? {} : { keyId }) },
  ...failover,
]

/** Sets a tool's upstream. Keeps its failover upstreams and overload option if `failover` is undefined. */
export function setUpstream(
  ways: readonly RelayRouteRecord[],
  {
    toolId,
    planId,
    keyId,
    failover,
    overload,
  }: RelayRoute & Partial<Pick<RelayRouteRecord, 'failover' | 'overload'>> & { readonly toolId: string },
): RelayRouteRecord[] {
  const currentRoute = findUpstream(ways, toolId)
  const kept = failover === undefined ? currentRoute : { failover, overload }
  const relayRoute = {
    toolId,
    planId,
    ...(keyId === undefined ? {} : { keyId }),
    failover: [...(kept?.failover ?? [])],
    ...(kept?.overload === undefined ? {} : { overload: kept.overload }),
  }
  return currentRoute
    ? ways.map((existingWay) => (existingWay === currentRoute ? relayRoute : existingWay))
    : [...ways, relayRoute]
}

export function setRouteKey(
  ways: readonly RelayRouteRecord[],
  isMatch: (way: RelayRoute) => boolean,
  keyId: string,
): RelayRouteRecord[] {
  const replaceKeyIfMatch = <W extends RelayRoute>(way: W): W => (isMatch(way) ? { ...way, keyId } : way)
  return ways.map((way) => ({ ...replaceKeyIfMatch(way), failover: way.failover.map(replaceKeyIfMatch) }))
}
