import type { RelayWay } from '@shared/contract'
import type { RelayWayRecord } from '../settings/records'

/** How a tool was set up, as far as its requests' plan and key follow from it. */
interface Chosen {
  readonly planId: string
  readonly keyId?: string | undefined
  readonly route: 'gateway' | 'relay'
}

/** What a tool's requests go out with: the relay's way for it counts, for it changes without any file. */
export function chosenBy<C extends Chosen>(choice: C, way: RelayWay | undefined): C {
  if (choice.route === 'gateway' || way === undefined) return choice
  return { ...choice, planId: way.planId, keyId: way.keyId }
}

/** The way of a tool. */
export const findUpstream = (ways: readonly RelayWayRecord[], toolId: string): RelayWayRecord | undefined =>
  ways.find((way) => way.toolId === toolId)

/** Everything that the relay may use for a tool: its way, then those in its place. */
export const uses = ({ planId, keyId, failover }: RelayWayRecord): readonly RelayWay[] => [
  { planId, ...(keyId === undefined ? {} : { keyId }) },
  ...failover,
]

/** The ways with one set; what is tried in its place stays as it was unless it is given. */
export function setUpstream(
  ways: readonly RelayWayRecord[],
  { toolId, planId, keyId, failover }: RelayWay & { readonly toolId: string; readonly failover?: readonly RelayWay[] },
): RelayWayRecord[] {
  const before = findUpstream(ways, toolId)
  const key = keyId === undefined ? {} : { keyId }
  const way = { toolId, planId, ...key, failover: [...(failover ?? before?.failover ?? [])] }
  return before ? ways.map((one) => (one === before ? way : one)) : [...ways, way]
}

/** The ways with another key wherever `isIt` says so. */
export function withKey(
  ways: readonly RelayWayRecord[],
  isIt: (way: RelayWay) => boolean,
  keyId: string,
): RelayWayRecord[] {
  const moved = <W extends RelayWay>(way: W): W => (isIt(way) ? { ...way, keyId } : way)
  return ways.map((way) => ({ ...moved(way), failover: way.failover.map(moved) }))
}
