import type { RelayWay } from '@shared/contract'
import type { RelayWayRecord } from '../settings/records'
import type { SettingsStore } from '../settings/settings'
import { allJournals } from '../tools/journal'

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

/** A tool that uses a key; without a key's id the plan's default one. */
interface KeyUse {
  readonly toolId: string
  readonly planId: string
  readonly keyId?: string | undefined
}

interface KeyUseSources {
  readonly dataDir: string
  readonly settings: Pick<SettingsStore, 'read'>
}

/** Every use of a key by a tool of this machine: what was written for the gateway, and all that the relay may use for one. */
export function keyUses({ dataDir, settings }: KeyUseSources): KeyUse[] {
  const { ways } = settings.read().relay
  const isRouted = (toolId: string): boolean => ways.some((way) => way.toolId === toolId)
  const written = allJournals(dataDir)
    .filter(({ toolId, choice }) => choice.route === 'gateway' || !isRouted(toolId))
    .map(({ toolId, choice: { planId, keyId } }) => ({ toolId, planId, keyId }))
  return [...written, ...ways.flatMap((way) => uses(way).map((use) => ({ toolId: way.toolId, ...use })))]
}

/** Looks once which tools use which key; the function that it returns tells the uses of one plan. */
export function findKeyUses(ground: KeyUseSources): (planId: string) => readonly KeyUse[] {
  const all = keyUses(ground)
  return (planId) => all.filter((use) => use.planId === planId)
}
