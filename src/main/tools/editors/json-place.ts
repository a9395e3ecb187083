import { type GapToken, gapTokens, hasLineBreak } from './json-document'
import type { Layout, Place } from './json-layout'
import { entriesOf, type Span } from './json-tree'
import type { TextEdit } from './splice'

/** New entries of one container: before the entry of this index, or behind the last one. */
export type Addition = {
  readonly items: readonly string[]
  readonly layout: Layout
  readonly index: number | undefined
}

/** The text edits that write new entries into a container, with their commas and line breaks. */
export function insertAt(place: Place, addition: Addition): TextEdit[] {
  const entries = entriesOf(place.container)
  const next = addition.index === undefined ? undefined : entries[addition.index]
  if (next !== undefined) return insertBefore(place, next, addition)
  return entries.length === 0 ? fill(place, addition) : extend(place, addition)
}

/** Into empty brackets, behind the comments that may stand there. */
function fill({ text, container }: Place, { items, layout }: Addition): TextEdit[] {
  const start = container.start + 1
  const end = container.end - 1
  const comment = gapTokens(text, { start, end }).at(-1)
  const { eol, indent, outer, gap } = layout
  const pad = container.type === 'object' ? layout.pad : ''
  if (comment === undefined) {
    const content = layout.multiline
      ? eol + items.map((item) => indent + item).join(`,${eol}`) + eol + outer
      : pad + items.join(`,${gap}`) + pad
    return [{ offset: start, length: end - start, content }]
  }
  const rest = text.slice(comment.end, end)
  const content = items.map((item) => eol + indent + item).join(',')
  if (/[\r\n]/.test(rest)) return [{ offset: comment.end, length: 0, content }]
  return [{ offset: comment.end, length: rest.length, content: content + eol + outer }]
}

/** Behind the last entry and the comments after it, in the style of a trailing comma where there is one. */
function extend({ text, container }: Place, { items, layout }: Addition): TextEdit[] {
  const last = entriesOf(container).at(-1)
  if (last === undefined) return []
  const tokens = gapTokens(text, { start: last.end, end: container.end - 1 })
  const trailingComma = tokens.some(isComma)
  const multiline = layout.multiline || tokens.at(-1)?.kind === 'line-comment'
  const before = multiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => before + item).join(',') + (trailingComma ? ',' : '')
  const at = tokens.at(-1)?.end ?? last.end
  if (trailingComma) return [{ offset: at, length: 0, content }]
  if (at === last.end) return [{ offset: at, length: 0, content: `,${content}` }]
  return [
    { offset: last.end, length: 0, content: ',' },
    { offset: at, length: 0, content },
  ]
}

/** Right behind the bracket, or the comma, before an entry, and the comments that end that line. */
function insertBefore({ text, container }: Place, next: Span, { items, layout, index = 0 }: Addition): TextEdit[] {
  const previous = entriesOf(container)[index - 1]
  const tokens = gapTokens(text, { start: previous?.end ?? container.start + 1, end: next.start })
  const comma = tokens.findIndex(isComma)
  const opener = tokens[comma]?.end ?? container.start + 1
  const comments = tokens.slice(comma + 1)
  const onLine = comments.filter(({ start }) => !hasLineBreak(text, { start: opener, end: start }))
  const last = onLine.at(-1)
  const following = comments[onLine.length]?.start ?? next.start
  const endsLine = last !== undefined && hasLineBreak(text, { start: last.end, end: following })
  const at = endsLine ? last.end : opener
  const target = endsLine ? following : (comments[0]?.start ?? next.start)
  if (!layout.multiline && !endsLine)
    return [{ offset: target, length: 0, content: items.map((item) => `${item},${layout.gap}`).join('') }]
  const lineStart = layout.eol + layout.indent
  const content = items.map((item) => `${lineStart}${item},`).join('')
  if (hasLineBreak(text, { start: at, end: target })) return [{ offset: at, length: 0, content }]
  return [{ offset: at, length: target - at, content: content + lineStart }]
}

const isComma = ({ kind }: GapToken): boolean => kind === 'comma'
