import { stringify } from 'yaml'
import { isList, RawText, type RenderableValue } from './changes'
import { isJsonObject, memoizeBySubject, replaceRange, type TextEdit } from './editor'
import { type FlowLayout, insertEntries } from './flow-edits'
import { getIndent, lineEnd, lineStart, nextLine } from './text'
import { type Collection, type Entry, getColumn, type TreeNode } from './tree'
import type { NewEntry, Position } from './tree-editor'
import { createDeletionEdit } from './yaml-deletions'
import type { YamlDocument } from './yaml-document'

/** Inserts the first settings of an empty document: after comments and `---`, before `...`. */
export function createRoot(document: YamlDocument, settings: RenderableValue): TextEdit[] {
  const { text } = document
  const style = detectStyle(document)
  const lines = (settings instanceof Map ? [...settings] : [])
    .map((pair) => entryText(pair, 0, style) + style.eol)
    .join('')
  const marker = /^\.\.\.(?=\s|$)/m.exec(text)
  if (marker !== null) return [replaceRange(marker.index, marker.index, lines)]
  const contentLength = text.trimEnd().length
  return [replaceRange(contentLength, text.length, (contentLength === 0 ? '' : style.eol) + lines)]
}

export function insert(
  document: YamlDocument,
  { container }: Position,
  index: number | 'last',
  newEntries: readonly NewEntry[],
): TextEdit[] {
  const { text } = document
  const style = detectStyle(document)
  if (container.flow) {
    const items = newEntries.map(({ name, value }) =>
      name === undefined ? flowText(value) : formatFlowEntry([name, value]),
    )
    return insertEntries(text, container, index, items, detectLayout(text, style, container))
  }
  const column = getColumn(text, container.start)
  const lines = newEntries.map(({ name, value }) =>
    name === undefined ? itemText(value, column, style) : entryText([name, value], column, style),
  )
  const insertOffset = findInsertOffset(text, container, index, column)
  if (insertOffset !== undefined)
    return [replaceRange(insertOffset, insertOffset, lines.map((line) => formatNewLine(column, style) + line).join(''))]
  return prependLines(text, style, container.start, lines)
}

/** End of the line after which a block entry is inserted. Undefined before the first entry. */
function findInsertOffset(text: string, container: Collection, index: number | 'last', column: number) {
  if (index === 'last') return findTailEnd(text, container, column)
  const neighbour = container.entries[index - 1]
  return neighbour && lineEnd(text, neighbour.end)
}

export function replace(
  document: YamlDocument,
  { container }: Position,
  entry: Entry,
  value: RenderableValue,
): TextEdit[] {
  const style = detectStyle(document)
  const { start, end, key } = entry
  if (key !== undefined)
    return container.flow
      ? replaceFlowEntry(entry, [key.name, value])
      : replaceValue(document.text, style, entry, value)
  const column = getColumn(document.text, container.start)
  return [replaceRange(start, end, container.flow ? flowText(value) : itemText(value, column, style))]
}

function replaceFlowEntry({ start, end, key, value }: Entry, pair: readonly [string, RenderableValue]): TextEdit[] {
  const text = flowText(pair[1])
  if (text === '' || key === undefined) return [replaceRange(start, end, formatFlowEntry(pair))]
  if (value.end > value.outer) return [replaceRange(value.outer, end, text)]
  return [replaceRange(key.node.end, end, `: ${text}`)]
}

/** Layout of the entries of a flow collection. */
function detectLayout(text: string, style: Style, { start, entries }: Collection): FlowLayout {
  const outerIndent = getIndent(text, start)
  const neighbour = entries.find((entry) => /^[ \t]*$/.test(text.slice(lineStart(text, entry.start), entry.start)))
  const indent = neighbour === undefined ? outerIndent + ' '.repeat(style.mapStep) : getIndent(text, neighbour.start)
  const [firstEntry, second] = entries
  const hasNoGap = firstEntry !== undefined && second !== undefined && text.slice(firstEntry.end, second.start) === ','
  return { isMultiline: neighbour !== undefined, indent, outer: outerIndent, eol: style.eol, gap: hasNoGap ? '' : ' ' }
}

/** Inserts before the first entry of a block collection and its comments. */
function prependLines(text: string, style: Style, start: number, entries: readonly string[]): TextEdit[] {
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
function replaceValue(text: string, style: Style, entry: Entry, value: RenderableValue): TextEdit[] {
  const { key, value: oldValue, start, end } = entry
  const colonEnd = key?.colon ?? end
  const newText = valueText(value, getColumn(text, start), style)
  const startsOnNewLine = newText.startsWith(style.eol)
  const lineOffset = lineStart(text, oldValue.outer)
  const endToKeep = oldValue.end > oldValue.outer && lineOffset > colonEnd ? lineEnd(text, lineOffset - 1) : colonEnd
  const isBlock = (oldValue.kind === 'map' || oldValue.kind === 'list') && !oldValue.flow
  if (startsOnNewLine && isBlock) return [replaceRange(endToKeep, end, newText)]
  const deletionEdit =
    endToKeep === colonEnd ? replaceRange(endToKeep, end) : createDeletionEdit(text, { start: endToKeep, end })
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

/** End of the last entry of a block collection and its comments. */
function findTailEnd(text: string, container: Collection, column: number): number {
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

/** Detects line break and indentation, from the first nested mapping and the first list below a key. */
const detectStyle = memoizeBySubject(({ text, root }: YamlDocument): Style => {
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
})

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

function reindent(text: string, columns: number, eol: string): string {
  const [firstLine = '', ...continuationLines] = text.split(/\r?\n/)
  const shift = (line: string): string => {
    if (line === '') return line
    return columns >= 0 ? ' '.repeat(columns) + line : line.slice(Math.min(-columns, /^ */.exec(line)?.[0].length ?? 0))
  }
  return [firstLine, ...continuationLines.map(shift)].join(eol)
}
