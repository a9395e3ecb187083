import { isJsonObject, isSameJson, type Json, mergeDeletions, type TextEdit } from './editor'
import {
  type Change,
  type Changes,
  type ItemChange,
  matchItems,
  RawJson,
  type RootChange,
  toPlainJson,
} from './json-changes'
import {
  type Container,
  findMembersByName,
  findWhitespaceEnd,
  findWhitespaceStart,
  type GapToken,
  isFirstInLine,
  type JsonDocument,
  lineStart,
  listEntries,
  listGapTokens,
  type Member,
  type Node,
  nodeToJson,
  type Span,
} from './json-document'

export function insertions(document: JsonDocument, change: RootChange): TextEdit[] {
  const { root, text } = document
  const style = detectStyle(document)
  if (root === undefined) return newRoot(document, change, style)
  return buildNodeEdits({ text, style, around: undefined }, root, change)
}

function buildNodeEdits(setting: Omit<ContainerPosition, 'container'>, node: Node, change: Change): TextEdit[] {
  if (change.kind === 'within' && node.type === 'object')
    return buildObjectEdits({ ...setting, container: node }, change.changes)
  if (change.kind === 'list' && node.type === 'list') return changeList({ ...setting, container: node }, change.items)
  return []
}

/** Replaces a value. `position` locates the entry that contains it. */
function replace(position: ContainerPosition, node: Node, value: Json | RawJson): TextEdit[] {
  if (isSameJson(nodeToJson(node), toPlainJson(value))) return []
  const layout = detectElementLayout(position, detectLayout(position), node)
  return [{ offset: node.start, length: node.end - node.start, content: render(value, layout) }]
}

function buildObjectEdits(position: ContainerPosition, changes: Changes): TextEdit[] {
  const edits: TextEdit[] = []
  const addedProperties: [string, RenderableValue][] = []
  const membersByName = findMembersByName(position.container, changes)
  for (const [name, change] of changes) {
    const existingValue = membersByName.get(name)?.at(-1)?.value
    if (existingValue !== undefined && change.kind === 'set')
      edits.push(...replace(position, existingValue, change.value))
    else if (existingValue !== undefined)
      edits.push(...buildNodeEdits({ ...position, around: position.container }, existingValue, change))
    else {
      const value = newValue(change)
      if (value !== undefined) addedProperties.push([name, value])
    }
  }
  if (addedProperties.length === 0) return edits
  const layout = detectLayout(position)
  const items = addedProperties.map((member) => renderMember(member, layout))
  return [...edits, ...insertAtPosition(position, { items, layout, index: undefined })]
}

function changeList(position: ContainerPosition, changes: readonly ItemChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const addedItemsByIndex = new Map<number, RenderableValue[]>()
  const { container } = position
  for (const [change, [existing]] of matchItems(container, changes)) {
    const value = newItem(change)
    if (value === undefined) continue
    if (existing === undefined) {
      const index = toInsertIndex(container, change)
      const itemsAtIndex = addedItemsByIndex.get(index)
      if (itemsAtIndex === undefined) addedItemsByIndex.set(index, [value])
      else itemsAtIndex.push(value)
    } else if (change.kind === 'element' && change.value !== undefined)
      edits.push(...replace(position, existing, change.value))
  }
  if (addedItemsByIndex.size === 0) return edits
  const layout = detectLayout(position)
  const elementLayout = detectElementLayout(position, layout)
  return [
    ...edits,
    ...[...addedItemsByIndex].flatMap(([index, values]) =>
      insertAtPosition(position, { items: values.map((value) => render(value, elementLayout)), layout, index }),
    ),
  ]
}

/** Index at which a new element is inserted. The number of entries inserts it after the last one. */
function toInsertIndex(container: Container, change: ItemChange): number {
  const { length } = listEntries(container)
  if (change.place === 'last') return length
  return change.place === 'first' ? 0 : Math.min(change.place, length)
}

function newItem(change: ItemChange): RenderableValue | undefined {
  return change.kind === 'element' ? change.value : change.present ? change.member : undefined
}

