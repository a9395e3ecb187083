import type { ToolPlan } from '../tools/change-set'
import { commit } from '../tools/commit'
import { allJournals } from '../tools/journal'
import type { Machine } from './config-scopes'
import { wayIn } from './previews'
import type { RequestDeps } from './setup-request'

interface CarryingOut extends Pick<RequestDeps, 'relay'> {
  readonly machine: Machine
  readonly launcher: { ensure(): void }
}

/**
 * Writes what was planned, together or not at all. The program that tools call for the key and the relay are ready before a
 * tool is pointed at them. Fails with `file.changed` or `relay.*`.
 */
export async function carryOutPlans(plans: readonly ToolPlan[], deps: CarryingOut): Promise<void> {
  const { relay, launcher, machine } = deps
  if (plans.some(({ past }) => past.next !== undefined)) launcher.ensure()
  const takeBack = await relay.point(plans.flatMap(({ past }) => wayIn(past.next) ?? []))
  try {
    await commit(plans, machine.place)
  } catch (error) {
    takeBack()
    throw error
  }
  leaveRelay(plans, deps)
}

/** Has the relay forget those of the tools that no longer are pointed at it anywhere. */
export function leaveRelay(
  tools: readonly { readonly toolId: string }[],
  { machine, relay }: Pick<CarryingOut, 'machine' | 'relay'>,
): void {
  const pointed = allJournals(machine.place.dataDir).filter(({ choice }) => choice.route === 'relay')
  const left = tools.map(({ toolId }) => toolId).filter((id) => !pointed.some(({ toolId }) => toolId === id))
  relay.unpoint(left)
}
