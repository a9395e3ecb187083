import { type Change, findItems, isRemoval, type RootChange, verifyEdit } from './changes'
import { mergeDeletions, replaceRange, splice, type TextEdit } from './editor'
import { findDeletionSpans } from './flow-edits'
import { lineEnd, lineStart, nextLine, type Span } from './text'
import { type Collection, type Entry, getColumn, type TreeDocument, type TreeNode } from './tree'

/** Parsing and insertions of a format. */
type Format<Document, C> = {
  readonly parse: (text: string) => Document
  readonly insertions: (document: Document, change: C) => TextEdit[]
}

/** Applies removals first, so that the style of new entries is not copied from removed ones. Verifies the result. */
export function applyChanges<Document extends TreeDocument, C extends RootChange>(
  document: Document,
  change: C,
  { parse, insertions }: Format<Document, C>,
): Document {
  const rewrite = (current: Document, edits: readonly TextEdit[]): Document => {
    const text = splice(current.text, edits)
    return text === current.text ? current : parse(current.bom + text)
  }
  const documentAfterRemoval = rewrite(document, listDeletions(document, change))
  const result = rewrite(documentAfterRemoval, insertions(documentAfterRemoval, change))
  verifyEdit(document, result, change)
  return result
}

/** Text edits that delete all removed settings but keep the comments around them. */
function listDeletions(document: TreeDocument, rootChange: RootChange): TextEdit[] {
  const listNodeDeletions = (node: TreeNode, change: Change, holder?: Entry): TextEdit[] => {
    if (change.kind === 'list' && node.kind === 'list') {
      const items = change.items.filter(isRemoval).flatMap((item) => findItems(node, item))
      return deleteEntries(document, node, new Set(items), holder)
    }
    if (change.kind !== 'within' || node.kind !== 'map') return []
    const edits: TextEdit[] = []
    const removedEntries = new Set<Entry>()
    for (const entry of node.entries) {
      const { key, value } = entry
      const nestedChange = key === undefined || key.isMerge ? undefined : change.changes.get(key.name)
      if (nestedChange?.kind === 'remove') removedEntries.add(entry)
      else if (nestedChange !== undefined) edits.push(...listNodeDeletions(value, nestedChange, entry))
    }
    return [...edits, ...deleteEntries(document, node, removedEntries, holder)]
  }
  const { root } = document
  return root === undefined ? [] : mergeDeletions(listNodeDeletions(root, rootChange))
}

function deleteEntries(
  document: TreeDocument,
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

/** Offset after the anchor and tag of a value on the line of its key. Otherwise the offset after the key's colon. */
function propertiesEnd({ text }: TreeDocument, { outer, start }: Collection, colon: number): number {
  const properties = outer < start ? /^[&!]\S*(?:[ \t]+[&!]\S*)?/.exec(text.slice(outer, start)) : null
  return properties === null ? colon : outer + properties[0].length
}

/** Deletes the lines of an entry. Ensures that comments below do not become part of a multiline text above. */
function lineDeletions(document: TreeDocument, entry: Entry, entryAbove: Entry | undefined): TextEdit[] {
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
function buildDeletionEdits({ text, comments }: TreeDocument, entry: Entry, isGreedy: boolean): TextEdit[] {
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

const createRemovalEdit = (start: number, end: number): TextEdit => replaceRange(start, end, '')