/** Value to create for a missing property. Undefined if the change creates nothing. */
function newValue(change: Change): RenderableValue | undefined {
  if (change.kind === 'remove') return undefined
  if (change.kind === 'set') return change.value
  if (change.kind === 'list') return newList(change.items)
  const changesInMember = new Map<string, RenderableValue>()
  for (const [name, child] of change.changes) {
    const value = newValue(child)
    if (value !== undefined) changesInMember.set(name, value)
  }
  return changesInMember.size === 0 ? undefined : changesInMember
}

/** Value of a new list with the new elements. Undefined if there are none: a member text alone creates no list. */
function newList(changes: readonly ItemChange[]): RenderableValue | undefined {
  const elements = changes.filter((change) => change.kind === 'element' && change.value !== undefined)
  const isFirst = (change: ItemChange): boolean => change.kind === 'element' && change.place === 'first'
  const orderedElements = [...elements.filter(isFirst), ...elements.filter((change) => !isFirst(change))]
  const values = orderedElements.map(newItem).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : values
}

function newRoot({ text, comments }: JsonDocument, change: RootChange, style: Style): TextEdit[] {
  const value = newValue(change)
  if (value === undefined) return []
  const layout = defaultLayout(style)
  const contentLength = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (contentLength === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [{ offset: contentLength, length: text.length - contentLength, content }]
}

type Addition = {
  readonly items: readonly string[]
  readonly layout: Layout
  readonly index: number | undefined
}

function insertAtPosition(position: ContainerPosition, addition: Addition): TextEdit[] {
  const entries = listEntries(position.container)
  const nextEntry = addition.index === undefined ? undefined : entries[addition.index]
  if (nextEntry !== undefined) return insertBefore(position, nextEntry, addition)
  return entries.length === 0 ? fillEmptyContainer(position, addition) : appendToContainer(position, addition)
}

/** Inserts an entry into empty brackets, after any comments. */
function fillEmptyContainer({ text, container }: ContainerPosition, { items, layout }: Addition): TextEdit[] {
  const start = container.start + 1
  const end = container.end - 1
  const comment = listGapTokens(text, { start, end }).at(-1)
  const { eol, indent, outer, gap } = layout
  const padding = container.type === 'object' ? layout.pad : ''
  if (comment === undefined) {
    const content = layout.multiline
      ? eol + items.map((item) => indent + item).join(`,${eol}`) + eol + outer
      : padding + items.join(`,${gap}`) + padding
    return [{ offset: start, length: end - start, content }]
  }
  const textAfter = text.slice(comment.end, end)
  const content = items.map((item) => eol + indent + item).join(',')
  if (/[\r\n]/.test(textAfter)) return [{ offset: comment.end, length: 0, content }]
  return [{ offset: comment.end, length: textAfter.length, content: content + eol + outer }]
}

/** Appends after the last entry and its comments. If that entry has a trailing comma, the new one gets one as well. */
function appendToContainer({ text, container }: ContainerPosition, { items, layout }: Addition): TextEdit[] {
  const lastEntry = listEntries(container).at(-1)
  if (lastEntry === undefined) return []
  const tokens = listGapTokens(text, { start: lastEntry.end, end: container.end - 1 })
  const trailingComma = tokens.some(isComma)
  const isMultiline = layout.multiline || tokens.at(-1)?.kind === 'line-comment'
  const prefix = isMultiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => prefix + item).join(',') + (trailingComma ? ',' : '')
  const insertOffset = tokens.at(-1)?.end ?? lastEntry.end
  if (trailingComma) return [{ offset: insertOffset, length: 0, content }]
  if (insertOffset === lastEntry.end) return [{ offset: insertOffset, length: 0, content: `,${content}` }]
  return [
    { offset: lastEntry.end, length: 0, content: ',' },
    { offset: insertOffset, length: 0, content },
  ]
}

