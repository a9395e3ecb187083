import type { DiffLine } from '@shared/contract/tools'
import { diffArrays } from 'diff'
import { maskSecrets } from './mask'

const CONTEXT_LINES = 3

/**
 * The difference of two JSON texts (undefined: no file), line by line with three lines around each change, secrets
 * masked. Lines are compared unmasked, so a changed secret shows as changed.
 */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const [oldLines, newLines] = [linesOf(before ?? ''), linesOf(after ?? '')]
  const oldShown = shownLines(before ?? '')
  const newShown = shownLines(after ?? '')
  let oldLine = 1
  let newLine = 1
  const all: DiffLine[] = []
  for (const { count, added, removed } of diffArrays(oldLines, newLines)) {
    for (let each = 0; each < count; each += 1) {
      if (removed) all.push({ kind: 'removed', text: oldShown[oldLine - 1] ?? '', oldLine })
      else if (added) all.push({ kind: 'added', text: newShown[newLine - 1] ?? '', newLine })
      else all.push({ kind: 'same', text: newShown[newLine - 1] ?? '', oldLine, newLine })
      if (!added) oldLine += 1
      if (!removed) newLine += 1
    }
  }
  return withGaps(all)
}

/** Lines with their ends, so that a missing last line end counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
}

function shownLines(text: string): string[] {
  return linesOf(maskSecrets(text)).map((line) => line.replace(/[\r\n]+$/, '').replace('\uFEFF', ''))
}

function withGaps(lines: readonly DiffLine[]): DiffLine[] {
  const changes = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]))
  const isShown = lines.map(() => false)
  for (const at of changes) isShown.fill(true, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1)
  const shown: DiffLine[] = []
  let count = 0
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
  close()
  return shown
}
