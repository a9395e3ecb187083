import { RawJson } from './json-changes'
import { hasLineBreak, type JsonDocument, lineStart, startsItsLine } from './json-document'
import { type Container, entriesOf, type Node } from './json-tree'
import { isJsonObject, type Json } from './json-value'

/** What a whole text has in common. */
export type Style = {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
}

/** How one object or list is written: each entry on its own line (`indent` before it), or all in one line. */
export type Layout = Style & {
  readonly multiline: boolean
  readonly indent: string
  /** What stands before the closing bracket, when that is on its own line. */
  readonly outer: string
  /** Between a name and its value, and after a comma of a line. */
  readonly colon: string
  readonly gap: string
  /** Within the brackets of a line. */
  readonly pad: string
}

/** A value to write; a map is an object whose values may be put back to the letter. */
export type Renderable = Json | RawJson | Map<string, Renderable> | readonly Renderable[]

const UNIT = '  '

/** The style of a text: its first line end, and the indentation of its outermost entry that stands on its own line. */
export function styleOf({ text, root }: JsonDocument): Style {
  return { eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: unitOf(text, root) }
}

/** The layout of a text that has none yet. */
export function defaultLayout({ eol }: Style): Layout {
  return { multiline: true, indent: UNIT, outer: '', unit: UNIT, eol, colon: ': ', gap: ' ', pad: '' }
}

/** A place in a text: a container, and what holds it. */
export type Place = {
  readonly text: string
  readonly style: Style
  readonly container: Container
  readonly around: Container | undefined
}

/** The layout that new entries of a container take over from their neighbours. */
export function layoutOf({ text, style, container, around }: Place): Layout {
  const base = { ...defaultLayout(style), unit: style.unit, outer: indentOfLine(text, container.start) }
  const entries = entriesOf(container)
  const neighbour = entries.findLast((entry) => startsItsLine(text, entry.start))
  if (neighbour !== undefined)
    return { ...base, ...spacing(text, container, around), indent: indentOfLine(text, neighbour.start) }
  const indent = base.outer + base.unit
  if (entries.length > 0) return { ...base, ...spacing(text, container, around), indent, multiline: false }
  if (around === undefined) return { ...base, indent }
  const multiline = entriesOf(around).some((entry) => startsItsLine(text, entry.start))
  return { ...base, ...spacing(text, around), indent, multiline }
}

/** The layout of what is inside of an element: in one line where `like`, or else the last object, is in one line. */
export function elementLayoutOf({ text, container }: Place, layout: Layout, like?: Node): Layout {
  if (container.type !== 'list') return layout
  const neighbour = like ?? container.items.findLast((item) => item.type === 'object' && item.members.length > 0)
  if (neighbour?.type !== 'object' || hasLineBreak(text, neighbour)) return layout
  return { ...layout, ...spacing(text, neighbour), multiline: false }
}

/** The text of a value whose first line stands at `indent`. */
export function render(value: Renderable, layout: Layout): string {
  if (value instanceof RawJson) return value.text
  if (value instanceof Map) {
    const members = [...value].map((entry) => renderMember(entry, inner(layout)))
    return renderEntries(members, layout, '{}')
  }
  if (isList(value)) {
    const items = value.map((item) => render(item, inner(layout)))
    return renderEntries(items, layout, '[]')
  }
  return isJsonObject(value) ? render(new Map(Object.entries(value)), layout) : JSON.stringify(value)
}

/** The text of a property. */
export function renderMember([name, value]: readonly [string, Renderable], layout: Layout): string {
  return value instanceof RawJson ? value.whole : JSON.stringify(name) + layout.colon + render(value, layout)
}

const isList = (value: Renderable): value is readonly Renderable[] => Array.isArray(value)

const inner = (layout: Layout): Layout => ({ ...layout, indent: layout.indent + layout.unit })

function renderEntries(entries: readonly string[], layout: Layout, brackets: '{}' | '[]'): string {
  const [open, close] = brackets
  if (entries.length === 0) return brackets
  const pad = brackets === '{}' ? layout.pad : ''
  if (!layout.multiline) return open + pad + entries.join(`,${layout.gap}`) + pad + close
  const { eol, indent, unit } = layout
  return open + eol + entries.map((entry) => indent + unit + entry).join(`,${eol}`) + eol + indent + close
}

/** The blanks at the beginning of the line that holds this offset. */
function indentOfLine(text: string, offset: number): string {
  const start = lineStart(text, offset)
  let end = start
  while (end < offset && (text[end] === ' ' || text[end] === '\t')) end += 1
  return text.slice(start, end)
}

/** One step of indentation: how much deeper the first entry on its own line stands than the line of its bracket. */
function unitOf(text: string, root: Node | undefined): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    if (node.type === 'literal') continue
    const entry = entriesOf(node).find(({ start }) => startsItsLine(text, start))
    if (entry !== undefined) {
      const [outer, indent] = [indentOfLine(text, node.start), indentOfLine(text, entry.start)]
      if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length)
    }
    for (const each of entriesOf(node)) nodes.push('type' in each ? each : each.value)
  }
  return UNIT
}

/** The spaces of one line, as its last property, its last comma, or what is around it, and its brackets show them. */
function spacing(text: string, container: Container, around?: Container): Pick<Layout, 'colon' | 'gap' | 'pad'> {
  const pad = text[container.start + 1] === ' ' && text[container.end - 2] === ' ' ? ' ' : ''
  const [last, previous] = [entriesOf(container).at(-1), entriesOf(container).at(-2)]
  if (last !== undefined && 'name' in last) {
    const between = text.slice(last.nameEnd, last.value.start)
    const colon = /^ ?: ?$/.test(between) ? between : ': '
    return { colon, gap: colon.endsWith(' ') ? ' ' : '', pad }
  }
  const outer = around ?? (last === undefined || last.type === 'literal' ? undefined : last)
  const outside = outer === undefined ? { colon: ': ', gap: ' ' } : spacing(text, outer)
  const between = last && previous ? text.slice(previous.end, last.start) : ''
  return { ...outside, gap: /^, ?$/.test(between) ? between.slice(1) : outside.gap, pad }
}
