import type { OwnedPath } from './editor'
import { canonicalText } from './json-value'
import { type ElementPlace, itemsOf, type ListChange, type PlacedItem, type YamlEdit } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { entryAt, isInBrackets, jsonOf, type YamlCollection, type YamlEntry } from './yaml-node'
import { rawOf } from './yaml-raw'

/** What gives a setting of `current` back to how `old` had it. */
export function putBack({ path, member, element }: OwnedPath, current: YamlDocument, old: YamlDocument): YamlEdit {
  const list = listAt(old, path)
  const itemsBack = (change: ListChange): PlacedItem[] => {
    const items = list === undefined ? [] : itemsOf(list, change)
    return items.map((item) => ({
      value: rawOf(old, item, list?.flow ?? false),
      place: placeIn(listAt(current, path), list?.entries.slice(0, list.entries.indexOf(item)) ?? []),
    }))
  }
  if (member !== undefined) {
    const raws = itemsBack({ kind: 'member', member, present: true })
    return { path, member, present: raws.length > 0, raws }
  }
  if (element !== undefined) {
    const [raw] = itemsBack({ kind: 'element', match: element, value: undefined, place: 'last' })
    return { path, element, value: undefined, ...raw }
  }
  const entry = entryAt(old.root, path)
  return { path, value: entry && rawOf(old, entry, isInBrackets(old.root, path.slice(0, -1))) }
}

function listAt({ root }: YamlDocument, path: readonly string[]): YamlCollection | undefined {
  const value = entryAt(root, path)?.value
  return value?.kind === 'list' ? value : undefined
}

/** Behind the nearest of the elements before it that is still there. */
function placeIn(list: YamlCollection | undefined, before: readonly YamlEntry[]): ElementPlace {
  const left = new Set(list?.entries.map(({ value }) => canonicalText(jsonOf(value))))
  const behind = before.map(({ value }) => canonicalText(jsonOf(value))).findLast((text) => left.has(text))
  return behind === undefined ? 'first' : { behind }
}
