import type { RelayWay } from '@shared/contract'
import type { RelayWayRecord } from '../../core/settings/records'

/** Part of a tool's setup that decides plan and key of its requests. */
interface Chosen {
  readonly planId: string
  readonly keyId?: string | undefined
  readonly route: 'gateway' | 'relay'
}

/** Effective plan and key of a tool. The relay's route wins, because it changes without a file write. */
export function chosenBy<C extends Chosen>(choice: C, way: RelayWay | undefined): C {
  if (choice.route === 'gateway' || way === undefined) return choice
  return { ...choice, planId: way.planId, keyId: way.keyId }
}

export const findUpstream = (ways: readonly RelayWayRecord[], toolId: string): RelayWayRecord | undefined =>
  ways.find((way) => way.toolId === toolId)

/** All upstreams of a tool: its route, followed by the fallbacks. */
export const uses = ({ planId, keyId, failover }: RelayWayRecord): readonly RelayWay[] => [
  { planId, ...(keyId === undefined ? {} : { keyId }) },
  ...failover,
]

/** Sets a tool's upstream. Failover upstreams stay unless given. */
export function setUpstream(
  ways: readonly RelayWayRecord[],
  { toolId, planId, keyId, failover }: RelayWay & { readonly toolId: string; readonly failover?: readonly RelayWay[] },
): RelayWayRecord[] {
  const before = findUpstream(ways, toolId)
  const key = keyId === undefined ? {} : { keyId }
  const way = { toolId, planId, ...key, failover: [...(failover ?? before?.failover ?? [])] }
  return before ? ways.map((one) => (one === before ? way : one)) : [...ways, way]
}

export function withKey(
  ways: readonly RelayWayRecord[],
  isIt: (way: RelayWay) => boolean,
  keyId: string,
): RelayWayRecord[] {
  const moved = <W extends RelayWay>(way: W): W => (isIt(way) ? { ...way, keyId } : way)
  return ways.map((way) => ({ ...moved(way), failover: way.failover.map(moved) }))
}
