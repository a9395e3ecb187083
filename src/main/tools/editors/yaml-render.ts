import { stringify } from 'yaml'
import { isJsonObject, type Json, type TextEdit } from './editor'
import type { Span } from './json-document'
import { moved, RawYaml } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { columnAt, lineEnd, nextLine, type YamlNode } from './yaml-node'

/** A value to write; a map is an object, and a set a list, of what may be put back to the letter. */
export type Renderable = Json | RawYaml | Map<string, Renderable> | Set<Renderable>

/** How a document is written: its line end, and by how many columns mappings and lists stand deeper than their key. */
type Style = { readonly eol: string; readonly mapStep: number; readonly listStep: number }

/** A document and how it is written. */
export type Site = { readonly document: YamlDocument; readonly style: Style }

/** The style of a document, as its first nested mapping and its first list under a key show it. */
export function detectStyle({ text, root }: YamlDocument): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const found: { map?: number; list?: number } = {}
  const look = (node: YamlNode, column: number): void => {
    if ((node.kind !== 'map' && node.kind !== 'list') || node.flow) return
    for (const { start, key, value } of node.entries) {
      if (found.map !== undefined && found.list !== undefined) return
      if (value.kind !== 'map' && value.kind !== 'list') continue
      if (key !== undefined && !value.flow) found[value.kind] ??= columnAt(text, value.start) - columnAt(text, start)
      look(value, column)
    }
  }
  if (root !== undefined) look(root, 0)
  const mapStep = found.map ?? (found.list || 2)
  return { eol, mapStep: Math.max(1, mapStep), listStep: Math.max(0, found.list ?? mapStep) }
}

/** A pair whose key stands at this column, without the blanks before it. */
export function entryText([name, value]: readonly [string, Renderable], column: number, style: Style): string {
  const key = value instanceof RawYaml && isUsable(value, false) ? value.parts.key : undefined
  return `${key ?? `${scalarText(name, false)}:`}${valueText(value, column, style)}`
}

/** What follows the colon of a key at this column: a blank and a value, or the lines below. */
export function valueText(value: Renderable, column: number, style: Style): string {
  if (value instanceof RawYaml) return rawValueText(value, column, style)
  const entries = entriesOf(value)
  if (entries !== undefined && entries.length > 0) {
    const inner = column + style.mapStep
    return entries.map((entry) => newLine(inner, style) + entryText(entry, inner, style)).join('')
  }
  const items = itemsOf(value)
  if (items !== undefined && items.length > 0) {
    const inner = column + style.listStep
    return items.map((item) => newLine(inner, style) + itemText(item, inner, style)).join('')
  }
  return ` ${inlineText(value)}`
}

/** An item of a list whose dash stands at this column, without the blanks before it. */
export function itemText(value: Renderable, column: number, style: Style): string {
  if (value instanceof RawYaml) {
    if (!isUsable(value, false)) return itemText(value.value, column, style)
    return moved(value.parts.text, column - value.parts.column, style.eol)
  }
  const inner = column + 2
  const entries = entriesOf(value)
  if (entries !== undefined && entries.length > 0)
    return `- ${entries.map((entry) => entryText(entry, inner, style)).join(newLine(inner, style))}`
  const items = itemsOf(value)
  if (items !== undefined && items.length > 0)
    return `- ${items.map((item) => itemText(item, inner, style)).join(newLine(inner, style))}`
  return `- ${inlineText(value)}`
}

/** A pair within brackets. */
export function flowEntryText([name, value]: readonly [string, Renderable]): string {
  const key = value instanceof RawYaml && isUsable(value, true) ? value.parts.key : undefined
  const text = flowText(value)
  return `${key ?? `${scalarText(name, true)}:`}${text === '' ? '' : ' '}${text}`
}

/** A value in one line, its collections in brackets. */
export function flowText(value: Renderable): string {
  if (value instanceof RawYaml) return isUsable(value, true) ? value.parts.text : flowText(value.value)
  const items = itemsOf(value)
  if (items !== undefined) return `[${items.map(flowText).join(', ')}]`
  const entries = entriesOf(value)
  if (entries !== undefined) return `{${entries.map(flowEntryText).join(', ')}}`
  return isScalar(value) ? scalarText(value, true) : ''
}

