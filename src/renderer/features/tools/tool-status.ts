import type { ToolStatus, ToolView } from '@shared/contract'
import type { Tone } from '../../ui/badge'

/** The colour of each state; a word always goes with it. */
export const statusTones: Record<ToolStatus, Tone> = {
  absent: 'neutral',
  configured: 'success',
  drifted: 'warning',
  unreadable: 'danger',
}

/** The one thing to do next with a tool, and where that is. */
export interface NextStep {
  readonly label: 'configure' | 'verify' | 'review' | 'seeWhy'
  readonly to: string
}

/** The page of a tool, opened on one of its faces. */
export const toolPath = (toolId: string, face?: 'configure' | 'undo' | 'verify'): string => {
  const path = `/tools/${encodeURIComponent(toolId)}`
  if (face === undefined) return path
  return face === 'verify' ? `${path}?verify=1` : `${path}?do=${face}`
}

/** What to offer first: configure, verify, or look at what is wrong. */
export function nextStep({ id, status }: Pick<ToolView, 'id' | 'status'>): NextStep {
  const steps: Record<ToolStatus, NextStep> = {
    absent: { label: 'configure', to: toolPath(id, 'configure') },
    configured: { label: 'verify', to: toolPath(id, 'verify') },
    drifted: { label: 'review', to: toolPath(id) },
    unreadable: { label: 'seeWhy', to: toolPath(id) },
  }
  return steps[status]
}
