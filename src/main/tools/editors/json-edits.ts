import { isJsonObject, isSameJson, type Json, mergeDeletions, replaceRange, type TextEdit } from './editor'
import {
  appendEntries,
  type FlowLayout,
  fillBrackets,
  findDeletionSpans,
  hasLineBreak,
  isComma,
  listGapTokens,
} from './flow-edits'
import {
  type Change,
  type Changes,
  type ItemChange,
  isRemoval,
  matchItems,
  RawJson,
  type RootChange,
  toPlainJson,
} from './json-changes'
import {
  type Container,
  findMember,
  findMembers,
  isFirstInLine,
  type JsonDocument,
  lineStart,
  listEntries,
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
  for (const [name, change] of changes) {
    const existingValue = findMember(position.container, name)?.value
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
  const { text, container } = position
  const { items, layout, index } = addition
  const entries = listEntries(container)
  const nextEntry = index === undefined ? undefined : entries[index]
  if (nextEntry !== undefined) return insertBefore(position, nextEntry, addition)
  return entries.length === 0
    ? fillBrackets(text, container, items, layout, container.type === 'object' ? layout.pad : '')
    : appendEntries(text, { ...container, entries }, items, layout)
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
  if (!layout.isMultiline && !isAtLineEnd)
    return [{ offset: target, length: 0, content: items.map((item) => `${item},${layout.gap}`).join('') }]
  const lineStart = layout.eol + layout.indent
  const content = items.map((item) => `${lineStart}${item},`).join('')
  if (hasLineBreak(text, { start: insertOffset, end: target })) return [{ offset: insertOffset, length: 0, content }]
  return [{ offset: insertOffset, length: target - insertOffset, content: content + lineStart }]
}

type Style = {
  readonly eol: string
  readonly unit: string
}

/** Layout of one object or list. `colon`: white space between a name and its value. `pad`: inside the brackets. */
type Layout = Style & FlowLayout & { readonly colon: string; readonly pad: string }

/** A value to write. A map is an object whose values may include exact source texts. */
type RenderableValue = Json | RawJson | Map<string, RenderableValue> | readonly RenderableValue[]

const INDENT_UNIT = '  '

/** Detects the line break, and the indentation of the outermost entry on its own line. */
function detectStyle({ text, root }: JsonDocument): Style {
  return { eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: detectIndent(text, root) }
}

function defaultLayout({ eol }: Style): Layout {
  return { isMultiline: true, indent: INDENT_UNIT, outer: '', unit: INDENT_UNIT, eol, colon: ': ', gap: ' ', pad: '' }
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
  if (entries.length > 0) return { ...baseLayout, ...spacing(text, container, around), indent, isMultiline: false }
  if (around === undefined) return { ...baseLayout, indent }
  const isMultiline = listEntries(around).some((entry) => isFirstInLine(text, entry.start))
  return { ...baseLayout, ...spacing(text, around), indent, isMultiline }
}

/**
 * Layout of a new list element: a single line if `like` is on a single line. Without `like`, the last object of the
 * list decides.
 */
function detectElementLayout({ text, container }: ContainerPosition, layout: Layout, like?: Node): Layout {
  if (container.type !== 'list') return layout
  const neighbour = like ?? container.items.findLast((item) => item.type === 'object' && item.members.length > 0)
  if (neighbour?.type !== 'object' || hasLineBreak(text, neighbour)) return layout
  return { ...layout, ...spacing(text, neighbour), isMultiline: false }
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
  if (!layout.isMultiline) return open + padding + entries.join(`,${layout.gap}`) + padding + close
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
export function deletions({ text, root }: JsonDocument, change: Change): TextEdit[] {
  const spans = root === undefined ? [] : listDeletionSpans(text, root, change)
  return mergeDeletions(spans.map(({ start, end }) => replaceRange(start, end, '')))
}

function listDeletionSpans(text: string, node: Node, change: Change): Span[] {
  if (node.type === 'list' && change.kind === 'list') {
    const removedItems = [...matchItems(node, change.items)].flatMap(([item, matchingNodes]) =>
      isRemoval(item) ? matchingNodes : [],
    )
    return findDeletionSpans(text, { ...node, entries: node.items }, new Set(removedItems))
  }
  if (node.type !== 'object' || change.kind !== 'within') return []
  const removedMembers = new Set<Member>()
  const spans: Span[] = []
  for (const [name, memberChange] of change.changes)
    for (const member of findMembers(node, name)) {
      if (memberChange.kind === 'remove') removedMembers.add(member)
      else spans.push(...listDeletionSpans(text, member.value, memberChange))
    }
  return [...spans, ...findDeletionSpans(text, { ...node, entries: node.members }, removedMembers)]
}
