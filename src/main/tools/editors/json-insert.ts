import type { Node, Edit as TextEdit } from 'jsonc-parser'
import { type Change, type Changes, RawJson } from './json-changes'
import { gapTokens, type JsonDocument } from './json-document'
import { defaultLayout, entriesOf, type Layout, layoutOf, type Renderable, render, renderMember } from './json-layout'
import { elementsOf, memberOf, sameJson, toJson } from './json-value'

/** The text edits that make every `set`, and every member to be present, so; everything else stays. */
export function insertions(document: JsonDocument, changes: Changes): TextEdit[] {
  if (document.root === undefined) return newRoot(document, changes)
  return insertionsInto({ document, container: document.root, around: undefined }, changes)
}

type Place = { readonly document: JsonDocument; readonly container: Node; readonly around: Node | undefined }

function insertionsInto(place: Place, changes: Changes): TextEdit[] {
  const edits: TextEdit[] = []
  const added = new Map<string, Renderable>()
  for (const [name, change] of changes) {
    const existing = memberOf(place.container, name)?.value
    if (existing !== undefined) edits.push(...changeExisting(place, existing, change))
    else {
      const value = newValue(change)
      if (value !== undefined) added.set(name, value)
    }
  }
  const { document, container, around } = place
  if (added.size === 0) return edits
  const layout = layoutOf(document, container, around)
  return [
    ...edits,
    ...append(
      place,
      [...added].map((member) => renderMember(member, layout)),
      layout,
    ),
  ]
}

function changeExisting(place: Place, existing: Node, change: Change): TextEdit[] {
  const { document, container } = place
  if (change.kind === 'within')
    return insertionsInto({ document, container: existing, around: container }, change.changes)
  if (change.kind === 'member') return change.present ? addMember(place, existing, change.member) : []
  if (change.kind === 'remove') return []
  const { value } = change
  if (sameJson(toJson(existing), value instanceof RawJson ? value.value : value)) return []
  const content = render(value, layoutOf(document, container, undefined))
  return [{ offset: existing.offset, length: existing.length, content }]
}

function addMember({ document, container }: Place, list: Node, member: string): TextEdit[] {
  if (elementsOf(list).some(({ value }) => value === member)) return []
  const layout = layoutOf(document, list, container)
  return append({ document, container: list, around: container }, [JSON.stringify(member)], layout)
}

/** What a change makes of a property that does not exist; undefined when there is nothing to write. */
function newValue(change: Change): Renderable | undefined {
  if (change.kind === 'set') return change.value
  if (change.kind !== 'within') return undefined
  const inner = new Map<string, Renderable>()
  for (const [name, each] of change.changes) {
    const value = newValue(each)
    if (value !== undefined) inner.set(name, value)
  }
  return inner.size === 0 ? undefined : inner
}

function newRoot(document: JsonDocument, changes: Changes): TextEdit[] {
  const value = newValue({ kind: 'within', changes })
  if (value === undefined) return []
  const { text, comments } = document
  const layout = defaultLayout(document)
  const kept = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (kept === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [{ offset: kept, length: text.length - kept, content }]
}

function append({ document, container }: Place, items: readonly string[], layout: Layout): TextEdit[] {
  return entriesOf(container).length === 0
    ? fill(document, container, { items, layout })
    : extend(document, container, { items, layout })
}

type Addition = { readonly items: readonly string[]; readonly layout: Layout }

/** Into empty brackets, behind the comments that may stand there. */
function fill({ text }: JsonDocument, container: Node, { items, layout }: Addition): TextEdit[] {
  const start = container.offset + 1
  const end = container.offset + container.length - 1
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
function extend({ text }: JsonDocument, container: Node, { items, layout }: Addition): TextEdit[] {
  const last = entriesOf(container).at(-1)
  if (last === undefined) return []
  const lastEnd = last.offset + last.length
  const tokens = gapTokens(text, { start: lastEnd, end: container.offset + container.length - 1 })
  const trailingComma = tokens.some(({ kind }) => kind === 'comma')
  const multiline = layout.multiline || tokens.at(-1)?.kind === 'line-comment'
  const before = multiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => before + item).join(',') + (trailingComma ? ',' : '')
  const at = tokens.at(-1)?.end ?? lastEnd
  if (trailingComma) return [{ offset: at, length: 0, content }]
  if (at === lastEnd) return [{ offset: at, length: 0, content: `,${content}` }]
  return [
    { offset: lastEnd, length: 0, content: ',' },
    { offset: at, length: 0, content },
  ]
}
