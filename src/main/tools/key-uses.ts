import type { SettingsStore } from '../core/settings/settings'
import { listUpstreams } from '../relay/routing/upstream-choices'
import { readAllJournals } from './journal'

/** A tool that uses a key of a plan. Without a key id, it uses the plan's default key. */
interface KeyUse {
  readonly toolId: string
  readonly planId: string
  readonly keyId?: string | undefined
}

interface KeyUseSources {
  readonly dataDir: string
  readonly settings: Pick<SettingsStore, 'read'>
}

/** All keys that tools use, directly with the gateway or as an upstream of the relay, including fallbacks. */
export function readKeyUses({ dataDir, settings }: KeyUseSources): KeyUse[] {
  const { ways } = settings.read().relay
  const isRouted = (toolId: string): boolean => ways.some((relayRoute) => relayRoute.toolId === toolId)
  const writtenKeyUses = readAllJournals(dataDir)
    .filter(({ toolId, choice }) => choice.route === 'gateway' || !isRouted(toolId))
    .map(({ toolId, choice: { planId, keyId } }) => ({ toolId, planId, keyId }))
  return [
    ...writtenKeyUses,
    ...ways.flatMap((relayRoute) => listUpstreams(relayRoute).map((use) => ({ toolId: relayRoute.toolId, ...use }))),
  ]
}

export function findKeyUses(sources: KeyUseSources): (planId: string) => readonly KeyUse[] {
  const allKeyUses = readKeyUses(sources)
  return (planId) => allKeyUses.filter((use) => use.planId === planId)
}
