/** Number of unchanged lines that a diff shows around each change. */
export const contextLines = 3

/**
 * Replaces lines that are far from a change by their number. `above` and `below`: number of unchanged lines that
 * `lines` already omits.
 */
export function collapseUnchangedLines<Line extends { readonly kind: string }>(
  lines: readonly Line[],
  above = 0,
  below = 0,
): (Line | { kind: 'gap'; count: number })[] {
  const shownFlags = lines.map(() => false)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') shownFlags.fill(true, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const shownLines: (Line | { kind: 'gap'; count: number })[] = []
  let count = above
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
  count += below
  close()
  return shownLines
}