/** The start of a line at this column. */
export function newLine(column: number, { eol }: Style): string {
  return eol + ' '.repeat(column)
}

function rawValueText(value: RawYaml, column: number, style: Style): string {
  if (!isUsable(value, false)) return valueText(value.value, column, style)
  const { parts } = value
  const text = moved(parts.text, column - parts.column, style.eol)
  if (parts.isBelow) return newLine(column + parts.valueColumn - parts.column, style) + text
  return text === '' ? '' : ` ${text}`
}

/** Text out of brackets does not do as block text, nor the other way round, nor in one line what takes several. */
function isUsable({ parts }: RawYaml, flow: boolean): boolean {
  return parts.flow === flow && !(flow && parts.text.includes('\n'))
}

const inlineText = (value: Exclude<Renderable, RawYaml>): string =>
  isScalar(value) ? scalarText(value, false) : flowText(value)

const isScalar = (value: Renderable): value is null | boolean | number | string =>
  value === null || typeof value !== 'object'

function itemsOf(value: Exclude<Renderable, RawYaml>): readonly Renderable[] | undefined {
  return value instanceof Set ? [...value] : isList(value) ? value : undefined
}

const isList = (value: Renderable): value is readonly Json[] => Array.isArray(value)

function entriesOf(value: Exclude<Renderable, RawYaml>): (readonly [string, Renderable])[] | undefined {
  if (value instanceof Map) return [...value]
  if (value instanceof Set) return undefined
  return isJsonObject(value) ? Object.entries(value) : undefined
}

/** Readers of YAML 1.1 would take these for more than text, and so would some of 1.2. */
const plainOptions = { lineWidth: 0, compat: 'yaml-1.1' } as const
const special = /^(?:=|<<)$|[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufdff\u{10000}-\u{10ffff}]|[\u2028\u2029]/u
/** Within brackets, older readers take more characters for marks. */
const flowSpecial = /[:,[\]{}#?]/

/** Characters that JSON leaves as they are and readers of YAML 1.1 take for line ends or refuse. */
const unsafe = /[\u007f-\u009f]|[\u2028\u2029]|[\ufeff\ufffe\uffff]/g

/** How a value is written: without quotes where every reader takes it for the same text, else in double quotes. */
function scalarText(value: null | boolean | number | string, isFlow: boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return nonFinite(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return isPlain(value, isFlow) ? value : quoted(value)
}

const nonFinite = (value: number): string => (Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf')

function isPlain(text: string, isFlow: boolean): boolean {
  if (special.test(text) || (isFlow && flowSpecial.test(text))) return false
  return stringify(text, plainOptions) === `${text}\n`
}

const quoted = (text: string): string =>
  JSON.stringify(text).replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Other text from `start` to `end`, which are the same for something new. */
export const put = (start: number, end: number, content: string): TextEdit => ({
  offset: start,
  length: end - start,
  content,
})

/** Takes out what stands behind a comment; a comment behind that then stands on a line of its own. */
export function cutBelow(text: string, { start, end }: Span): TextEdit {
  const stop = lineEnd(text, end)
  const from = end + (/^[ \t]*/.exec(text.slice(end, stop))?.[0].length ?? 0)
  return put(start, from, from < stop ? text.slice(lineEnd(text, start), nextLine(text, start)) : '')
}

/** The edits with those that only take out, and overlap, joined. */
export function joined(edits: readonly TextEdit[]): TextEdit[] {
  const cuts: { offset: number; length: number; content: string }[] = []
  for (const { offset, length, content } of edits.filter((edit) => edit.content === '').sort(byOffset)) {
    const last = cuts.at(-1)
    if (last !== undefined && offset <= last.offset + last.length)
      last.length = Math.max(last.length, offset + length - last.offset)
    else cuts.push({ offset, length, content })
  }
  return [...edits.filter(({ content }) => content !== ''), ...cuts]
}

const byOffset = (a: TextEdit, b: TextEdit): number => a.offset - b.offset
