import { stringify } from 'yaml'
import {
  type Change,
  type Changes,
  createDeletionEdit,
  findItems,
  type ItemChange,
  isList,
  listNewItems,
  newValue,
  RawText,
  type RenderableValue,
  toRawText,
} from './changes'
import { isJsonObject, isSameJson, type Json, replaceRange, type TextEdit } from './editor'
import { type FlowLayout, insertEntries } from './flow-edits'
import { lineEnd, lineStart, nextLine } from './text'
import { type Collection, type Entry, findEntry, getColumn, isNull, nodeToJson, type TreeNode } from './tree'
import type { YamlDocument } from './yaml-document'

export function insertions(document: YamlDocument, { changes }: { readonly changes: Changes }): TextEdit[] {
  const site = { document, style: detectStyle(document) }
  const { root } = document
  if (root !== undefined) return createInsertions(site, root, changes)
  const value = newValue({ kind: 'within', changes })
  return value instanceof Map ? newRoot(site, value) : []
}

function createInsertions(site: EditContext, map: Collection, changes: Changes): TextEdit[] {
  const splices: TextEdit[] = []
  const addedPairs: (readonly [string, RenderableValue])[] = []
  for (const [name, change] of changes) {
    const entry = findEntry(map, name)
    if (entry !== undefined) splices.push(...changeExistingEntry(site, map, entry, name, change))
    else {
      const value = newValue(change)
      if (value !== undefined) addedPairs.push([name, value])
    }
  }
  if (addedPairs.length === 0) return splices
  const column = getColumn(site.document.text, map.start)
  const addedText = map.flow
    ? insertIntoFlow(site, map, addedPairs.map(formatFlowEntry))
    : appendLines(
        site,
        map,
        addedPairs.map((pair) => entryText(pair, column, site.style)),
      )
  return [...splices, ...addedText]
}

function changeExistingEntry(
  site: EditContext,
  map: Collection,
  entry: Entry,
  name: string,
  change: Change,
): TextEdit[] {
  const { value } = entry
  const replacement = (wantedValue: RenderableValue): TextEdit[] =>
    map.flow ? replaceFlowEntry(entry, [name, wantedValue]) : replaceValue(site, entry, wantedValue)
  if (change.kind === 'set')
    return isSameValue(site.document, entry, map.flow, change.value) ? [] : replacement(change.value)
  if (change.kind === 'remove') return []
  const isEmpty = isNull(value) || isExpandable(site, map, entry)
  if (isEmpty) {
    const wantedValue = newValue(change, true)
    return wantedValue === undefined ? [] : replacement(wantedValue)
  }
  if (change.kind === 'within') return value.kind === 'map' ? createInsertions(site, value, change.changes) : []
  return value.kind === 'list' ? itemInsertions(site, value, change.items) : []
}

/** Whether an empty `{}` or `[]` in a block mapping can be replaced by block style. False if it contains a comment. */
function isExpandable({ document }: EditContext, map: Collection, { value }: Entry): boolean {
  if (map.flow || (value.kind !== 'map' && value.kind !== 'list') || value.entries.length > 0) return false
  return !document.text.slice(value.start, value.end).includes('#')
}

/** Inserts the first settings of an empty document: after comments and `---`, before `...`. */
function newRoot({ document, style }: EditContext, settings: ReadonlyMap<string, RenderableValue>): TextEdit[] {
  const { text } = document
  const lines = [...settings].map((pair) => entryText(pair, 0, style) + style.eol).join('')
  const marker = /^\.\.\.(?=\s|$)/m.exec(text)
  if (marker !== null) return [replaceRange(marker.index, marker.index, lines)]
  const contentLength = text.trimEnd().length
  return [replaceRange(contentLength, text.length, (contentLength === 0 ? '' : style.eol) + lines)]
}

function itemInsertions(site: EditContext, list: Collection, changes: readonly ItemChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const { length } = list.entries
  const addedItems = new Map<number | 'last', string[]>()
  for (const change of changes) {
    const [existingItem] = findItems(list, change)
    if (existingItem !== undefined) {
      edits.push(...replacement(site, list, existingItem, change))
      continue
    }
    for (const { value, place } of listNewItems(change)) {
      const index = place === 'first' ? 0 : place
      const position = length === 0 || index === 'last' || index > length ? 'last' : index
      addedItems.set(position, [...(addedItems.get(position) ?? []), renderItem(site, list, value)])
    }
  }
  return [...edits, ...[...addedItems].flatMap(([position, items]) => insertItems(site, list, position, items))]
}

