import { type Changes, findItems, isRemoval } from './changes'
import { mergeDeletions, replaceRange, type TextEdit } from './editor'
import { findDeletionSpans } from './flow-edits'
import { lineEnd, lineStart, nextLine } from './text'
import { type Collection, type Entry, getColumn, type TreeNode } from './tree'
import { createDeletionEdit } from './yaml-changes'
import type { YamlDocument } from './yaml-document'

/** Text edits that delete all removed settings but keep the comments around them. */
export function deletions(document: YamlDocument, changes: Changes): TextEdit[] {
  const { root } = document
  return root === undefined ? [] : mergeDeletions(listDeletions(document, root, changes, undefined))
}

function listDeletions(
  document: YamlDocument,
  map: Collection,
  changes: Changes,
  holder: Entry | undefined,
): TextEdit[] {
  const splices: TextEdit[] = []
  const deletedEntries = new Set<Entry>()
  for (const entry of map.entries) {
    const { key, value } = entry
    const change = key === undefined || key.isMerge ? undefined : changes.get(key.name)
    if (change?.kind === 'remove') deletedEntries.add(entry)
    if (change?.kind === 'within' && value.kind === 'map')
      splices.push(...listDeletions(document, value, change.changes, entry))
    if (change?.kind === 'list' && value.kind === 'list') {
      const items = change.items.filter(isRemoval).flatMap((item) => findItems(value, item))
      splices.push(...deleteEntries(document, value, new Set(items), entry))
    }
  }
  return [...splices, ...deleteEntries(document, map, deletedEntries, holder)]
}

function deleteEntries(
  document: YamlDocument,
  container: Collection,
  doomed: ReadonlySet<Entry>,
  holder: Entry | undefined,
): TextEdit[] {
  if (doomed.size === 0) return []
  if (container.flow)
    return findDeletionSpans(document.text, container, doomed).map(({ start, end }) => createRemovalEdit(start, end))
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

/**
 * Offset after the anchor and tag of a value, if they are on the line of its key. Otherwise the offset after the
 * key's colon.
 */
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
    return [createRemovalEdit(start, firstComment.start), createDeletionEdit(text, { start: lastComment.end, end })]
  if (hasTrailingComment) return [createRemovalEdit(start, end + blankCount)]
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
      ? createRemovalEdit(line, followingLine)
      : createRemovalEdit(lineBefore, followingLine),
  ]
}

/** Whether a value ends with a block text (`|+` or `>+`) that includes the blank lines after it. */
function keepsBlankLines(text: string, node: TreeNode): boolean {
  if (node.kind === 'scalar') return node.isBlock && /^.\d?\+/.test(text.slice(node.start, node.start + 3))
  const lastEntry = node.kind === 'alias' ? undefined : node.entries.at(-1)
  return lastEntry !== undefined && keepsBlankLines(text, lastEntry.value)
}

const createRemovalEdit = (start: number, end: number): TextEdit => replaceRange(start, end, '')
