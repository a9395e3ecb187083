import type { PlanView, RelayView, Route, ToolChoice, ToolView } from '@shared/contract'
import { completeChoice, previewInput, routesOf } from '../tools/choice'
import { setupsOf, type ToolHere, toolHere } from '../tools/sites'

/** Every setup of a tool that goes through the relay, that in this user's home first. */
const pointedSetups = (tool: ToolView): readonly ToolHere[] =>
  setupsOf(tool)
    .filter(({ status, applied }) => status !== 'absent' && applied?.route === 'relay')
    .map(({ site }) => toolHere(tool, site))

/** The tools with a setup that calls the relay at a port that it does not listen on any more. */
export function atOldPort(tools: readonly ToolView[], { port }: Pick<RelayView, 'port'>): readonly ToolView[] {
  const isOld = ({ applied }: ToolHere): boolean =>
    applied !== undefined && !applied.requestAddress.startsWith(`http://127.0.0.1:${port}/`)
  return tools.filter((tool) => pointedSetups(tool).some(isOld))
}

/** Why a setup stays as it is: the tool has no other way, or the plan that it was set up with was removed. */
export interface Stuck {
  readonly tool: ToolHere
  readonly why: 'onlyRelay' | 'planGone'
}

/** What to ask for so that setups go another way with everything else as it is, and those of which that cannot be asked. */
export interface Pointing {
  readonly choices: readonly ToolChoice[]
  readonly stuck: readonly Stuck[]
}

/** The setups that go through the relay, as choices that lead the way `to`. `toolIds` narrows them. */
export function pointing(
  tools: readonly ToolView[],
  plans: readonly PlanView[],
  { to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] | undefined },
): Pointing {
  const wanted = tools.filter(({ id }) => toolIds === undefined || toolIds.includes(id)).flatMap(pointedSetups)
  const choices: ToolChoice[] = []
  const stuck: Stuck[] = []
  for (const tool of wanted) {
    if (!routesOf(tool).includes(to)) stuck.push({ tool, why: 'onlyRelay' })
    else if (!plans.some(({ id }) => id === tool.applied?.planId)) stuck.push({ tool, why: 'planGone' })
    else {
      const picked = { route: to }
      const choice = completeChoice({ tool, plans, currentPlan: undefined, picked })
      const input = previewInput(tool, choice, picked)
      if (input) choices.push(input)
    }
  }
  return { choices, stuck }
}
