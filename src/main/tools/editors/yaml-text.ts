import { stringify } from 'yaml'
import { isList, RawText, type RenderableValue, toRawText } from './changes'
import { isJsonObject, isSameJson, type Json } from './editor'
import { type Entry, getColumn, nodeToJson, type TreeNode } from './tree'
import type { YamlDocument } from './yaml-document'

/** Text of YAML values. */

type Style = { readonly eol: string; readonly mapStep: number; readonly listStep: number }

export type EditContext = { readonly document: YamlDocument; readonly style: Style }

/** Detects line break and indentation, from the first nested mapping and the first list below a key. */
export function detectStyle({ text, root }: YamlDocument): Style {
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
export function entryText([name, value]: readonly [string, RenderableValue], column: number, style: Style): string {
  const key = value instanceof RawText && isUsable(value, false) ? value.parts.key : undefined
  return `${key ?? `${scalarText(name, false)}:`}${valueText(value, column, style)}`
}

/** Text after the colon of a key: a value on the same line, or lines below. `column`: column of the key. */
export function valueText(value: RenderableValue, column: number, style: Style): string {
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
export function itemText(value: RenderableValue, column: number, style: Style): string {
  if (value instanceof RawText) {
    if (!isUsable(value, false)) return itemText(value.value, column, style)
    return reindent(value.parts.text, column - value.parts.column, style.eol)
  }
  const nestedColumn = column + 2
  const entries = toEntries(value)?.map((entry) => entryText(entry, nestedColumn, style))
  const items = isList(value) ? value.map((item) => itemText(item, nestedColumn, style)) : []
  return `- ${(entries ?? items).join(formatNewLine(nestedColumn, style)) || inlineText(value)}`
}

export function formatFlowEntry([name, value]: readonly [string, RenderableValue]): string {
  const key = value instanceof RawText && isUsable(value, true) ? value.parts.key : undefined
  const text = flowText(value)
  return `${key ?? `${scalarText(name, true)}:`}${text === '' ? '' : ' '}${text}`
}

export function flowText(value: RenderableValue): string {
  if (value instanceof RawText) return isUsable(value, true) ? value.parts.text : flowText(value.value)
  if (isList(value)) return `[${value.map(flowText).join(', ')}]`
  const entries = toEntries(value)
  if (entries !== undefined) return `{${entries.map(formatFlowEntry).join(', ')}}`
  return isScalar(value) ? scalarText(value, true) : ''
}

export const formatNewLine = (column: number, { eol }: Style): string => eol + ' '.repeat(column)

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
export function isSameValue(document: YamlDocument, entry: Entry, flow: boolean, wantedValue: Json | RawText): boolean {
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
