import type { SettingsStore } from '../settings/settings'
import { allJournals } from '../tools/journal'
import { uses } from './ways'

/** A tool that uses a key; without a key's id the plan's first one. */
export interface KeyUse {
  readonly toolId: string
  readonly planId: string
  readonly keyId?: string | undefined
}

interface UseGround {
  readonly dataDir: string
  readonly settings: Pick<SettingsStore, 'read'>
}

/** Every use of a key by a tool of this machine: what was written for the gateway, and all that the relay may use for one. */
export function keyUses({ dataDir, settings }: UseGround): KeyUse[] {
  const { ways } = settings.read().relay
  const isRouted = (toolId: string): boolean => ways.some((way) => way.toolId === toolId)
  const written = allJournals(dataDir)
    .filter(({ toolId, choice }) => choice.route === 'gateway' || !isRouted(toolId))
    .map(({ toolId, choice: { planId, keyId } }) => ({ toolId, planId, keyId }))
  return [...written, ...ways.flatMap((way) => uses(way).map((use) => ({ toolId: way.toolId, ...use })))]
}

/** Ids of the tools that use a plan, each once. */
export function toolsUsingPlan(ground: UseGround, planId: string): readonly string[] {
  const used = keyUses(ground).filter((use) => use.planId === planId)
  return [...new Set(used.map(({ toolId }) => toolId))]
}
