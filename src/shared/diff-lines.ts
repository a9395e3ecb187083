/** Number of unchanged lines that a diff shows around each change. */
const contextLines = 3

/** Replaces lines that are far from a change by their number. */
export function collapseUnchangedLines<Line extends { readonly kind: string }>(
  lines: readonly Line[],
): (Line | { kind: 'gap'; count: number })[] {
  const shownFlags = lines.map(() => false)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') shownFlags.fill(true, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const shownLines: (Line | { kind: 'gap'; count: number })[] = []
  let count = 0
  const close = (): void => {
    if (count > 0) shownLines.push({ kind: 'gap', count })
    count = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!shownFlags[index]) count += 1
    else {
      close()
      shownLines.push(line)
    }
  }
  close()
  return shownLines
}