function insertItems(
  site: EditContext,
  list: Collection,
  position: number | 'last',
  items: readonly string[],
): TextEdit[] {
  const { entries } = list
  if (list.flow) return insertIntoFlow(site, list, items, position === 'last' ? entries.length : position)
  if (position === 'last') return appendLines(site, list, items)
  const neighbour = entries[position - 1]
  return neighbour === undefined ? prependLines(site, list, items) : insertAfter(site, list, neighbour, items)
}

function replacement(site: EditContext, list: Collection, found: Entry, change: ItemChange): TextEdit[] {
  if (change.kind === 'member' || change.value === undefined) return []
  if (isSameValue(site.document, found, list.flow, change.value)) return []
  return [replaceRange(found.start, found.end, renderItem(site, list, change.value))]
}

function renderItem({ document, style }: EditContext, list: Collection, value: RenderableValue): string {
  return list.flow ? flowText(value) : itemText(value, getColumn(document.text, list.start), style)
}

/** Inserts entries into a flow collection, formatted like its other entries. Default: after the last one. */
function insertIntoFlow(
  site: EditContext,
  container: Collection,
  items: readonly string[],
  index = container.entries.length,
): TextEdit[] {
  return insertEntries(site.document.text, container, index, items, detectLayout(site, container))
}

function replaceFlowEntry({ start, end, key, value }: Entry, pair: readonly [string, RenderableValue]): TextEdit[] {
  const text = flowText(pair[1])
  if (text === '' || key === undefined) return [replaceRange(start, end, formatFlowEntry(pair))]
  if (value.end > value.outer) return [replaceRange(value.outer, end, text)]
  return [replaceRange(key.node.end, end, `: ${text}`)]
}

function detectLayout({ document: { text }, style }: EditContext, { start, entries }: Collection): FlowLayout {
  const outerIndent = getIndent(text, start)
  const neighbour = entries.find((entry) => /^[ \t]*$/.test(text.slice(lineStart(text, entry.start), entry.start)))
  const indent = neighbour === undefined ? outerIndent + ' '.repeat(style.mapStep) : getIndent(text, neighbour.start)
  const [firstEntry, second] = entries
  const hasNoGap = firstEntry !== undefined && second !== undefined && text.slice(firstEntry.end, second.start) === ','
  return { isMultiline: neighbour !== undefined, indent, outer: outerIndent, eol: style.eol, gap: hasNoGap ? '' : ' ' }
}

const getIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** Appends after the last entry of a block collection and its comments. */
function appendLines({ document, style }: EditContext, container: Collection, entries: readonly string[]): TextEdit[] {
  const column = getColumn(document.text, container.start)
  const insertOffset = findTailEnd(document, container, column)
  return [
    replaceRange(insertOffset, insertOffset, entries.map((entry) => formatNewLine(column, style) + entry).join('')),
  ]
}

/** Inserts lines directly below an entry's line, before any comments that follow. */
function insertAfter(
  { document, style }: EditContext,
  { start }: Collection,
  before: Entry,
  entries: readonly string[],
): TextEdit[] {
  const insertOffset = lineEnd(document.text, before.end)
  const newLine = formatNewLine(getColumn(document.text, start), style)
  return [replaceRange(insertOffset, insertOffset, entries.map((entry) => newLine + entry).join(''))]
}

/** Inserts before the first entry of a block collection and its comments. */
function prependLines({ document, style }: EditContext, { start }: Collection, entries: readonly string[]): TextEdit[] {
  const { text } = document
  const column = getColumn(text, start)
  const indentation = ' '.repeat(column)
  let lineOffset = lineStart(text, start)
  if (text.slice(lineOffset, start) !== indentation)
    return [replaceRange(start, start, entries.map((entry) => entry + formatNewLine(column, style)).join(''))]
  while (lineOffset > 0 && text.startsWith(`${indentation}#`, lineStart(text, lineOffset - 1)))
    lineOffset = lineStart(text, lineOffset - 1)
  return [replaceRange(lineOffset, lineOffset, entries.map((entry) => indentation + entry + style.eol).join(''))]
}

