import { stringify } from 'yaml'
import {
  addChange,
  type Change as ChangeTree,
  type Changes as ChangeTrees,
  checkIdentity,
  createDuplicateError,
} from './changes'
import { isJsonObject, isSameJson, type Json, type Match, matches, replaceRange, type TextEdit } from './editor'
import { getLineNumber, lineEnd, nextLine, type Span } from './json-document'
import type { YamlDocument } from './yaml-document'
import { findYamlEntry, getColumn, type YamlCollection, type YamlEntry, type YamlNode, yamlToJson } from './yaml-node'

/** A value to write. A map is an object and a set is a list. Their values may include exact source texts. */
export type RenderableValue = Json | RawYaml | Map<string, RenderableValue> | Set<RenderableValue>

type Style = { readonly eol: string; readonly mapStep: number; readonly listStep: number }

export type EditContext = { readonly document: YamlDocument; readonly style: Style }

/** Detects line break and indentation, from the first nested mapping and the first list below a key. */
export function detectStyle({ text, root }: YamlDocument): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const foundSteps: { map?: number; list?: number } = {}
  const visitNode = (node: YamlNode, column: number): void => {
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
  const key = value instanceof RawYaml && isUsable(value, false) ? value.parts.key : undefined
  return `${key ?? `${scalarText(name, false)}:`}${valueText(value, column, style)}`
}

/** Text after the colon of a key: a value on the same line, or lines below. `column`: column of the key. */
export function valueText(value: RenderableValue, column: number, style: Style): string {
  if (value instanceof RawYaml) return rawValueText(value, column, style)
  const entries = toEntries(value)
  if (entries !== undefined && entries.length > 0) {
    const nestedColumn = column + style.mapStep
    return entries.map((entry) => formatNewLine(nestedColumn, style) + entryText(entry, nestedColumn, style)).join('')
  }
  const items = toItems(value)
  if (items !== undefined && items.length > 0) {
    const nestedColumn = column + style.listStep
    return items.map((item) => formatNewLine(nestedColumn, style) + itemText(item, nestedColumn, style)).join('')
  }
  return ` ${inlineText(value)}`
}

/** Text of a list item, without indentation of the first line. `column`: column of its dash. */
export function itemText(value: RenderableValue, column: number, style: Style): string {
  if (value instanceof RawYaml) {
    if (!isUsable(value, false)) return itemText(value.value, column, style)
    return reindent(value.parts.text, column - value.parts.column, style.eol)
  }
  const nestedColumn = column + 2
  const entries = toEntries(value)
  if (entries !== undefined && entries.length > 0)
    return `- ${entries.map((entry) => entryText(entry, nestedColumn, style)).join(formatNewLine(nestedColumn, style))}`
  const items = toItems(value)
  if (items !== undefined && items.length > 0)
    return `- ${items.map((item) => itemText(item, nestedColumn, style)).join(formatNewLine(nestedColumn, style))}`
  return `- ${inlineText(value)}`
}

export function formatFlowEntry([name, value]: readonly [string, RenderableValue]): string {
  const key = value instanceof RawYaml && isUsable(value, true) ? value.parts.key : undefined
  const text = flowText(value)
  return `${key ?? `${scalarText(name, true)}:`}${text === '' ? '' : ' '}${text}`
}

export function flowText(value: RenderableValue): string {
  if (value instanceof RawYaml) return isUsable(value, true) ? value.parts.text : flowText(value.value)
  const items = toItems(value)
  if (items !== undefined) return `[${items.map(flowText).join(', ')}]`
  const entries = toEntries(value)
  if (entries !== undefined) return `{${entries.map(formatFlowEntry).join(', ')}}`
  return isScalar(value) ? scalarText(value, true) : ''
}

export function formatNewLine(column: number, { eol }: Style): string {
  return eol + ' '.repeat(column)
}

