import { lineStart } from './json-document'
import type { TextEdit } from './splice'
import type { Behind } from './yaml-block'
import { type GapToken, gapsOf } from './yaml-flow-gap'
import type { YamlCollection, YamlEntry } from './yaml-node'
import { put } from './yaml-put'
import { flowEntryText, flowText, type Renderable, type Site } from './yaml-render'

/** New entries behind the last one in brackets, in the style of its neighbours. */
export function flowAppend(site: Site, container: YamlCollection, items: readonly string[]): TextEdit[] {
  const addition = { items, layout: layoutOf(site, container), gaps: gapsOf(site.document, container) }
  return container.entries.length === 0 ? fill(site, container, addition) : extend(container, addition)
}

/** A new entry right behind another one in brackets. */
export function flowInsertBehind(site: Site, container: YamlCollection, { before, text }: Behind): TextEdit[] {
  const { isMultiline, eol, indent, gap } = layoutOf(site, container)
  return [put(before.end, before.end, `,${isMultiline ? eol + indent : gap}${text}`)]
}

/** New entries before the first one in brackets. */
export function flowPrepend(site: Site, container: YamlCollection, items: readonly string[]): TextEdit[] {
  const [first] = container.entries
  if (first === undefined) return flowAppend(site, container, items)
  const { isMultiline, eol, indent, gap } = layoutOf(site, container)
  return [put(first.start, first.start, items.map((item) => `${item},${isMultiline ? eol + indent : gap}`).join(''))]
}

/** Another value for a key in brackets. */
export function flowReplace({ start, end, key, value }: YamlEntry, pair: readonly [string, Renderable]): TextEdit[] {
  const text = flowText(pair[1])
  if (text === '' || key === undefined) return [put(start, end, flowEntryText(pair))]
  if (value.end > value.outer) return [put(value.outer, end, text)]
  return [put(key.node.end, end, `: ${text}`)]
}

type Layout = {
  /** True when an entry begins a line of its own, behind `indent`. */
  readonly isMultiline: boolean
  readonly indent: string
  /** What stands before the line of the opening bracket. */
  readonly outer: string
  readonly eol: string
  /** Behind a comma. */
  readonly gap: string
}

type Addition = {
  readonly items: readonly string[]
  readonly layout: Layout
  readonly gaps: readonly (readonly GapToken[])[]
}

function layoutOf({ document: { text }, style }: Site, { start, entries }: YamlCollection): Layout {
  const outer = indentOf(text, start)
  const neighbour = entries.find((entry) => /^[ \t]*$/.test(text.slice(lineStart(text, entry.start), entry.start)))
  const indent = neighbour === undefined ? outer + ' '.repeat(style.mapStep) : indentOf(text, neighbour.start)
  const [first, second] = entries
  const isTight = first !== undefined && second !== undefined && text.slice(first.end, second.start) === ','
  return { isMultiline: neighbour !== undefined, indent, outer, eol: style.eol, gap: isTight ? '' : ' ' }
}

const indentOf = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** Into empty brackets, behind the comments that may stand there. */
function fill({ document }: Site, { start, end }: YamlCollection, { items, layout, gaps }: Addition): TextEdit[] {
  const comment = gaps.flat().at(-1)
  if (comment === undefined) return [put(start + 1, end - 1, items.join(', '))]
  const content = items.map((item) => layout.eol + layout.indent + item).join(',')
  const rest = document.text.slice(comment.end, end - 1)
  if (/[\r\n]/.test(rest)) return [put(comment.end, comment.end, content)]
  return [put(comment.end, end - 1, content + layout.eol + layout.outer)]
}

/** Behind the last entry and the comments after it, in the style of a trailing comma where there is one. */
function extend({ entries }: YamlCollection, { items, layout, gaps }: Addition): TextEdit[] {
  const tokens = gaps.at(-1) ?? []
  const lastEnd = entries.at(-1)?.end ?? 0
  const hasComma = tokens.some(({ kind }) => kind === 'comma')
  const isMultiline = layout.isMultiline || tokens.at(-1)?.kind === 'comment'
  const before = isMultiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => before + item).join(',') + (hasComma ? ',' : '')
  const at = tokens.at(-1)?.end ?? lastEnd
  if (hasComma) return [put(at, at, content)]
  if (at === lastEnd) return [put(at, at, `,${content}`)]
  return [put(lastEnd, lastEnd, ','), put(at, at, content)]
}
