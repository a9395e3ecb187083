import type { SetupView, Site, ToolStatus, ToolView } from '@shared/contract'
import type { Tone } from '../../ui/badge'
import { setupsOf, siteText, userSite } from './sites'

/** The colour of each state; a word always goes with it. */
export const statusTones: Record<ToolStatus, Tone> = {
  absent: 'neutral',
  configured: 'success',
  drifted: 'warning',
  otherwise: 'warning',
  unreadable: 'danger',
}

/** What asks for a look, the most urgent first; then what is in order. */
export const urgency: readonly ToolStatus[] = ['unreadable', 'drifted', 'otherwise', 'configured', 'absent']

/** How a tool stands, seen as a whole: its setup that asks most for a look, that in this user's home before others. */
export function standingOf(tool: ToolView): SetupView {
  const rank = ({ status }: SetupView): number => urgency.indexOf(status)
  return setupsOf(tool).reduce((most, one) => (rank(one) < rank(most) ? one : most))
}

/** Whether a state is none that a person should leave as it is unseen. */
export const needsLook = (status: ToolStatus): boolean => urgency.indexOf(status) < urgency.indexOf('configured')

/** The word for a state, as a key of the texts, and its colour. */
export interface State {
  readonly word: ToolStatus | 'notInstalled' | 'byHand' | 'unsupported'
  readonly tone: Tone
}

/** The state of a tool for a list: one word. */
export function stateOf(tool: ToolView, { status }: Pick<SetupView, 'status'> = standingOf(tool)): State {
  if (tool.kind === 'unsupported') return { word: 'unsupported', tone: 'neutral' }
  if (!tool.installed && status === 'absent') return { word: 'notInstalled', tone: 'neutral' }
  if (tool.kind === 'guided') return { word: 'byHand', tone: 'neutral' }
  return { word: status, tone: statusTones[status] }
}

/** The faces of a tool's page that an address can ask for. */
export type Face = 'configure' | 'undo' | 'review' | 'verify'

/** The page of a tool, opened on one of its faces, at a site. */
export function toolPath(toolId: string, face?: Face, site: Site = userSite): string {
  const query = new URLSearchParams()
  if (site.kind !== 'user') query.set('at', siteText(site))
  if (face === 'verify') query.set('verify', '1')
  else if (face !== undefined) query.set('do', face)
  const text = query.toString()
  return `/tools/${encodeURIComponent(toolId)}${text === '' ? '' : `?${text}`}`
}

/** The page that sets several tools up together: those given, or all that are installed. */
export function setUpPath({ toolIds, planId }: { toolIds?: readonly string[]; planId?: string } = {}): string {
  const query = new URLSearchParams()
  if (toolIds) query.set('tools', toolIds.join(','))
  if (planId !== undefined) query.set('plan', planId)
  const text = query.toString()
  return `/tools/set-up${text === '' ? '' : `?${text}`}`
}

/** The one thing to do next with a tool, and where that is. */
export interface NextStep {
  readonly label: 'setUp' | 'putRight' | 'open'
  readonly to: string
}

/** What to offer first: set it up, put right what is wrong, or simply open it. */
export function nextStep(tool: ToolView): NextStep {
  const { status, site } = standingOf(tool)
  const { id, kind } = tool
  if (kind === 'unsupported') return { label: 'open', to: toolPath(id) }
  if (kind === 'guided') return { label: 'setUp', to: toolPath(id) }
  const steps: Record<ToolStatus, NextStep> = {
    absent: { label: 'setUp', to: toolPath(id, 'configure') },
    configured: { label: 'open', to: toolPath(id, undefined, site) },
    drifted: { label: 'putRight', to: toolPath(id, 'review', site) },
    otherwise: { label: 'setUp', to: toolPath(id, 'configure', site) },
    unreadable: { label: 'putRight', to: toolPath(id, undefined, site) },
  }
  return steps[status]
}
