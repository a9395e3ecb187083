import type { ToolView } from '@shared/contract'
import { setupsOf } from './sites'
import { getToolStatus, needsLook, urgencyOf } from './tool-status'

/** Which part of the tools is listed. */
export const toolFilters = ['all', 'attention', 'configured', 'open'] as const
export type ToolFilter = (typeof toolFilters)[number]

/** A tool that is on this computer, or that something here was set up for. */
export const isHere = (tool: ToolView): boolean => tool.installed || getToolStatus(tool).status !== 'absent'

/** What asks for a look first; then what is in use, what could be, what is set up by hand, and what cannot be. */
function rankOf(tool: ToolView): number {
  const standing = getToolStatus(tool)
  if (standing.status !== 'absent') return urgencyOf(standing)
  return urgencyOf(standing) + { written: 0, guided: 1, unsupported: 2 }[tool.kind]
}

const passes: Record<ToolFilter, (tool: ToolView) => boolean> = {
  all: () => true,
  attention: (tool) => needsLook(getToolStatus(tool)),
  configured: (tool) => setupsOf(tool).some(({ applied }) => applied !== undefined),
  open: (tool) => getToolStatus(tool).status === 'absent' && tool.kind !== 'unsupported',
}

function isFound(tool: ToolView, words: readonly string[]): boolean {
  const uses = setupsOf(tool).flatMap(({ applied }) => [applied?.planName, applied?.modelCode])
  const text = [tool.name, tool.id, ...uses].join(' ').toLocaleLowerCase()
  return words.every((word) => text.includes(word))
}

/** What is looked for in the list. */
export interface Sought {
  readonly text: string
  readonly filter: ToolFilter
}

/** The tools that are looked for: those here in the order of what they ask for, and the others by name. */
export function listTools(tools: readonly ToolView[], { text, filter }: Sought) {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const found = tools.filter((tool) => passes[filter](tool) && isFound(tool, words))
  const byName = (a: ToolView, b: ToolView): number => a.name.localeCompare(b.name)
  const sorted = found.toSorted((a, b) => rankOf(a) - rankOf(b) || byName(a, b))
  return { here: sorted.filter(isHere), others: sorted.filter((tool) => !isHere(tool)) }
}