/** Inserts before an entry, after the bracket or comma and the comments on that line. */
function insertBefore(
  { text, container }: ContainerPosition,
  nextEntry: Span,
  { items, layout, index = 0 }: Addition,
): TextEdit[] {
  const previousEntry = listEntries(container)[index - 1]
  const tokens = listGapTokens(text, { start: previousEntry?.end ?? container.start + 1, end: nextEntry.start })
  const comma = tokens.findIndex(isComma)
  const opener = tokens[comma]?.end ?? container.start + 1
  const comments = tokens.slice(comma + 1)
  const commentsOnLine = comments.filter(({ start }) => !hasLineBreak(text, { start: opener, end: start }))
  const lastComment = commentsOnLine.at(-1)
  const nextTokenStart = comments[commentsOnLine.length]?.start ?? nextEntry.start
  const isAtLineEnd = lastComment !== undefined && hasLineBreak(text, { start: lastComment.end, end: nextTokenStart })
  const insertOffset = isAtLineEnd ? lastComment.end : opener
  const target = isAtLineEnd ? nextTokenStart : (comments[0]?.start ?? nextEntry.start)
  if (!layout.multiline && !isAtLineEnd)
    return [{ offset: target, length: 0, content: items.map((item) => `${item},${layout.gap}`).join('') }]
  const lineStart = layout.eol + layout.indent
  const content = items.map((item) => `${lineStart}${item},`).join('')
  if (hasLineBreak(text, { start: insertOffset, end: target })) return [{ offset: insertOffset, length: 0, content }]
  return [{ offset: insertOffset, length: target - insertOffset, content: content + lineStart }]
}

const isComma = ({ kind }: GapToken): boolean => kind === 'comma'

type Style = {
  readonly eol: string
  readonly unit: string
}

/** Layout of one object or list: each entry on its own line with `indent`, or all on a single line. */
type Layout = Style & {
  readonly multiline: boolean
  readonly indent: string
  /** Indentation of a closing bracket on its own line. */
  readonly outer: string
  /** White space. `colon`: between a name and its value. `gap`: after a comma on a single line. */
  readonly colon: string
  readonly gap: string
  /** White space inside the brackets of a single-line object or list. */
  readonly pad: string
}

/** A value to write. A map is an object whose values may include exact source texts. */
type RenderableValue = Json | RawJson | Map<string, RenderableValue> | readonly RenderableValue[]

const INDENT_UNIT = '  '

/** Detects the line break, and the indentation of the outermost entry on its own line. */
function detectStyle({ text, root }: JsonDocument): Style {
  return { eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: detectIndent(text, root) }
}

function defaultLayout({ eol }: Style): Layout {
  return { multiline: true, indent: INDENT_UNIT, outer: '', unit: INDENT_UNIT, eol, colon: ': ', gap: ' ', pad: '' }
}

type ContainerPosition = {
  readonly text: string
  readonly style: Style
  readonly container: Container
  readonly around: Container | undefined
}

function detectLayout({ text, style, container, around }: ContainerPosition): Layout {
  const baseLayout = { ...defaultLayout(style), unit: style.unit, outer: indentOfLine(text, container.start) }
  const entries = listEntries(container)
  const neighbour = entries.findLast((entry) => isFirstInLine(text, entry.start))
  if (neighbour !== undefined)
    return { ...baseLayout, ...spacing(text, container, around), indent: indentOfLine(text, neighbour.start) }
  const indent = baseLayout.outer + baseLayout.unit
  if (entries.length > 0) return { ...baseLayout, ...spacing(text, container, around), indent, multiline: false }
  if (around === undefined) return { ...baseLayout, indent }
  const isMultiline = listEntries(around).some((entry) => isFirstInLine(text, entry.start))
  return { ...baseLayout, ...spacing(text, around), indent, multiline: isMultiline }
}

/**
 * Layout of a new list element: a single line if `like` is on a single line. Without `like`, the last object of the
 * list decides.
 */
function detectElementLayout({ text, container }: ContainerPosition, layout: Layout, like?: Node): Layout {
  if (container.type !== 'list') return layout
  const neighbour = like ?? container.items.findLast((item) => item.type === 'object' && item.members.length > 0)
  if (neighbour?.type !== 'object' || hasLineBreak(text, neighbour)) return layout
  return { ...layout, ...spacing(text, neighbour), multiline: false }
}

