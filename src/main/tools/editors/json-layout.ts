import type { Node } from 'jsonc-parser'
import { RawJson } from './json-changes'
import { type JsonDocument, lineStart } from './json-document'
import { elementsOf, isJsonObject, type Json, membersOf } from './json-value'

/** How one object or list is written: each entry on its own line (`indent` before it), or all in one line. */
export type Layout = {
  readonly multiline: boolean
  readonly indent: string
  /** What stands before the closing bracket, when that is on its own line. */
  readonly outer: string
  readonly unit: string
  readonly eol: string
  /** Between a name and its value, and after a comma of a line. */
  readonly colon: string
  readonly gap: string
  /** Within the brackets of a line. */
  readonly pad: string
}

/** A value to write; a map is an object whose values may be put back to the letter. */
export type Renderable = Json | RawJson | Map<string, Renderable>

/** The layout of a text that has none yet. */
export function defaultLayout({ text }: Pick<JsonDocument, 'text'>): Layout {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  return { multiline: true, indent: '  ', outer: '', unit: '  ', eol, colon: ': ', gap: ' ', pad: '' }
}

/** The layout that new entries of `container` take over from their neighbours; `around` holds it. */
export function layoutOf(document: JsonDocument, container: Node, around: Node | undefined): Layout {
  const { text } = document
  const base = { ...defaultLayout(document), unit: unitOf(document), outer: indentOfLine(text, container.offset) }
  const neighbour = entriesOf(container).findLast((entry) => startsItsLine(text, entry))
  if (neighbour !== undefined)
    return { ...base, ...spacing(text, container), indent: indentOfLine(text, neighbour.offset) }
  const indent = base.outer + base.unit
  if (entriesOf(container).length > 0) return { ...base, ...spacing(text, container), indent, multiline: false }
  if (around === undefined) return { ...base, indent }
  const multiline = entriesOf(around).some((entry) => startsItsLine(text, entry))
  return { ...base, ...spacing(text, around), indent, multiline }
}

/** The text of a value whose first line stands at `indent`. */
export function render(value: Renderable, layout: Layout): string {
  if (value instanceof RawJson) return value.text
  if (value instanceof Map)
    return renderEntries(
      [...value].map((entry) => renderMember(entry, inner(layout))),
      layout,
      '{}',
    )
  if (Array.isArray(value))
    return renderEntries(
      value.map((item: Json) => render(item, inner(layout))),
      layout,
      '[]',
    )
  if (isJsonObject(value)) return render(new Map(Object.entries(value)), layout)
  return JSON.stringify(value)
}

/** The text of a property. */
export function renderMember([name, value]: readonly [string, Renderable], layout: Layout): string {
  return value instanceof RawJson ? value.whole : JSON.stringify(name) + layout.colon + render(value, layout)
}

const inner = (layout: Layout): Layout => ({ ...layout, indent: layout.indent + layout.unit })

function renderEntries(entries: readonly string[], layout: Layout, brackets: '{}' | '[]'): string {
  const [open, close] = brackets
  if (entries.length === 0) return brackets
  const pad = brackets === '{}' ? layout.pad : ''
  if (!layout.multiline) return open + pad + entries.join(`,${layout.gap}`) + pad + close
  const { eol, indent, unit } = layout
  return open + eol + entries.map((entry) => indent + unit + entry).join(`,${eol}`) + eol + indent + close
}

/** Properties or elements, as the stretches of text they are. */
export function entriesOf(container: Node): readonly Node[] {
  return container.type === 'object' ? membersOf(container).map(({ whole }) => whole) : elementsOf(container)
}

function startsItsLine(text: string, node: Node): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, node.offset), node.offset))
}

function indentOfLine(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''
}

/** One step of indentation: how much deeper the first entry on its own line stands than the line of its bracket. */
function unitOf({ text, root }: JsonDocument): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    const entry = entriesOf(node).find((each) => startsItsLine(text, each))
    const outer = indentOfLine(text, node.offset)
    const indent = entry === undefined ? '' : indentOfLine(text, entry.offset)
    if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length)
    for (const each of entriesOf(node)) nodes.push(each.children?.[1] ?? each)
  }
  return '  '
}

/** The spaces of one line, as its last property and its brackets show them. */
function spacing(text: string, container: Node): Pick<Layout, 'colon' | 'gap' | 'pad'> {
  const member = membersOf(container).at(-1)
  const key = member?.whole.children?.[0]
  const between = member && key ? text.slice(key.offset + key.length, member.value.offset) : ': '
  const colon = /^ ?: ?$/.test(between) ? between : ': '
  const pad = text[container.offset + 1] === ' ' && text[container.offset + container.length - 2] === ' ' ? ' ' : ''
  return { colon, gap: colon.endsWith(' ') ? ' ' : '', pad }
}