function rawValueText(value: RawYaml, column: number, style: Style): string {
  if (!isUsable(value, false)) return valueText(value.value, column, style)
  const { parts } = value
  const text = reindent(parts.text, column - parts.column, style.eol)
  if (parts.isBelow) return formatNewLine(column + parts.valueColumn - parts.column, style) + text
  return text === '' ? '' : ` ${text}`
}

/**
 * Whether a source text can be copied. Flow and block texts are not interchangeable, and a flow text must be on one
 * line.
 */
function isUsable({ parts }: RawYaml, flow: boolean): boolean {
  return parts.flow === flow && !(flow && parts.text.includes('\n'))
}

const inlineText = (value: Exclude<RenderableValue, RawYaml>): string =>
  isScalar(value) ? scalarText(value, false) : flowText(value)

const isScalar = (value: RenderableValue): value is null | boolean | number | string =>
  value === null || typeof value !== 'object'

function toItems(value: Exclude<RenderableValue, RawYaml>): readonly RenderableValue[] | undefined {
  return value instanceof Set ? [...value] : isList(value) ? value : undefined
}

const isList = (value: RenderableValue): value is readonly Json[] => Array.isArray(value)

function toEntries(value: Exclude<RenderableValue, RawYaml>): (readonly [string, RenderableValue])[] | undefined {
  if (value instanceof Map) return [...value]
  if (value instanceof Set) return undefined
  return isJsonObject(value) ? Object.entries(value) : undefined
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
  if (typeof value === 'number' && !Number.isFinite(value)) return formatNonFinite(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return isPlainText(value, isFlow) ? value : quoteYaml(value)
}

const formatNonFinite = (value: number): string => (Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf')

function isPlainText(text: string, isFlow: boolean): boolean {
  if (needsQuotesPattern.test(text) || (isFlow && flowSpecialPattern.test(text))) return false
  return stringify(text, yamlStringifyOptions) === `${text}\n`
}

const quoteYaml = (text: string): string =>
  JSON.stringify(text).replace(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

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

/** Insert position of a list element. `behind`: the element after which it is inserted, as canonical text. */
export type ElementPosition = 'first' | 'last' | { readonly behind: string }

/** A list item to restore with its exact source text, and its position in the list. */
export type PositionedItem = { readonly value: RawYaml; readonly place: ElementPosition }

/** Like `OpenEdit`, but can also restore exact source texts and positions in a list. */
export type YamlEdit = { readonly path: readonly string[] } & (
  | { readonly value: Json | RawYaml | undefined }
  | { readonly member: string; readonly present: boolean; readonly raws?: readonly PositionedItem[] }
  | ElementEdit
)
type ElementEdit = {
  readonly element: Match
  readonly value: Json | RawYaml | undefined
  readonly isFirst?: boolean
  readonly place?: ElementPosition
}

export type Change = ChangeTree<Json | RawYaml, ListChange>
export type Changes = ChangeTrees<Json | RawYaml, ListChange>

/** Change of one text or of the one matching object in a list. */
export type ListChange =
  | {
      readonly kind: 'member'
      readonly member: string
      readonly present: boolean
      readonly raws?: readonly PositionedItem[]
    }
  | {
      readonly kind: 'element'
      readonly match: Match
      readonly value: Json | RawYaml | undefined
      readonly place: ElementPosition
    }

/** Builds a tree of the edits. Throws if two edits change the same value, or if an edit changes the whole document. */
export function buildYamlChanges(edits: readonly YamlEdit[]): Changes {
  const root: Changes = new Map()
  for (const edit of edits) {
    if (edit.path.length === 0) throw createDuplicateError('')
    const isInList = 'member' in edit || 'element' in edit
    addChange(root, edit.path, isInList ? { item: toListChange(edit) } : { value: edit.value })
  }
  return root
}

/** List items to which a change applies: items equal to its text, or objects that match. */
export function findYamlItems(list: YamlCollection, change: ListChange): YamlEntry[] {
  return list.entries.filter(({ value }) =>
    change.kind === 'member'
      ? scalarValue(value) === change.member
      : value.kind !== 'scalar' && isMatch(value, change.match),
  )
}

/** Value of a scalar or of the scalar that an alias refers to. Undefined for others. */
function scalarValue(value: YamlNode): Json | undefined {
  const node = value.kind === 'alias' ? value.target : value
  return node.kind === 'scalar' ? node.value : undefined
}

function isMatch(node: YamlNode, match: Match): boolean {
  const isSimple = node.kind === 'map' && !node.entries.some(({ key, value }) => key?.isMerge || value.kind === 'alias')
  if (!isSimple) return matches(yamlToJson(node), match)
  return Object.entries(match).every(([name, wantedValue]) => {
    const value = findYamlEntry(node, name)?.value
    return value?.kind === 'scalar' && value.value === wantedValue
  })
}

export const toPlainJson = (value: Json | RawYaml): Json => (value instanceof RawYaml ? value.value : value)

export function isRemoval(change: ListChange): boolean {
  return change.kind === 'member' ? !change.present : change.value === undefined
}

export function dropRawText(changes: Changes): Changes {
  return new Map([...changes].map(([name, change]) => [name, toPlainChange(change)]))
}

function toPlainChange(change: Change): Change {
  if (change.kind === 'set') return { ...change, value: toPlainJson(change.value) }
  if (change.kind === 'within') return { ...change, changes: dropRawText(change.changes) }
  if (change.kind === 'remove') return change
  return { ...change, items: change.items.map(replaceRawValue) }
}

function replaceRawValue(item: ListChange): ListChange {
  if (item.kind === 'member') return { kind: 'member', member: item.member, present: item.present }
  return item.value === undefined ? item : { ...item, value: toPlainJson(item.value) }
}

type ItemEdit = Extract<YamlEdit, { readonly member: string } | { readonly element: Match }>

function toListChange(edit: ItemEdit): ListChange {
  if ('member' in edit) return { kind: 'member', ...edit }
  const { element, value, isFirst, place } = edit
  checkIdentity(element, value && toPlainJson(value))
  return { kind: 'element', match: element, value, place: place ?? (isFirst === true ? 'first' : 'last') }
}

/** Source text of a pair (key with colon, and value) or of a list item. */
type RawParts = {
  readonly key: string | undefined
  readonly text: string
  /** Column of the key or list item. */
  readonly column: number
  readonly valueColumn: number
  /** Whether the value starts on a line below its key. */
  readonly isBelow: boolean
  readonly flow: boolean
}

/** Source text of a setting, so that it can be restored exactly. */
class RawYaml {
  constructor(
    readonly parts: RawParts,
    readonly value: Json,
  ) {}
}

/** Source text of a pair or list item. `flow` selects flow style. */
export function toRawYaml({ text }: YamlDocument, entry: YamlEntry, flow: boolean): RawYaml {
  const { key, value, start, end } = entry
  const valueStart = key === undefined ? start : value.outer
  const isValueOnNextLine =
    key !== undefined && value.end > value.outer && getLineNumber(text, value.outer) > getLineNumber(text, key.node.end)
  const column = getColumn(text, start)
  const parts = {
    column,
    valueColumn: getColumn(text, valueStart),
    isBelow: isValueOnNextLine,
    flow,
    text: text.slice(valueStart, end),
  }
  return new RawYaml({ ...parts, key: key && text.slice(start, key.colon ?? key.node.end) }, yamlToJson(value))
}

/** Whether a node already has the new value. When restoring a source text, the text must also be equal. */
export function isSameValue(
  document: YamlDocument,
  entry: YamlEntry,
  flow: boolean,
  wantedValue: Json | RawYaml,
): boolean {
  if (!(wantedValue instanceof RawYaml))
    return entry.value.kind !== 'alias' && isSameJson(yamlToJson(entry.value), wantedValue)
  const { parts, value } = toRawYaml(document, entry, flow)
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