/** Replaces the value of a key in a block mapping. Keeps the comments after the key and after the value. */
function replaceValue({ document, style }: EditContext, entry: Entry, value: RenderableValue): TextEdit[] {
  const { text } = document
  const { key, value: oldValue, start, end } = entry
  const colonEnd = key?.colon ?? end
  const newText = valueText(value, getColumn(text, start), style)
  const startsOnNewLine = newText.startsWith(style.eol)
  const lineOffset = lineStart(text, oldValue.outer)
  const endToKeep = oldValue.end > oldValue.outer && lineOffset > colonEnd ? lineEnd(text, lineOffset - 1) : colonEnd
  const isBlock = (oldValue.kind === 'map' || oldValue.kind === 'list') && !oldValue.flow
  if (startsOnNewLine && isBlock) return [replaceRange(endToKeep, end, newText)]
  const deletionEdit =
    endToKeep === colonEnd ? replaceRange(endToKeep, end, '') : createDeletionEdit(text, { start: endToKeep, end })
  if (startsOnNewLine) {
    const insertOffset = skipComments(text, lineEnd(text, end), getColumn(text, start))
    return [deletionEdit, replaceRange(insertOffset, insertOffset, newText)]
  }
  if (!isBlock && endToKeep === colonEnd && oldValue.end > oldValue.outer)
    return [replaceRange(newText === '' ? colonEnd : oldValue.outer, end, newText.slice(1))]
  return [replaceRange(colonEnd, colonEnd, newText), deletionEdit]
}

/** End of the comments that follow a line and are indented more than `column`. */
function skipComments(text: string, line: number, column: number): number {
  let end = line
  for (let lineOffset = nextLine(text, line); lineOffset < text.length; lineOffset = nextLine(text, lineOffset)) {
    const lineEndOffset = lineEnd(text, lineOffset)
    const indent = /^ *(?=#)/.exec(text.slice(lineOffset, lineEndOffset))?.[0].length ?? 0
    if (indent <= column) break
    end = lineEndOffset
  }
  return end
}

function findTailEnd({ text }: YamlDocument, container: Collection, column: number): number {
  let tailOffset = lineEnd(text, container.end)
  let pendingTailText = tailOffset
  for (let lineOffset = nextLine(text, tailOffset); ; lineOffset = nextLine(text, lineOffset)) {
    const lineEndOffset = lineEnd(text, lineOffset)
    const line = text.slice(lineOffset, lineEndOffset)
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0
    const isBlank = indent === line.length
    if (lineOffset >= text.length) return pendingTailText
    if (!isBlank && line[indent] !== '#') return indent < column ? pendingTailText : tailOffset
    if (!isBlank && indent < column) return pendingTailText
    if (!isBlank) pendingTailText = lineEndOffset
    if (isBlank) tailOffset = pendingTailText
  }
}

/** Text of YAML values. */

type Style = { readonly eol: string; readonly mapStep: number; readonly listStep: number }

type EditContext = { readonly document: YamlDocument; readonly style: Style }

/** Detects line break and indentation, from the first nested mapping and the first list below a key. */
function detectStyle({ text, root }: YamlDocument): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const foundSteps: { map?: number; list?: number } = {}
  const visitNode = (node: TreeNode, column: number): void => {
    if ((node.kind !== 'map' && node.kind !== 'list') || node.flow) return
    for (const { start, key, value } of node.entries) {
      if (foundSteps.map !== undefined && foundSteps.list !== undefined) return
      if (value.kind !== 'map' && value.kind !== 'list') continue
      if (key !== undefined && !value.flow)
        foundSteps[value.kind] ??= getColumn(text, value.start) - getColumn(text, start)
      visitNode(value, column)
    }
  }
  if (root !== undefined) visitNode(root, 0)
  const mapIndent = foundSteps.map ?? (foundSteps.list || 2)
  return { eol, mapStep: Math.max(1, mapIndent), listStep: Math.max(0, foundSteps.list ?? mapIndent) }
}

/** Text of a key and its value, without indentation of the first line. `column`: column of the key. */
function entryText([name, value]: readonly [string, RenderableValue], column: number, style: Style): string {
  const key = value instanceof RawText && isUsable(value, false) ? value.parts.key : undefined
  return `${key ?? `${scalarText(name, false)}:`}${valueText(value, column, style)}`
}

/** Text after the colon of a key: a value on the same line, or lines below. `column`: column of the key. */
function valueText(value: RenderableValue, column: number, style: Style): string {
  if (value instanceof RawText) return rawValueText(value, column, style)
  const mapColumn = column + style.mapStep
  const entries = toEntries(value)?.map((entry) => formatNewLine(mapColumn, style) + entryText(entry, mapColumn, style))
  const listColumn = column + style.listStep
  const items = isList(value)
    ? value.map((item) => formatNewLine(listColumn, style) + itemText(item, listColumn, style))
    : []
  return (entries ?? items).join('') || ` ${inlineText(value)}`
}

