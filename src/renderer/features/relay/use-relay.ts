import type { PlanView, RelayRoute, RelayView, Route, ToolChoice, ToolView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { callKey, useAction, useCall } from '../../ipc'
import type { Tone } from '../../ui/badge'
import { listRoutes, listSetups, previewInput, resolveToolForm, type SiteTool, toSiteTool } from '../tools'

/** Text that identifies an upstream. */
export const relayRouteKey = ({ planId, keyId = '' }: RelayRoute): string => `${planId} ${keyId}`

export const useRelay = () => useCall('relay.get', {})

/** Color of each relay state. The page also shows the state as text. */
export const relayTones: Record<RelayView['state'], Tone> = {
  off: 'neutral',
  starting: 'accent',
  on: 'success',
  paused: 'warning',
  failed: 'danger',
}

const invalidation = { invalidates: ['relay', 'tools'] } as const

/** Actions on the relay. Each updates the query cache with the new state. */
export function useRelayActions() {
  const queries = useQueryClient()
  const onSuccess = (view: RelayView): void => void queries.setQueryData(callKey('relay.get', {}), view)
  const startRelay = useAction('relay.start', { ...invalidation, onSuccess })
  const stopRelay = useAction('relay.stop', { ...invalidation, onSuccess })
  const pauseRelay = useAction('relay.setPaused', { ...invalidation, onSuccess })
  return { starting: startRelay, stopping: stopRelay, pausing: pauseRelay, start: () => startRelay.mutate({}) }
}

export type RelayActions = ReturnType<typeof useRelayActions>

/** A tool's setups that use the relay. The setup in the user's home comes first. */
const listRelaySetups = (tool: ToolView): readonly SiteTool[] =>
  listSetups(tool)
    .filter(({ status, applied }) => status !== 'absent' && applied?.route === 'relay')
    .map(({ site }) => toSiteTool(tool, site))

/** Tools with a setup for a port that the relay no longer uses. */
export function listToolsAtOldPort(tools: readonly ToolView[], { port }: Pick<RelayView, 'port'>): readonly ToolView[] {
  const isOld = ({ applied }: SiteTool): boolean =>
    applied !== undefined && !applied.requestAddress.startsWith(`http://127.0.0.1:${port}/`)
  return tools.filter((tool) => listRelaySetups(tool).some(isOld))
}

/**
 * Prepares a change of the route of all setups, or only of tools in `toolIds`. `blocked`: those that stay, because the
 * tool only supports the relay or the plan was removed.
 */
export function prepareReroute(
  tools: readonly ToolView[],
  plans: readonly PlanView[],
  { to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] | undefined },
) {
  const requestedSetups = tools
    .filter(({ id }) => toolIds === undefined || toolIds.includes(id))
    .flatMap(listRelaySetups)
  const choices: ToolChoice[] = []
  const blockedTools: { readonly tool: SiteTool; readonly why: 'onlyRelay' | 'planGone' }[] = []
  for (const tool of requestedSetups) {
    if (!listRoutes(tool).includes(to)) blockedTools.push({ tool, why: 'onlyRelay' })
    else if (!plans.some(({ id }) => id === tool.applied?.planId)) blockedTools.push({ tool, why: 'planGone' })
    else {
      const pickedRoute = { route: to }
      const choice = resolveToolForm({ tool, plans, currentPlan: undefined, picked: pickedRoute })
      const input = previewInput(tool, choice, pickedRoute)
      if (input) choices.push(input)
    }
  }
  return { choices, blocked: blockedTools }
}