function render(value: RenderableValue, layout: Layout): string {
  if (value instanceof RawJson) return value.text
  if (value instanceof Map) {
    const members = [...value].map((entry) => renderMember(entry, indentLayout(layout)))
    return renderEntries(members, layout, '{}')
  }
  if (isList(value)) {
    const items = value.map((item) => render(item, indentLayout(layout)))
    return renderEntries(items, layout, '[]')
  }
  return isJsonObject(value) ? render(new Map(Object.entries(value)), layout) : JSON.stringify(value)
}

function renderMember([name, value]: readonly [string, RenderableValue], layout: Layout): string {
  return value instanceof RawJson ? value.whole : JSON.stringify(name) + layout.colon + render(value, layout)
}

const isList = (value: RenderableValue): value is readonly RenderableValue[] => Array.isArray(value)

const indentLayout = (layout: Layout): Layout => ({ ...layout, indent: layout.indent + layout.unit })

function renderEntries(entries: readonly string[], layout: Layout, brackets: '{}' | '[]'): string {
  const [open, close] = brackets
  if (entries.length === 0) return brackets
  const padding = brackets === '{}' ? layout.pad : ''
  if (!layout.multiline) return open + padding + entries.join(`,${layout.gap}`) + padding + close
  const { eol, indent, unit } = layout
  return open + eol + entries.map((entry) => indent + unit + entry).join(`,${eol}`) + eol + indent + close
}

function indentOfLine(text: string, offset: number): string {
  const start = lineStart(text, offset)
  let end = start
  while (end < offset && (text[end] === ' ' || text[end] === '\t')) end += 1
  return text.slice(start, end)
}

/** Indentation of one level: how much an entry on its own line is indented more than the line of its bracket. */
function detectIndent(text: string, root: Node | undefined): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    if (node.type === 'literal') continue
    const entry = listEntries(node).find(({ start }) => isFirstInLine(text, start))
    if (entry !== undefined) {
      const [outer, indent] = [indentOfLine(text, node.start), indentOfLine(text, entry.start)]
      if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length)
    }
    for (const child of listEntries(node)) nodes.push('type' in child ? child : child.value)
  }
  return INDENT_UNIT
}

function spacing(text: string, container: Container, around?: Container): Pick<Layout, 'colon' | 'gap' | 'pad'> {
  const padding = text[container.start + 1] === ' ' && text[container.end - 2] === ' ' ? ' ' : ''
  const [lastEntry, previous] = [listEntries(container).at(-1), listEntries(container).at(-2)]
  if (lastEntry !== undefined && 'name' in lastEntry) {
    const separatorText = text.slice(lastEntry.nameEnd, lastEntry.value.start)
    const colonText = /^ ?: ?$/.test(separatorText) ? separatorText : ': '
    return { colon: colonText, gap: colonText.endsWith(' ') ? ' ' : '', pad: padding }
  }
  const outerContainer = around ?? (lastEntry === undefined || lastEntry.type === 'literal' ? undefined : lastEntry)
  const outerSpacing = outerContainer === undefined ? { colon: ': ', gap: ' ' } : spacing(text, outerContainer)
  const separatorText = lastEntry && previous ? text.slice(previous.end, lastEntry.start) : ''
  return { ...outerSpacing, gap: /^, ?$/.test(separatorText) ? separatorText.slice(1) : outerSpacing.gap, pad: padding }
}

/** Text edits that delete all removed settings but keep the comments around them. */
export function deletions(document: JsonDocument, change: Change): TextEdit[] {
  const spans = document.root === undefined ? [] : listSpans(document, document.root, change)
  return mergeDeletions(spans.map(({ start, end }) => ({ offset: start, length: end - start, content: '' })))
}

type Entry = Member | Node