/** Text of a list item, without indentation of the first line. `column`: column of its dash. */
function itemText(value: RenderableValue, column: number, style: Style): string {
  if (value instanceof RawText) {
    if (!isUsable(value, false)) return itemText(value.value, column, style)
    return reindent(value.parts.text, column - value.parts.column, style.eol)
  }
  const nestedColumn = column + 2
  const entries = toEntries(value)?.map((entry) => entryText(entry, nestedColumn, style))
  const items = isList(value) ? value.map((item) => itemText(item, nestedColumn, style)) : []
  return `- ${(entries ?? items).join(formatNewLine(nestedColumn, style)) || inlineText(value)}`
}

function formatFlowEntry([name, value]: readonly [string, RenderableValue]): string {
  const key = value instanceof RawText && isUsable(value, true) ? value.parts.key : undefined
  const text = flowText(value)
  return `${key ?? `${scalarText(name, true)}:`}${text === '' ? '' : ' '}${text}`
}

function flowText(value: RenderableValue): string {
  if (value instanceof RawText) return isUsable(value, true) ? value.parts.text : flowText(value.value)
  if (isList(value)) return `[${value.map(flowText).join(', ')}]`
  const entries = toEntries(value)
  if (entries !== undefined) return `{${entries.map(formatFlowEntry).join(', ')}}`
  return isScalar(value) ? scalarText(value, true) : ''
}

const formatNewLine = (column: number, { eol }: Style): string => eol + ' '.repeat(column)

function rawValueText(value: RawText, column: number, style: Style): string {
  if (!isUsable(value, false)) return valueText(value.value, column, style)
  const { parts } = value
  const text = reindent(parts.text, column - parts.column, style.eol)
  if (parts.isBelow) return formatNewLine(column + parts.valueColumn - parts.column, style) + text
  return text === '' ? '' : ` ${text}`
}

/** Whether a source text can be copied. Flow and block texts differ, and a flow text must be on one line. */
const isUsable = ({ parts }: RawText, flow: boolean): boolean =>
  parts.flow === flow && !(flow && parts.text.includes('\n'))

const inlineText = (value: Exclude<RenderableValue, RawText>): string =>
  isScalar(value) ? scalarText(value, false) : flowText(value)

const isScalar = (value: RenderableValue): value is null | boolean | number | string =>
  value === null || typeof value !== 'object'

function toEntries(value: Exclude<RenderableValue, RawText>): (readonly [string, RenderableValue])[] | undefined {
  if (value instanceof Map) return [...value]
  return !isList(value) && isJsonObject(value) ? Object.entries(value) : undefined
}

/** Matches texts that must be quoted, because YAML 1.1 or some YAML 1.2 parsers read them as another type. */
const yamlStringifyOptions = { lineWidth: 0, compat: 'yaml-1.1' } as const
const needsQuotesPattern = /^(?:=|<<)$|[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufdff\u{10000}-\u{10ffff}]|[\u2028\u2029]/u

/** Characters that have a special meaning in flow style for older parsers. */
const flowSpecialPattern = /[:,[\]{}#?]/

/** Characters that JSON does not escape but YAML 1.1 rejects or reads as line breaks. */
const unsafeCharacters = /[\u007f-\u009f]|[\u2028\u2029]|[\ufeff\ufffe\uffff]/g

/** Formats a scalar: plain if all parsers read the same text, else double-quoted. */
function scalarText(value: null | boolean | number | string, isFlow: boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
  if (typeof value !== 'string') return JSON.stringify(value)
  const needsQuotes = needsQuotesPattern.test(value) || (isFlow && flowSpecialPattern.test(value))
  if (!needsQuotes && stringify(value, yamlStringifyOptions) === `${value}\n`) return value
  return JSON.stringify(value).replace(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Whether a node already has the new value. When restoring a source text, the text must also be equal. */
function isSameValue(document: YamlDocument, entry: Entry, flow: boolean, wantedValue: Json | RawText): boolean {
  if (!(wantedValue instanceof RawText))
    return entry.value.kind !== 'alias' && isSameJson(nodeToJson(entry.value), wantedValue)
  const { parts, value } = toRawText(document, entry, flow)
  return isSameJson(value, wantedValue.value) && parts.text === wantedValue.parts.text
}

function reindent(text: string, columns: number, eol: string): string {
  const [firstLine = '', ...continuationLines] = text.split(/\r?\n/)
  const shift = (line: string): string => {
    if (line === '') return line
    return columns >= 0 ? ' '.repeat(columns) + line : line.slice(Math.min(-columns, /^ */.exec(line)?.[0].length ?? 0))
  }
  return [firstLine, ...continuationLines.map(shift)].join(eol)
}
