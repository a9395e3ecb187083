import type { Match } from './editor'
import type { ItemChange } from './json-changes'
import { itemsOf, memberOf, type Node } from './json-tree'

/** The elements of a list that each change is about, in one pass, however many changes. */
export function itemsFor(list: Node | undefined, changes: readonly ItemChange[]): Map<ItemChange, Node[]> {
  const found = new Map<ItemChange, Node[]>(changes.map((change) => [change, []]))
  const lookups = lookupsOf(changes)
  for (const item of itemsOf(list))
    for (const { keyOf, changes: byKey } of lookups) {
      const key = keyOf(item)
      const change = key === undefined ? undefined : byKey.get(key)
      if (change !== undefined) found.get(change)?.push(item)
    }
  return found
}

/** Where the first element stands that matches; -1 when none does. */
export function indexMatching(items: readonly Node[], match: Match): number {
  const names = Object.keys(match)
  const key = keyOfMatch(match, names)
  return items.findIndex((item) => keyOfObject(item, names) === key)
}

/** Changes that tell elements by the same names. */
type Lookup = {
  readonly keyOf: (item: Node) => string | undefined
  readonly changes: Map<string, ItemChange>
}

function lookupsOf(changes: readonly ItemChange[]): Lookup[] {
  const lookups = new Map<string, Lookup>()
  const lookup = (id: string, keyOf: Lookup['keyOf']): Lookup => {
    const existing = lookups.get(id) ?? { keyOf, changes: new Map() }
    lookups.set(id, existing)
    return existing
  }
  for (const change of changes) {
    if (change.kind === 'member') lookup('', textOf).changes.set(change.member, change)
    else {
      const names = Object.keys(change.match).sort()
      const own = lookup(JSON.stringify(names), (item) => keyOfObject(item, names))
      own.changes.set(keyOfMatch(change.match, names), change)
    }
  }
  return [...lookups.values()]
}

const textOf = (node: Node | undefined): string | undefined =>
  node?.type === 'literal' && typeof node.value === 'string' ? node.value : undefined

const keyOfMatch = (match: Match, names: readonly string[]): string => names.map((name) => match[name]).join('\0')

/** One text for the values of these properties; none when one of them is no text. */
function keyOfObject(node: Node, names: readonly string[]): string | undefined {
  let key: string | undefined
  for (const name of names) {
    const text = textOf(memberOf(node, name)?.value)
    if (text === undefined) return undefined
    key = key === undefined ? text : `${key}\0${text}`
  }
  return key
}
