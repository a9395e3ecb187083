import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DiffViewLine } from '../../ui/diff-view-rows'

const aroundChanges = 3
/** Texts that differ everywhere are not compared to the last word. */
const patienceMs = 400

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\n|\r/))

/** Unchanged stretches longer than what is shown around changes, folded into one line each. */
function folded(lines: readonly DiffViewLine[]): DiffViewLine[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - aroundChanges), at + aroundChanges + 1)
  }
  const shown: DiffViewLine[] = []
  let hidden = 0
  const close = (): void => {
    if (hidden > 0) shown.push({ kind: 'gap', count: hidden })
    hidden = 0
  }
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) {
      close()
      shown.push(line)
    } else hidden += 1
  }
  close()
  return shown
}

/** Two texts compared line by line, with three lines around each change. Texts too different to be compared in time are shown as one replaced by the other. */
export function changedLines(before: string, after: string): readonly DiffViewLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const changes = diffArrays(old, now, { timeout: patienceMs }) ?? [
    { count: old.length, added: false, removed: true, value: old },
    { count: now.length, added: true, removed: false, value: now },
  ]
  let oldLine = 1
  let newLine = 1
  const lines = changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffViewLine => {
      if (removed) return { kind: 'removed', text, oldLine: oldLine++ }
      if (added) return { kind: 'added', text, newLine: newLine++ }
      return { kind: 'same', text, oldLine: oldLine++, newLine: newLine++ }
    }),
  )
  return folded(lines)
}

/** A stretch of two texts that are compared word by word. */
export interface WordChange {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** Counts the stretches. */
  readonly at: number
}

/** Two texts compared word by word; nothing when they are too different to be compared in time. */
export const changedWords = (before: string, after: string): readonly WordChange[] | undefined =>
  diffWordsWithSpace(before, after, { timeout: patienceMs })?.map(({ value, added, removed }, at) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
    at,
  }))
