import type { RelayWay } from '@shared/contract'
import type { RelayWayRecord } from '../../core/settings/records'

/** Part of a tool's setup that determines the plan and key of its requests. */
interface RouteSelection {
  readonly planId: string
  readonly keyId?: string | undefined
  readonly route: 'gateway' | 'relay'
}

/**
 * Plan and key that a tool's requests use. The relay's route takes precedence over the tool's files, because it can
 * change without writing them.
 */
export function applyRoute<C extends RouteSelection>(choice: C, way: RelayWay | undefined): C {
  if (choice.route === 'gateway' || way === undefined) return choice
  return { ...choice, planId: way.planId, keyId: way.keyId }
}

export const findUpstream = (ways: readonly RelayWayRecord[], toolId: string): RelayWayRecord | undefined =>
  ways.find((way) => way.toolId === toolId)

/** All upstreams of a tool in order: its route, then its failover upstreams. */
export const listUpstreams = ({ planId, keyId, failover }: RelayWayRecord): readonly RelayWay[] => [
  { planId, ...(keyId === undefined ? {} : { keyId }) },
  ...failover,
]

/** Sets a tool's upstream. Keeps its failover upstreams if `failover` is undefined. */
export function setUpstream(
  ways: readonly RelayWayRecord[],
  { toolId, planId, keyId, failover }: RelayWay & { readonly toolId: string; readonly failover?: readonly RelayWay[] },
): RelayWayRecord[] {
  const wayBefore = findUpstream(ways, toolId)
  const key = keyId === undefined ? {} : { keyId }
  const way = { toolId, planId, ...key, failover: [...(failover ?? wayBefore?.failover ?? [])] }
  return wayBefore ? ways.map((existingWay) => (existingWay === wayBefore ? way : existingWay)) : [...ways, way]
}

export function withKey(
  ways: readonly RelayWayRecord[],
  isMatch: (way: RelayWay) => boolean,
  keyId: string,
): RelayWayRecord[] {
  const moveWay = <W extends RelayWay>(way: W): W => (isMatch(way) ? { ...way, keyId } : way)
  return ways.map((way) => ({ ...moveWay(way), failover: way.failover.map(moveWay) }))
}
