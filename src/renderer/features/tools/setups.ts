import type { Route, SetupView, Site, ToolLocation, ToolView, ToolWarning } from '@shared/contract'
import { getToolStatusKind, type SetupFacts, type ToolStatusKind } from '@shared/tool-status'
import i18next from 'i18next'
import { withQuery } from '../../paths'
import type { Tone } from '../../ui/badge'

const t = i18next.getFixedT(null, 'tools')

export const userSite: Site = { kind: 'user' }

/** Formats a scope (user, project or WSL distribution) as text for URLs and keys. */
export const formatSiteKey = (site: Site): string =>
  site.kind === 'project' ? `project:${site.folder}` : site.kind === 'wsl' ? `wsl:${site.distribution}` : 'user'

/** Parses the result of `formatSiteKey`. Returns the user's home for any other text. */
export function readSite(text: string | null): Site {
  const [, kind, location = ''] = /^(project|wsl):(.+)$/s.exec(text ?? '') ?? []
  if (kind === 'project') return { kind, folder: location }
  return kind === 'wsl' ? { kind, distribution: location } : userSite
}

/** Key that identifies a setup in this window. It is the tool's id if the setup is in the user's home. */
export const setupKey = (toolId: string, site: Site): string =>
  site.kind === 'user' ? toolId : `${toolId} ${formatSiteKey(site)}`

/** Input that identifies a setup in calls. The contract requires `site` to be omitted for the user's home. */
export const toToolLocation = (toolId: string, site: Site): ToolLocation =>
  site.kind === 'user' ? { toolId } : { toolId, site }

export type SiteTool = ToolView & { readonly site: Site }

/** The tool with the setup of one scope in place of the setup in the user's home. */
export function toSiteTool(tool: ToolView, site: Site): SiteTool {
  if (site.kind === 'user') return { ...tool, site }
  const { applied, conflicts, found, problem, relayOff, isOutdated, ...rest } = tool
  const setup = tool.setups.find((candidate) => formatSiteKey(candidate.site) === formatSiteKey(site))
  return { ...rest, status: 'absent', drift: [], file: '', files: [], ...setup, site }
}

/** All setups of a tool. The setup in the user's home comes first. */
export const listSetups = (tool: ToolView): readonly SetupView[] => [{ ...tool, site: userSite }, ...tool.setups]

export const usesPlan = (tool: ToolView, planId: string | undefined): boolean =>
  planId !== undefined && listSetups(tool).some(({ applied }) => applied?.planId === planId)

export function formatSite(site: Site): string {
  if (site.kind === 'project') {
    const name = site.folder.split(/[/\\]/).filter(Boolean).at(-1) ?? site.folder
    return t('sites.inProject', { name })
  }
  return site.kind === 'wsl' ? t('sites.inWsl', { name: site.distribution }) : t('sites.user')
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
