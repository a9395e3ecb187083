import type { BranchStep } from '@shared/contract'

/** Where a message stands among those beside it. */
export interface BranchPlace {
  /** From 1 on. */
  readonly at: number
  readonly count: number
  readonly earlier: string | undefined
  readonly later: string | undefined
}

/** The place of a step among its siblings; nothing when it stands alone. */
export function placeAmong({ id, siblings }: BranchStep): BranchPlace | undefined {
  const index = siblings.indexOf(id)
  if (siblings.length < 2 || index < 0) return undefined
  return { at: index + 1, count: siblings.length, earlier: siblings[index - 1], later: siblings[index + 1] }
}

/** What the message at a place of the branch follows; nothing for the first one. */
export const parentAt = (branch: readonly BranchStep[], index: number): string | undefined => branch[index - 1]?.id

/** The last message of the branch that a person wrote. */
export const lastQuestion = (branch: readonly BranchStep[]): string | undefined =>
  branch.findLast(({ role }) => role === 'user')?.id

/** The chunks of a long branch that hold a range of it, as one list of ids. */
export function idsAround(branch: readonly BranchStep[], range: readonly [number, number], chunk: number): string[] {
  const first = Math.floor(Math.max(0, range[0]) / chunk) * chunk
  const end = (Math.floor(Math.max(0, range[1]) / chunk) + 1) * chunk
  return branch.slice(first, end).map(({ id }) => id)
}
