import type { DiffLine } from '@shared/contract/tools'
import { collapseUnchangedLines } from '@shared/diff-lines'
import { diffArrays } from 'diff'

/** Line diff with three lines of context and secrets masked. Compares unmasked lines. `mask` keeps the line count. */
export function diffLines(before = '', after = '', mask: (text: string) => string): DiffLine[] {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)]
  const maskedLines = { old: splitLines(mask(before)), new: splitLines(mask(after)) }
  let oldLine = 1
  let newLine = 1
  const lines: DiffLine[] = []
  for (const { count, added, removed } of diffArrays(oldLines, newLines)) {
    for (let index = 0; index < count; index += 1) {
      const newText = trimLineEnd(maskedLines.new[newLine - 1])
      if (removed) lines.push({ kind: 'removed', text: trimLineEnd(maskedLines.old[oldLine - 1]), oldLine })
      else if (added) lines.push({ kind: 'added', text: newText, newLine })
      else lines.push({ kind: 'same', text: newText, oldLine, newLine })
      if (!added) oldLine += 1
      if (!removed) newLine += 1
    }
  }
  return collapseUnchangedLines(lines)
}

const splitLines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

const trimLineEnd = (line = ''): string => line.replace(/[\r\n]+$/, '').replace('\uFEFF', '')
