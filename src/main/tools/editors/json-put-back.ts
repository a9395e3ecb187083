import type { OwnedPath } from './editor'
import { type ItemPlace, type JsonEdit, RawJson } from './json-changes'
import type { JsonDocument } from './json-document'
import { indexMatching } from './json-items'
import { itemsOf, memberOf, type Node, nodeAt, type Span, toJson } from './json-tree'
import { canonicalText } from './json-value'

/** Where owned settings are taken from, and where they go to. */
export type Past = { readonly owned: readonly OwnedPath[]; readonly current: JsonDocument; readonly old: JsonDocument }

/** What gives the settings of `current` back to how `old` had them, elements in the order in which it had them. */
export function putBack(past: Past): JsonEdit[] {
  return past.owned
    .map((each) => ({ edit: editFor(each, past), index: indexIn(each, past.old) }))
    .sort((a, b) => a.index - b.index)
    .map(({ edit }) => edit)
}

/** Where the element or the text stands in its list; -1 when it is not there, or a setting. */
function indexIn({ path, element, member }: OwnedPath, { root }: JsonDocument): number {
  if (element === undefined && member === undefined) return -1
  const items = itemsOf(nodeAt(root, path))
  return element === undefined ? items.findIndex((item) => isText(item, member)) : indexMatching(items, element)
}

function editFor(own: OwnedPath, past: Past): JsonEdit {
  const { path, member, element } = own
  const { old } = past
  const slice = ({ start, end }: Span): string => old.text.slice(start, end)
  if (member !== undefined) return { path, member, present: indexIn(own, old) !== -1, place: placeOf(own, past) }
  if (element !== undefined) {
    const found = itemsOf(nodeAt(old.root, path))[indexIn(own, old)]
    const value = found && new RawJson(slice(found), slice(found), toJson(found))
    return { path, element, value, place: placeOf(own, past) }
  }
  const found = memberOf(nodeAt(old.root, path.slice(0, -1)), path.at(-1) ?? '')
  if (found === undefined) return { path, value: undefined }
  return { path, value: new RawJson(slice(found.value), slice(found), toJson(found.value)) }
}

/** Behind the nearest of the elements before it that will still be there, as an index into those. */
function placeOf(own: OwnedPath, { owned, current, old }: Past): ItemPlace {
  const index = indexIn(own, old)
  if (index === -1 || indexIn(own, current) !== -1) return 'last'
  const ours = owned.filter(({ path }) => canonicalText(path) === canonicalText(own.path))
  const before = identitiesOf(itemsOf(nodeAt(old.root, own.path)), ours)
  const all = new Set(before.map(({ id }) => id))
  const now = identitiesOf(itemsOf(nodeAt(current.root, own.path)), ours)
  const kept = now.filter(({ isOurs, id }) => !isOurs || all.has(id))
  const places = new Map(kept.map(({ id }, at) => [id, at + 1]))
  const nearest = before.slice(0, index).findLast(({ id }) => places.has(id))
  return (nearest && places.get(nearest.id)) ?? 0
}

type Identity = { readonly id: string; readonly isOurs: boolean }

/** What tells each element from the others: which of ours it is, or its value and how often that was there before. */
function identitiesOf(items: readonly Node[], ours: readonly OwnedPath[]): Identity[] {
  const owners = new Map<Node | undefined, number>()
  for (const [at, { member, element }] of ours.entries()) {
    if (element !== undefined) owners.set(items[indexMatching(items, element)], at)
    if (member !== undefined) for (const item of items) if (isText(item, member)) owners.set(item, at)
  }
  const counts = new Map<string, number>()
  return items.map((item) => {
    const owner = owners.get(item)
    if (owner !== undefined) return { id: `ours ${owner}`, isOurs: true }
    const text = canonicalText(toJson(item))
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return { id: `${text} ${count}`, isOurs: false }
  })
}

const isText = (item: Node, text: string | undefined): boolean => item.type === 'literal' && item.value === text
