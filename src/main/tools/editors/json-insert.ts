import { type Change, type Changes, type ItemChange, plain, type RawJson, type RootChange } from './json-changes'
import type { JsonDocument } from './json-document'
import { itemsFor } from './json-items'
import {
  defaultLayout,
  elementLayoutOf,
  layoutOf,
  type Place,
  type Renderable,
  render,
  renderMember,
  type Style,
  styleOf,
} from './json-layout'
import { insertAt } from './json-place'
import { type Container, entriesOf, membersNamed, type Node, toJson } from './json-tree'
import { type Json, sameJson } from './json-value'
import type { TextEdit } from './splice'

/** The text edits that make every `set`, and all that is to be in lists, so; everything else stays. */
export function insertions(document: JsonDocument, change: RootChange): TextEdit[] {
  const { root, text } = document
  const style = styleOf(document)
  if (root === undefined) return newRoot(document, change, style)
  return changeInside({ text, style, around: undefined }, root, change)
}

function changeInside(setting: Omit<Place, 'container'>, node: Node, change: Change): TextEdit[] {
  if (change.kind === 'within' && node.type === 'object')
    return changeObject({ ...setting, container: node }, change.changes)
  if (change.kind === 'list' && node.type === 'list') return changeList({ ...setting, container: node }, change.items)
  return []
}

/** `place` is where the entry stands whose value this is. */
function replace(place: Place, node: Node, value: Json | RawJson): TextEdit[] {
  if (sameJson(toJson(node), plain(value))) return []
  const layout = elementLayoutOf(place, layoutOf(place), node)
  return [{ offset: node.start, length: node.end - node.start, content: render(value, layout) }]
}

function changeObject(place: Place, changes: Changes): TextEdit[] {
  const edits: TextEdit[] = []
  const added: [string, Renderable][] = []
  const found = membersNamed(place.container, changes)
  for (const [name, change] of changes) {
    const existing = found.get(name)?.at(-1)?.value
    if (existing !== undefined && change.kind === 'set') edits.push(...replace(place, existing, change.value))
    else if (existing !== undefined)
      edits.push(...changeInside({ ...place, around: place.container }, existing, change))
    else {
      const value = newValue(change)
      if (value !== undefined) added.push([name, value])
    }
  }
  if (added.length === 0) return edits
  const layout = layoutOf(place)
  const items = added.map((member) => renderMember(member, layout))
  return [...edits, ...insertAt(place, { items, layout, index: undefined })]
}

function changeList(place: Place, changes: readonly ItemChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const added = new Map<number, Renderable[]>()
  const { container } = place
  for (const [change, [existing]] of itemsFor(container, changes)) {
    const value = newItem(change)
    if (value === undefined) continue
    if (existing === undefined) {
      const index = indexFor(container, change)
      const same = added.get(index)
      if (same === undefined) added.set(index, [value])
      else same.push(value)
    } else if (change.kind === 'element' && change.value !== undefined)
      edits.push(...replace(place, existing, change.value))
  }
  if (added.size === 0) return edits
  const layout = layoutOf(place)
  const own = elementLayoutOf(place, layout)
  return [
    ...edits,
    ...[...added].flatMap(([index, values]) =>
      insertAt(place, { items: values.map((value) => render(value, own)), layout, index }),
    ),
  ]
}

/** Before which element a new one goes; the number of elements: behind the last. */
function indexFor(container: Container, change: ItemChange): number {
  const { length } = entriesOf(container)
  if (change.place === 'last') return length
  return change.place === 'first' ? 0 : Math.min(change.place, length)
}

function newItem(change: ItemChange): Renderable | undefined {
  return change.kind === 'element' ? change.value : change.present ? change.member : undefined
}

/** What a change makes of a property that does not exist; undefined when there is nothing to write. */
function newValue(change: Change): Renderable | undefined {
  if (change.kind === 'remove') return undefined
  if (change.kind === 'set') return change.value
  if (change.kind === 'list') return newList(change.items)
  const inner = new Map<string, Renderable>()
  for (const [name, each] of change.changes) {
    const value = newValue(each)
    if (value !== undefined) inner.set(name, value)
  }
  return inner.size === 0 ? undefined : inner
}

/** A list is there for its elements; a text alone is no reason for one. */
function newList(changes: readonly ItemChange[]): Renderable | undefined {
  const elements = changes.filter((change) => change.kind === 'element' && change.value !== undefined)
  const isFirst = (change: ItemChange): boolean => change.kind === 'element' && change.place === 'first'
  const ordered = [...elements.filter(isFirst), ...elements.filter((change) => !isFirst(change))]
  const values = ordered.map(newItem).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : values
}

function newRoot({ text, comments }: JsonDocument, change: RootChange, style: Style): TextEdit[] {
  const value = newValue(change)
  if (value === undefined) return []
  const layout = defaultLayout(style)
  const kept = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (kept === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [{ offset: kept, length: text.length - kept, content }]
}
