import type { PlanView, RelayView, Route, ToolChoice, ToolView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatList, useFormats } from '../../format'
import { callKey, useAction, useCall } from '../../ipc'
import { listRoutes, listSetups, previewInput, resolveToolForm, type ToolHere, toolHere } from '../tools'

/** How the relay of this machine stands. */
export const useRelay = () => useCall('relay.get', {})

const afterwards = { invalidates: ['relay', 'tools'] } as const

/** Starts, stops and pauses the relay; how it stands then is on the screen at once. */
export function useRelayActions() {
  const queries = useQueryClient()
  const onSuccess = (view: RelayView): void => void queries.setQueryData(callKey('relay.get', {}), view)
  const starting = useAction('relay.start', { ...afterwards, onSuccess })
  const stopping = useAction('relay.stop', { ...afterwards, onSuccess })
  const pausing = useAction('relay.setPaused', { ...afterwards, onSuccess })
  return { starting, stopping, pausing, start: () => starting.mutate({}) }
}

export type RelayActions = ReturnType<typeof useRelayActions>

/** Names as a list in a sentence: `Claude Code, pi and Droid`. */
export function useNameList(): (names: readonly string[]) => string {
  const { locale } = useFormats()
  return useMemo(() => {
    return (names) => formatList(names, locale)
  }, [locale])
}

/** Every setup of a tool that goes through the relay, that in this user's home first. */
const pointedSetups = (tool: ToolView): readonly ToolHere[] =>
  listSetups(tool)
    .filter(({ status, applied }) => status !== 'absent' && applied?.route === 'relay')
    .map(({ site }) => toolHere(tool, site))

/** The tools with a setup that calls the relay at a port that it does not listen on any more. */
export function atOldPort(tools: readonly ToolView[], { port }: Pick<RelayView, 'port'>): readonly ToolView[] {
  const isOld = ({ applied }: ToolHere): boolean =>
    applied !== undefined && !applied.requestAddress.startsWith(`http://127.0.0.1:${port}/`)
  return tools.filter((tool) => pointedSetups(tool).some(isOld))
}

/** Why a setup stays as it is: the tool has no other way, or the plan that it was set up with was removed. */
interface BlockedTool {
  readonly tool: ToolHere
  readonly why: 'onlyRelay' | 'planGone'
}

/** What to ask for so that setups go another way with everything else as it is, and those of which that cannot be asked. */
export interface Reroute {
  readonly choices: readonly ToolChoice[]
  readonly blocked: readonly BlockedTool[]
}

/** The setups that go through the relay, as choices that lead the way `to`. `toolIds` narrows them. */
export function prepareReroute(
  tools: readonly ToolView[],
  plans: readonly PlanView[],
  { to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] | undefined },
): Reroute {
  const wanted = tools.filter(({ id }) => toolIds === undefined || toolIds.includes(id)).flatMap(pointedSetups)
  const choices: ToolChoice[] = []
  const blocked: BlockedTool[] = []
  for (const tool of wanted) {
    if (!listRoutes(tool).includes(to)) blocked.push({ tool, why: 'onlyRelay' })
    else if (!plans.some(({ id }) => id === tool.applied?.planId)) blocked.push({ tool, why: 'planGone' })
    else {
      const picked = { route: to }
      const choice = resolveToolForm({ tool, plans, currentPlan: undefined, picked })
      const input = previewInput(tool, choice, picked)
      if (input) choices.push(input)
    }
  }
  return { choices, blocked }
}
