import type { DiffLine } from '@shared/contract/tools'
import { diffArrays } from 'diff'

const CONTEXT_LINES = 3

/** Two texts to compare; undefined: no file. */
export type Texts = { readonly before: string | undefined; readonly after: string | undefined }

/**
 * The difference of two texts, line by line with three lines around each change, secrets masked. Lines are compared
 * unmasked, so a changed secret shows as changed. `mask` keeps the number of lines.
 */
export function diffLines({ before = '', after = '' }: Texts, mask: (text: string) => string): DiffLine[] {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  const shown = { old: linesOf(mask(before)), new: linesOf(mask(after)) }
  const { above, below } = farFromChanges(oldLines, newLines)
  let oldLine = above + 1
  let newLine = above + 1
  const lines: DiffLine[] = []
  const old = oldLines.slice(above, oldLines.length - below)
  for (const { count, added, removed } of diffArrays(old, newLines.slice(above, newLines.length - below))) {
    for (let each = 0; each < count; each += 1) {
      if (removed) lines.push({ kind: 'removed', text: bare(shown.old[oldLine - 1]), oldLine })
      else if (added) lines.push({ kind: 'added', text: bare(shown.new[newLine - 1]), newLine })
      else lines.push({ kind: 'same', text: bare(shown.new[newLine - 1]), oldLine, newLine })
      if (!added) oldLine += 1
      if (!removed) newLine += 1
    }
  }
  return withGaps(lines, { above, below })
}

/** Lines with their ends, so that a missing last line end counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
}

const bare = (line = ''): string => line.replace(/[\r\n]+$/, '').replace('\uFEFF', '')

/** How many lines there are at both ends that need not be looked at: the same, and too far from a change to be shown. */
type Far = { readonly above: number; readonly below: number }

function farFromChanges(oldLines: readonly string[], newLines: readonly string[]): Far {
  const most = Math.min(oldLines.length, newLines.length)
  let start = 0
  while (start < most && oldLines[start] === newLines[start]) start += 1
  let end = 0
  while (end < most - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end += 1
  return { above: Math.max(0, start - CONTEXT_LINES), below: Math.max(0, end - CONTEXT_LINES) }
}

function withGaps(lines: readonly DiffLine[], { above, below }: Far): DiffLine[] {
  const changes = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]))
  const isShown = lines.map(() => false)
  for (const at of changes) isShown.fill(true, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1)
  const shown: DiffLine[] = []
  let count = above
  const close = (): void => {
    if (count > 0) shown.push({ kind: 'gap', count })
    count = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!isShown[index]) count += 1
    else {
      close()
      shown.push(line)
    }
  }
  count += below
  close()
  return shown
}
