import { replaceRange, type TextEdit } from './editor'
import { findWhitespaceEnd, findWhitespaceStart, type Span } from './text'

/** Edits in brackets with commas between the entries: JSON, and YAML in flow style. */

/** A comma or comment between two entries. */
type GapToken = Span & { readonly kind: 'comma' | 'line-comment' | 'block-comment' }

/** Brackets with their entries in text order. The range includes the brackets. */
export type Brackets = Span & { readonly entries: readonly Span[] }

const gapToken = /,|(?:#|\/\/)[^\r\n]*|\/\*[\s\S]*?\*\//g

/** Commas and comments in a range that otherwise contains only whitespace. */
function listGapTokens(text: string, { start, end }: Span): GapToken[] {
  return [...text.slice(start, end).matchAll(gapToken)].map(({ 0: token, index }) => ({
    kind: token === ',' ? 'comma' : token.startsWith('/*') ? 'block-comment' : 'line-comment',
    start: start + index,
    end: start + index + token.length,
  }))
}

/** Tokens before each entry, and those after the last one. */
function listGaps(text: string, { start, end, entries }: Brackets): GapToken[][] {
  const gapStarts = [start + 1, ...entries.map((entry) => entry.end)]
  const gapEnds = [...entries.map((entry) => entry.start), end - 1]
  return gapStarts.map((gapStart, index) => listGapTokens(text, { start: gapStart, end: gapEnds[index] ?? gapStart }))
}

const isComma = ({ kind }: GapToken): boolean => kind === 'comma'

/** Ranges to delete for the removed entries. Keeps the comments around them. */
export function findDeletionSpans(text: string, brackets: Brackets, removed: ReadonlySet<Span>): Span[] {
  if (removed.size === 0) return []
  const { entries } = brackets
  const gaps = listGaps(text, brackets)
  if (removed.size === entries.length && gaps.flat().every(isComma))
    return [{ start: brackets.start + 1, end: brackets.end - 1 }]
  const spans: Span[] = []
  let leadingTokenKind: GapToken['kind'] | undefined
  for (const [index, entry] of entries.entries()) {
    if (!removed.has(entry)) continue
    const [before = [], after = []] = [gaps[index], gaps[index + 1]]
    const followsRemovedEntry =
      before.length === 1 && before[0]?.kind === 'comma' && removed.has(entries[index - 1] ?? entry)
    leadingTokenKind = followsRemovedEntry ? leadingTokenKind : before.at(-1)?.kind
    spans.push(...getEntrySpans(text, entry, before, after, leadingTokenKind))
  }
  const lastEntry = entries.at(-1)
  if (lastEntry !== undefined && removed.has(lastEntry) && !gaps.at(-1)?.some(isComma))
    spans.push(...(gaps[entries.findLastIndex((entry) => !removed.has(entry)) + 1] ?? []).filter(isComma))
  return spans
}

/**
 * Ranges to delete for an entry: the entry, its comma, and the blanks before it. If those blanks are needed, deletes
 * the blanks after the entry instead. `lead` is the kind of token before the entry, after earlier entries were removed.
 */
function getEntrySpans(
  text: string,
  entry: Span,
  before: readonly GapToken[],
  after: readonly GapToken[],
  lead: GapToken['kind'] | undefined,
): Span[] {
  const comma = after.find(isComma)
  const end = comma?.end ?? entry.end
  const trailingBlankSpan = { start: end, end: findWhitespaceEnd(text, end) }
  const leadingBlankSpan = {
    start: before.at(-1)?.end ?? findWhitespaceStart(text, entry.start, ' \t\r\n'),
    end: entry.start,
  }
  // The end of the text counts as a line end.
  const nextCharacter = text[trailingBlankSpan.end] ?? '\n'
  const isAtLineEnd = '\r\n'.includes(nextCharacter)

  if (comma !== undefined && after[0] !== comma) return [entry, comma, trailingBlankSpan]
  const removedSpan = { start: entry.start, end: isAtLineEnd ? trailingBlankSpan.end : end }
  const isOwnLine = hasLineBreak(text, leadingBlankSpan)
  const followsLineComment = lead === 'line-comment'
  // A YAML comment needs a blank before it.
  if (nextCharacter === '#' && !isOwnLine && !followsLineComment) return [removedSpan]
  // Keep the line break if a line comment precedes it or another entry follows.
  const isBeforeEntry = isOwnLine && nextCharacter !== '}' && nextCharacter !== ']'
  const isFirstOfLine = before.length === 0 && comma !== undefined
  const isBeforeComment = '/#'.includes(nextCharacter)
  return isBeforeComment || (!isAtLineEnd && (followsLineComment || isBeforeEntry || isFirstOfLine))
    ? [removedSpan, trailingBlankSpan]
    : [leadingBlankSpan, removedSpan]
}

/** Layout in brackets: each entry on its own line with `indent`, or all on a single line. */
export type FlowLayout = {
  readonly eol: string
  readonly isMultiline: boolean
  readonly indent: string
  /** Indentation of a closing bracket on its own line. */
  readonly outer: string
  /** White space after a comma on a single line. */
  readonly gap: string
}

/** Inserts entries before the one at `index`, or after the last one. `padding`: blanks inside brackets on a single line. */
export function insertEntries(
  text: string,
  brackets: Brackets,
  index: number | 'last',
  items: readonly string[],
  layout: FlowLayout,
  padding = '',
): TextEdit[] {
  const { entries } = brackets
  const nextEntry = index === 'last' ? undefined : entries[index]
  if (index === 'last' || nextEntry === undefined)
    return entries.length === 0
      ? fillBrackets(text, brackets, items, layout, padding)
      : appendEntries(text, brackets, items, layout)
  const gap = { start: entries[index - 1]?.end ?? brackets.start + 1, end: nextEntry.start }
  return insertInGap(text, gap, items, layout)
}

/** Inserts before the entry after a gap: behind the bracket or comma there, and the comments on that line. */
function insertInGap(text: string, gap: Span, items: readonly string[], layout: FlowLayout): TextEdit[] {
  const tokens = listGapTokens(text, gap)
  const comma = tokens.findIndex(isComma)
  const opener = tokens[comma]?.end ?? gap.start
  const comments = tokens.slice(comma + 1)
  const commentsOnLine = comments.filter(({ start }) => !hasLineBreak(text, { start: opener, end: start }))
  const lastComment = commentsOnLine.at(-1)
  const nextTokenStart = comments[commentsOnLine.length]?.start ?? gap.end
  const isAtLineEnd = lastComment !== undefined && hasLineBreak(text, { start: lastComment.end, end: nextTokenStart })
  const insertOffset = isAtLineEnd ? lastComment.end : opener
  const target = isAtLineEnd ? nextTokenStart : (comments[0]?.start ?? gap.end)
  if (!layout.isMultiline && !isAtLineEnd)
    return [replaceRange(target, target, items.map((item) => `${item},${layout.gap}`).join(''))]
  const lineStart = layout.eol + layout.indent
  const content = items.map((item) => `${lineStart}${item},`).join('')
  if (hasLineBreak(text, { start: insertOffset, end: target }))
    return [replaceRange(insertOffset, insertOffset, content)]
  return [replaceRange(insertOffset, target, content + lineStart)]
}

/** Appends after the last entry and its comments. If that entry has a trailing comma, the new one gets one as well. */
function appendEntries(
  text: string,
  { end, entries }: Brackets,
  items: readonly string[],
  layout: FlowLayout,
): TextEdit[] {
  const lastEnd = entries.at(-1)?.end ?? 0
  const tokens = listGapTokens(text, { start: lastEnd, end: end - 1 })
  const hasComma = tokens.some(isComma)
  const isMultiline = layout.isMultiline || tokens.at(-1)?.kind === 'line-comment'
  const prefix = isMultiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => prefix + item).join(',') + (hasComma ? ',' : '')
  const insertOffset = tokens.at(-1)?.end ?? lastEnd
  if (hasComma) return [replaceRange(insertOffset, insertOffset, content)]
  if (insertOffset === lastEnd) return [replaceRange(insertOffset, insertOffset, `,${content}`)]
  return [replaceRange(lastEnd, lastEnd, ','), replaceRange(insertOffset, insertOffset, content)]
}

/** Inserts entries into empty brackets, after any comments there. */
function fillBrackets(
  text: string,
  { start, end }: Span,
  items: readonly string[],
  { eol, indent, outer, gap, isMultiline }: FlowLayout,
  padding: string,
): TextEdit[] {
  const comment = listGapTokens(text, { start: start + 1, end: end - 1 }).at(-1)
  if (comment === undefined) {
    const content = isMultiline
      ? eol + items.map((item) => indent + item).join(`,${eol}`) + eol + outer
      : padding + items.join(`,${gap}`) + padding
    return [replaceRange(start + 1, end - 1, content)]
  }
  const content = items.map((item) => eol + indent + item).join(',')
  if (hasLineBreak(text, { start: comment.end, end: end - 1 })) return [replaceRange(comment.end, comment.end, content)]
  return [replaceRange(comment.end, end - 1, content + eol + outer)]
}

export const hasLineBreak = (text: string, { start, end }: Span): boolean => /[\r\n]/.test(text.slice(start, end))
