import {
  type Change,
  type Changes,
  findItems,
  type ItemChange,
  isList,
  listNewItems,
  newValue,
  RawText,
  type RenderableValue,
  type RootChange,
  toPlainJson,
} from './changes'
import { isJsonObject, isSameJson, type Json, replaceRange, type TextEdit } from './editor'
import { appendEntries, type FlowLayout, fillBrackets, hasLineBreak, isComma, listGapTokens } from './flow-edits'
import type { JsonDocument } from './json-document'
import { isFirstInLine, lineStart, type Span } from './text'
import { type Collection, findEntry, nodeToJson, type TreeNode } from './tree'

export function insertions(document: JsonDocument, change: RootChange): TextEdit[] {
  const { root, text, comments } = document
  const style = { eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: detectIndent(text, root) }
  if (root !== undefined) return buildNodeEdits({ text, style, around: undefined }, root, change)
  const value = newValue(change)
  if (value === undefined) return []
  const layout = defaultLayout(style)
  const contentLength = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (contentLength === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [replaceRange(contentLength, text.length, content)]
}

function buildNodeEdits(setting: Omit<ContainerPosition, 'container'>, node: TreeNode, change: Change): TextEdit[] {
  if (change.kind === 'within' && node.kind === 'map')
    return buildObjectEdits({ ...setting, container: node }, change.changes)
  if (change.kind === 'list' && node.kind === 'list') return changeList({ ...setting, container: node }, change.items)
  return []
}

/** Replaces a value. `position` locates the entry that contains it. */
function replace(position: ContainerPosition, node: TreeNode, value: Json | RawText): TextEdit[] {
  if (isSameJson(nodeToJson(node), toPlainJson(value))) return []
  const layout = detectElementLayout(position, detectLayout(position), node)
  return [replaceRange(node.start, node.end, render(value, layout))]
}

function buildObjectEdits(position: ContainerPosition, changes: Changes): TextEdit[] {
  const edits: TextEdit[] = []
  const addedProperties: [string, RenderableValue][] = []
  for (const [name, change] of changes) {
    const existingValue = findEntry(position.container, name)?.value
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
  const { length } = container.entries
  for (const change of changes) {
    const [existing] = findItems(container, change)
    if (existing !== undefined) {
      if (change.kind === 'element' && change.value !== undefined)
        edits.push(...replace(position, existing.value, change.value))
      continue
    }
    for (const { value, place } of listNewItems(change)) {
      const index = typeof place === 'number' ? Math.min(place, length) : { first: 0, last: length }[place]
      addedItemsByIndex.set(index, [...(addedItemsByIndex.get(index) ?? []), value])
    }
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

/** `index` of an element: its position in the list, or the number of entries to insert it after the last one. */
type Addition = {
  readonly items: readonly string[]
  readonly layout: Layout
  readonly index: number | undefined
}

function insertAtPosition(position: ContainerPosition, addition: Addition): TextEdit[] {
  const { text, container } = position
  const { items, layout, index } = addition
  const nextEntry = index === undefined ? undefined : container.entries[index]
  if (nextEntry !== undefined) return insertBefore(position, nextEntry, addition)
  return container.entries.length === 0
    ? fillBrackets(text, container, items, layout, container.kind === 'map' ? layout.pad : '')
    : appendEntries(text, container, items, layout)
}

/** Inserts before an entry, after the bracket or comma and the comments on that line. */
function insertBefore(
  { text, container }: ContainerPosition,
  nextEntry: Span,
  { items, layout, index = 0 }: Addition,
): TextEdit[] {
  const previousEntry = container.entries[index - 1]
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

type Style = { readonly eol: string; readonly unit: string }

/** Layout of one object or list. `colon`: white space between a name and its value. `pad`: inside the brackets. */
type Layout = Style & FlowLayout & { readonly colon: string; readonly pad: string }

const INDENT_UNIT = '  '

function defaultLayout({ eol }: Style): Layout {
  return { isMultiline: true, indent: INDENT_UNIT, outer: '', unit: INDENT_UNIT, eol, colon: ': ', gap: ' ', pad: '' }
}

type ContainerPosition = {
  readonly text: string
  readonly style: Style
  readonly container: Collection
  readonly around: Collection | undefined
}

function detectLayout({ text, style, container, around }: ContainerPosition): Layout {
  const baseLayout = { ...defaultLayout(style), unit: style.unit, outer: indentOfLine(text, container.start) }
  const { entries } = container
  const neighbour = entries.findLast((entry) => isFirstInLine(text, entry.start))
  if (neighbour !== undefined)
    return { ...baseLayout, ...spacing(text, container, around), indent: indentOfLine(text, neighbour.start) }
  const indent = baseLayout.outer + baseLayout.unit
  if (entries.length > 0) return { ...baseLayout, ...spacing(text, container, around), indent, isMultiline: false }
  if (around === undefined) return { ...baseLayout, indent }
  const isMultiline = around.entries.some((entry) => isFirstInLine(text, entry.start))
  return { ...baseLayout, ...spacing(text, around), indent, isMultiline }
}

/** Layout of a new list element: on a single line if `like`, or else the last object of the list, is. */
function detectElementLayout({ text, container }: ContainerPosition, layout: Layout, like?: TreeNode): Layout {
  if (container.kind !== 'list') return layout
  const lastObject = container.entries.findLast(({ value }) => value.kind === 'map' && value.entries.length > 0)
  const neighbour = like ?? lastObject?.value
  if (neighbour?.kind !== 'map' || hasLineBreak(text, neighbour)) return layout
  return { ...layout, ...spacing(text, neighbour), isMultiline: false }
}

function render(value: RenderableValue, layout: Layout): string {
  if (value instanceof RawText) return value.parts.text
  const innerLayout = { ...layout, indent: layout.indent + layout.unit }
  if (value instanceof Map) {
    const members = [...value].map((entry) => renderMember(entry, innerLayout))
    return renderEntries(members, layout, '{}')
  }
  if (isList(value)) {
    const items = value.map((item) => render(item, innerLayout))
    return renderEntries(items, layout, '[]')
  }
  return isJsonObject(value) ? render(new Map(Object.entries(value)), layout) : JSON.stringify(value)
}

function renderMember([name, value]: readonly [string, RenderableValue], layout: Layout): string {
  const head = value instanceof RawText ? value.parts.key : undefined
  return (head ?? JSON.stringify(name) + layout.colon) + render(value, layout)
}

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
function detectIndent(text: string, root: TreeNode | undefined): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    if (node.kind !== 'map' && node.kind !== 'list') continue
    const entry = node.entries.find(({ start }) => isFirstInLine(text, start))
    if (entry !== undefined) {
      const [outer, indent] = [indentOfLine(text, node.start), indentOfLine(text, entry.start)]
      if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length)
    }
    for (const { value } of node.entries) nodes.push(value)
  }
  return INDENT_UNIT
}

function spacing(text: string, container: Collection, around?: Collection): Pick<Layout, 'colon' | 'gap' | 'pad'> {
  const padding = text[container.start + 1] === ' ' && text[container.end - 2] === ' ' ? ' ' : ''
  const [lastEntry, previous] = [container.entries.at(-1), container.entries.at(-2)]
  if (lastEntry?.key !== undefined) {
    const separatorText = text.slice(lastEntry.key.node.end, lastEntry.value.start)
    const colonText = /^ ?: ?$/.test(separatorText) ? separatorText : ': '
    return { colon: colonText, gap: colonText.endsWith(' ') ? ' ' : '', pad: padding }
  }
  const nested = lastEntry?.value
  const outerContainer = around ?? (nested?.kind === 'map' || nested?.kind === 'list' ? nested : undefined)
  const outerSpacing = outerContainer === undefined ? { colon: ': ', gap: ' ' } : spacing(text, outerContainer)
  const separatorText = lastEntry && previous ? text.slice(previous.end, lastEntry.start) : ''
  return { ...outerSpacing, gap: /^, ?$/.test(separatorText) ? separatorText.slice(1) : outerSpacing.gap, pad: padding }
}
