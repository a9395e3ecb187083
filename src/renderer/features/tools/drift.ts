import type { DriftEntry, MethodInput } from '@shared/contract'
import { type ToolHere, toolAt } from './sites'

const isDifferent = ({ state }: DriftEntry): boolean => state !== 'same'

/** What can be decided on: settings that differ, and address and key together when one of them does. */
export function decidable(entries: readonly DriftEntry[]): readonly DriftEntry[] {
  const isPairDifferent = entries.some((entry) => entry.role !== undefined && isDifferent(entry))
  return entries.filter((entry) => isDifferent(entry) || (isPairDifferent && entry.role !== undefined))
}

/** What one decision holds for: address and key always together, so that a key never goes to an address it is not for. */
export const boundTo = (entry: DriftEntry, entries: readonly DriftEntry[]): readonly string[] =>
  entry.role === undefined
    ? [entry.path]
    : decidable(entries)
        .filter(({ role }) => role !== undefined)
        .map(({ path }) => path)

/** The kept settings after a decision on one of them. */
export function decided(
  kept: ReadonlySet<string>,
  decision: { readonly entry: DriftEntry; readonly keeps: boolean; readonly entries: readonly DriftEntry[] },
): ReadonlySet<string> {
  const next = new Set(kept)
  for (const path of boundTo(decision.entry, decision.entries)) {
    if (decision.keeps) next.add(path)
    else next.delete(path)
  }
  return next
}

/** What is asked of main to write the tool's own setup again, but for what is kept. */
export function mergeInput(tool: ToolHere, kept: ReadonlySet<string>): MethodInput<'tools.preview'> | undefined {
  const { applied } = tool
  if (!applied) return undefined
  const { planId, keyId, modelCode, slots, delivery } = applied
  return {
    ...toolAt(tool.id, tool.site),
    planId,
    ...(keyId !== undefined && { keyId }),
    modelCode,
    ...(Object.keys(slots).length > 0 && { slots }),
    delivery,
    keep: [...kept],
  }
}
