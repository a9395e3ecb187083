import { replaceRange, type TextEdit } from './editor'
import { lineEnd, lineStart, nextLine, type Span } from './text'
import { type Collection, type Entry, getColumn, type TreeNode } from './tree'
import type { YamlDocument } from './yaml-document'

/** Deletes the lines of entries in a block collection. Keeps the comments around them. */
export function deleteEntries(
  document: YamlDocument,
  container: Collection,
  doomed: ReadonlySet<Entry>,
  holder: Entry | undefined,
): TextEdit[] {
  const lines = container.entries.flatMap((entry, index) => {
    if (!doomed.has(entry)) return []
    const precedingEntry = container.entries.slice(0, index).findLast((item) => !doomed.has(item))
    return lineDeletions(document, entry, precedingEntry)
  })
  const becomesEmpty = container.entries.every((entry) => doomed.has(entry))
  if (!becomesEmpty || holder?.key?.colon === undefined) return lines
  const insertOffset = propertiesEnd(document, container, holder.key.colon)
  return [replaceRange(insertOffset, insertOffset, container.kind === 'map' ? ' {}' : ' []'), ...lines]
}

/** Offset after the anchor and tag of a value on the line of its key. Otherwise the offset after the key's colon. */
function propertiesEnd({ text }: YamlDocument, { outer, start }: Collection, colon: number): number {
  const properties = outer < start ? /^[&!]\S*(?:[ \t]+[&!]\S*)?/.exec(text.slice(outer, start)) : null
  return properties === null ? colon : outer + properties[0].length
}

/** Deletes the lines of an entry. Ensures that comments below do not become part of a multiline text above. */
function lineDeletions(document: YamlDocument, entry: Entry, entryAbove: Entry | undefined): TextEdit[] {
  const { text } = document
  const column = getColumn(text, entry.start)
  const edits = buildDeletionEdits(document, entry, entryAbove !== undefined && keepsBlankLines(text, entryAbove.value))
  const innerComments = document.comments
    .filter(({ start }) => start > entry.start && start < entry.value.outer)
    .slice(1)
  for (const { start } of innerComments) edits.push(...listIndentEdits(text, lineStart(text, start), column))
  for (let lineOffset = nextLine(text, entry.end); lineOffset < text.length; lineOffset = nextLine(text, lineOffset)) {
    if (!/^[ \t]*(?:#|\r?$)/.test(text.slice(lineOffset, lineEnd(text, lineOffset)))) break
    edits.push(...listIndentEdits(text, lineOffset, column))
  }
  return edits
}

function listIndentEdits(text: string, line: number, column: number): TextEdit[] {
  const commentIndent = /^[ \t]*(?=#)/.exec(text.slice(line, lineEnd(text, line)))?.[0].length ?? 0
  return commentIndent > column ? [replaceRange(line, line + commentIndent, ' '.repeat(column))] : []
}

/** Deletes the lines of an entry except its comments. `isGreedy`: also deletes the blank lines after the entry. */
function buildDeletionEdits({ text, comments }: YamlDocument, entry: Entry, isGreedy: boolean): TextEdit[] {
  const { start, end, key, value } = entry
  const innerComments = comments.filter((item) => item.start >= (key?.colon ?? start) && item.start < value.outer)
  const lineEndOffset = lineEnd(text, end)
  const blankCount = /^[ \t]*/.exec(text.slice(end, lineEndOffset))?.[0].length ?? 0
  const hasTrailingComment = end + blankCount < lineEndOffset
  const [firstComment, lastComment] = [innerComments[0], innerComments.at(-1)]
  if (firstComment !== undefined && lastComment !== undefined)
    return [replaceRange(start, firstComment.start), createDeletionEdit(text, { start: lastComment.end, end })]
  if (hasTrailingComment) return [replaceRange(start, end + blankCount)]
  let followingLine = nextLine(text, end)
  while (
    isGreedy &&
    followingLine < text.length &&
    /^[ \t]*$/.test(text.slice(followingLine, lineEnd(text, followingLine)))
  )
    followingLine = nextLine(text, followingLine)
  const line = lineStart(text, start)
  const lineBefore = line === 0 ? line : lineEnd(text, line - 1)
  const followsBlankLine = /(?:^|\n)[ \t]*$/.test(text.slice(lineStart(text, lineBefore), lineBefore))
  return [
    followingLine > lineEndOffset || followsBlankLine
      ? replaceRange(line, followingLine)
      : replaceRange(lineBefore, followingLine),
  ]
}

/** Deletes a value and the blanks before it. A comment after the value moves to its own line. */
export function createDeletionEdit(text: string, { start, end }: Span): TextEdit {
  const lineEndOffset = lineEnd(text, end)
  const deletionEnd = end + (/^[ \t]*/.exec(text.slice(end, lineEndOffset))?.[0].length ?? 0)
  return replaceRange(
    start,
    deletionEnd,
    deletionEnd < lineEndOffset ? text.slice(lineEnd(text, start), nextLine(text, start)) : '',
  )
}

/** Whether a value ends with a block text (`|+` or `>+`) that includes the blank lines after it. */
function keepsBlankLines(text: string, node: TreeNode): boolean {
  if (node.kind === 'scalar') return node.isBlock && /^.\d?\+/.test(text.slice(node.start, node.start + 3))
  const lastEntry = node.kind === 'alias' ? undefined : node.entries.at(-1)
  return lastEntry !== undefined && keepsBlankLines(text, lastEntry.value)
}