function listSpans(document: JsonDocument, node: Node, change: Change): Span[] {
  const deletedEntries = new Set<Entry>()
  const spans: Span[] = []
  if (node.type === 'list' && change.kind === 'list')
    for (const [item, matchingNodes] of matchItems(node, change.items)) {
      const isDeleted = item.kind === 'member' ? !item.present : item.value === undefined
      if (isDeleted) for (const child of matchingNodes) deletedEntries.add(child)
    }
  if (node.type === 'object' && change.kind === 'within')
    for (const [name, namedMembers] of findMembersByName(node, change.changes))
      for (const member of namedMembers) {
        const memberChange = change.changes.get(name)
        if (memberChange?.kind === 'remove') deletedEntries.add(member)
        else if (memberChange !== undefined) spans.push(...listSpans(document, member.value, memberChange))
      }
  return node.type === 'literal' ? spans : [...spans, ...findDeletionSpans(document, node, deletedEntries)]
}

function findDeletionSpans({ text }: JsonDocument, container: Container, doomed: ReadonlySet<Entry>): Span[] {
  if (doomed.size === 0) return []
  const entries = listEntries(container)
  const innerSpan = { start: container.start + 1, end: container.end - 1 }
  /**
   * Commas and comments before the entry at an index. An index equal to the number of entries selects those after the
   * last entry.
   */
  const getGapTokens = (index: number): GapToken[] =>
    listGapTokens(text, {
      start: entries[index - 1]?.end ?? innerSpan.start,
      end: entries[index]?.start ?? innerSpan.end,
    })
  const becomesEmpty = doomed.size === entries.length
  if (
    becomesEmpty &&
    entries.every((_, index) => hasOnlyCommas(getGapTokens(index))) &&
    hasOnlyCommas(getGapTokens(entries.length))
  )
    return [innerSpan]

  const spans: Span[] = []
  let leadingTokenKind: GapToken['kind'] | undefined
  for (const [index, entry] of entries.entries()) {
    if (!doomed.has(entry)) continue
    const [before, after] = [getGapTokens(index), getGapTokens(index + 1)]
    const followsDeletedEntry =
      before.length === 1 && before[0]?.kind === 'comma' && doomed.has(entries[index - 1] ?? entry)
    leadingTokenKind = followsDeletedEntry ? leadingTokenKind : before.at(-1)?.kind
    spans.push(...getEntrySpans(text, entry, before, after, leadingTokenKind))
  }
  const lastEntry = entries.at(-1)
  const isLastEntryRemoved = lastEntry !== undefined && doomed.has(lastEntry)
  if (isLastEntryRemoved && hasNoComma(getGapTokens(entries.length)))
    spans.push(...getGapTokens(entries.findLastIndex((entry) => !doomed.has(entry)) + 1).filter(isComma))
  return spans
}

const hasOnlyCommas = (gap: readonly GapToken[]): boolean => gap.every(isComma)

const hasNoComma = (gap: readonly GapToken[]): boolean => !gap.some(isComma)

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
  const entrySpan = { start: entry.start, end: entry.end }
  const comma = after.find(isComma)
  const end = comma?.end ?? entrySpan.end
  const trailingBlankSpan = { start: end, end: findWhitespaceEnd(text, end) }
  const leadingBlankSpan = {
    start: before.at(-1)?.end ?? findWhitespaceStart(text, entrySpan.start, ' \t\r\n'),
    end: entrySpan.start,
  }
  const nextCharacter = text[trailingBlankSpan.end]
  const isAtLineEnd = nextCharacter === undefined || nextCharacter === '\n' || nextCharacter === '\r'

  if (comma !== undefined && after[0] !== comma) return [entrySpan, comma, trailingBlankSpan]
  const removedSpan = { start: entrySpan.start, end: isAtLineEnd ? trailingBlankSpan.end : end }
  // Keep the line break if a line comment precedes it or another entry follows.
  const isBeforeEntry = hasLineBreak(text, leadingBlankSpan) && nextCharacter !== '}' && nextCharacter !== ']'
  if (nextCharacter === '/' || (!isAtLineEnd && (lead === 'line-comment' || isBeforeEntry)))
    return [removedSpan, trailingBlankSpan]
  const isFirstOfLine = before.length === 0 && comma !== undefined && !isAtLineEnd
  return isFirstOfLine ? [removedSpan, trailingBlankSpan] : [leadingBlankSpan, removedSpan]
}

function hasLineBreak(text: string, { start, end }: Span): boolean {
  return /[\r\n]/.test(text.slice(start, end))
}
