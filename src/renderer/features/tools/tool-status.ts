import type { KeyProblem, Route, SetupView, Site, ToolStatus, ToolView, ToolWarning } from '@shared/contract'
import { withQuery } from '../../paths'
import type { Tone } from '../../ui/badge'
import { formatSiteKey, listSetups, userSite } from './sites'

/** Status of a setup. `relayOff`, `overridden` and key problems: the settings are unchanged, but requests fail. */
type ToolStatusKind = ToolStatus | 'relayOff' | 'overridden' | 'outdated' | KeyProblem

type SetupFacts = Pick<SetupView, 'status' | 'relayOff' | 'conflicts' | 'isOutdated'> & {
  readonly applied?: Pick<NonNullable<SetupView['applied']>, 'keyProblem'> | undefined
}

export function getToolStatusKind(setup: SetupFacts): ToolStatusKind {
  const { status, relayOff, conflicts = [], applied, isOutdated } = setup
  if (isOutdated) return 'outdated'
  if (status !== 'configured') return status
  if (applied?.keyProblem) return applied.keyProblem
  return relayOff ? 'relayOff' : conflicts.length > 0 ? 'overridden' : status
}

/** Color of each status, most urgent status first. The page also shows the status as text. */
export const statusTones: Record<ToolStatusKind, Tone> = {
  unreadable: 'danger',
  keyDisabled: 'danger',
  keyDeleted: 'danger',
  keyRejected: 'danger',
  keyMissing: 'danger',
  planExpired: 'danger',
  relayOff: 'danger',
  overridden: 'danger',
  drifted: 'warning',
  outdated: 'warning',
  otherwise: 'warning',
  configured: 'success',
  absent: 'neutral',
}

const urgency = Object.keys(statusTones)

const getUrgency = (setup: SetupFacts): number => urgency.indexOf(getToolStatusKind(setup))

/** The setup of a tool whose status is most urgent. If several are, the one in the user's home is preferred. */
export function getToolStatus(tool: ToolView): SetupView {
  return listSetups(tool).reduce((mostUrgentSetup, setup) =>
    getUrgency(setup) < getUrgency(mostUrgentSetup) ? setup : mostUrgentSetup,
  )
}

export const needsReview = (setup: SetupFacts): boolean => getUrgency(setup) < urgency.indexOf('configured')

/** Status of a tool as shown in lists. `word`: key of its translated text. */
export function getToolState(
  tool: ToolView,
  setup: SetupFacts = getToolStatus(tool),
): { readonly word: ToolStatusKind | 'notInstalled' | 'byHand' | 'unsupported'; readonly tone: Tone } {
  if (tool.kind === 'unsupported') return { word: 'unsupported', tone: 'neutral' }
  if (!tool.installed && setup.status === 'absent') return { word: 'notInstalled', tone: 'neutral' }
  if (tool.kind === 'guided') return { word: 'byHand', tone: 'neutral' }
  const statusKind = getToolStatusKind(setup)
  return { word: statusKind, tone: statusTones[statusKind] }
}

/** Parts of a tool's page that a URL can open. */
type ToolTab = 'configure' | 'undo' | 'review' | 'verify'

export const toolPath = (toolId: string, face?: ToolTab, site: Site = userSite): string =>
  withQuery(`/tools/${encodeURIComponent(toolId)}`, {
    at: site.kind !== 'user' && formatSiteKey(site),
    ...(face === 'verify' ? { verify: '1' } : { do: face }),
  })

/** Path of the page that configures several tools. Without `toolIds`, it selects all installed tools. */
export const setUpPath = (
  choice: { readonly toolIds?: readonly string[]; readonly planId?: string; readonly route?: Route } = {},
): string => withQuery('/tools/set-up', { tools: choice.toolIds?.join(','), plan: choice.planId, route: choice.route })

export function nextStep(tool: ToolView): { readonly label: 'setUp' | 'putRight' | 'open'; readonly to: string } {
  const mainSetup = getToolStatus(tool)
  const { site } = mainSetup
  const { id, kind } = tool
  if (kind === 'unsupported') return { label: 'open', to: toolPath(id) }
  if (kind === 'guided') return { label: 'setUp', to: toolPath(id) }
  const statusKind = getToolStatusKind(mainSetup)
  const tabs: Partial<Record<ToolStatusKind, ToolTab>> = {
    absent: 'configure',
    otherwise: 'configure',
    drifted: 'review',
    outdated: 'review',
  }
  const label = statusKind === 'configured' ? 'open' : tabs[statusKind] === 'configure' ? 'setUp' : 'putRight'
  return {
    label,
    to: toolPath(id, statusKind === mainSetup.applied?.keyProblem ? 'configure' : tabs[statusKind], site),
  }
}

export const toolFilters = ['all', 'attention', 'configured', 'open'] as const
type ToolFilter = (typeof toolFilters)[number]

/** Whether the tool is installed or configured. */
export const isOnComputer = (tool: ToolView): boolean => tool.installed || getToolStatus(tool).status !== 'absent'

/** Sort order: needs attention, in use, available, manual, unsupported. */
function getSortRank(tool: ToolView): number {
  const mainSetup = getToolStatus(tool)
  if (mainSetup.status !== 'absent') return getUrgency(mainSetup)
  return getUrgency(mainSetup) + { written: 0, guided: 1, unsupported: 2 }[tool.kind]
}

const matchesFilter: Record<ToolFilter, (tool: ToolView) => boolean> = {
  all: () => true,
  attention: (tool) => needsReview(getToolStatus(tool)),
  configured: (tool) => listSetups(tool).some(({ applied }) => applied !== undefined),
  open: (tool) => getToolStatus(tool).status === 'absent' && tool.kind !== 'unsupported',
}

export interface ToolSearch {
  readonly text: string
  readonly filter: ToolFilter
}

/** Sorts tools: installed ones by urgency of their status, then others by name. */
export function listTools(tools: readonly ToolView[], { text, filter }: ToolSearch) {
  const terms = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const matchingTools = tools.filter((tool) => {
    const planAndModelNames = listSetups(tool).flatMap(({ applied }) => [applied?.planName, applied?.modelCode])
    const toolText = [tool.name, tool.id, ...planAndModelNames].join(' ').toLocaleLowerCase()
    return matchesFilter[filter](tool) && terms.every((word) => toolText.includes(word))
  })
  const compareNames = (a: ToolView, b: ToolView): number => a.name.localeCompare(b.name)
  const sorted = matchingTools.toSorted((a, b) => getSortRank(a) - getSortRank(b) || compareNames(a, b))
  return { installed: sorted.filter(isOnComputer), notInstalled: sorted.filter((tool) => !isOnComputer(tool)) }
}

const urgentWarningCodes: readonly ToolWarning['code'][] = [
  'variableNeeded',
  'keyInTool',
  'restartNeeded',
  'shellVariable',
  'rivalFile',
  'keySentElsewhere',
  'foreignCredential',
  'agentModel',
  'otherProviderSwitch',
  'toolStops',
]

/** Whether a warning requires an action by the user after the write. */
export const isActionNeeded = ({ code }: ToolWarning): boolean => urgentWarningCodes.includes(code)
