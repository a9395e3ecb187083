import { canonicalText, isJsonObject, type Json, type Match } from './editor'
import { findMember, listItems, type Node } from './json-document'

/** A value as it stood in another text, to be put back to the letter: itself, and the whole with its name if it has one. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly whole: string,
    readonly value: Json,
  ) {}
}

/** Where a new element goes in its list; a number: before the element of this index, once all that goes is gone. */
export type ItemPlace = 'first' | 'last' | number

/** One owned setting, as the interface has it; values may also be put back to the letter, elements to their place. */
export type JsonEdit = { readonly path: readonly string[] } & (
  | { readonly value: Json | RawJson | undefined }
  | { readonly member: string; readonly present: boolean; readonly place?: ItemPlace }
  | {
      readonly element: Match
      readonly value: Json | RawJson | undefined
      readonly isFirst?: boolean
      readonly place?: ItemPlace
    }
)

/** What happens to one text, or to one object, of a list. `value` undefined: it goes. */
export type ItemChange =
  | { readonly kind: 'member'; readonly member: string; readonly present: boolean; readonly place: ItemPlace }
  | {
      readonly kind: 'element'
      readonly match: Match
      readonly value: Json | RawJson | undefined
      readonly place: ItemPlace
    }

/** What happens to one value. */
export type Change =
  | { readonly kind: 'set'; readonly value: Json | RawJson }
  | { readonly kind: 'remove' }
  | ListChange
  | ObjectChange
export type ListChange = { readonly kind: 'list'; readonly items: ItemChange[] }
type ObjectChange = { readonly kind: 'within'; readonly changes: Changes }

/** What happens to an object, by property name. */
export type Changes = Map<string, Change>

/** What happens to the value of a document. */
export type RootChange = ListChange | ObjectChange

/** The edits as a tree. Two edits of one place, or an element that does not match itself, are a mistake of the caller. */
export function buildJsonChanges(edits: readonly JsonEdit[]): RootChange {
  const holder: Changes = new Map()
  for (const edit of edits) {
    const path = ['', ...edit.path]
    const parent = path.slice(0, -1).reduce(descend, holder)
    addChange(parent, path.at(-1) ?? '', edit)
  }
  const root = holder.get('')
  if (root === undefined) return { kind: 'within', changes: new Map() }
  if (root.kind === 'within' || root.kind === 'list') return root
  throw new Error('An edit owns a whole document')
}

/** The value itself, whether it is to be put back to the letter or not. */
export const plain = (value: Json | RawJson): Json => (value instanceof RawJson ? value.value : value)

function descend(parent: Changes, name: string): Changes {
  const existing = parent.get(name)
  if (existing?.kind === 'within') return existing.changes
  if (existing !== undefined) throw twice(name)
  const changes: Changes = new Map()
  parent.set(name, { kind: 'within', changes })
  return changes
}

function addChange(parent: Changes, name: string, edit: JsonEdit): void {
  const existing = parent.get(name)
  const isInList = 'member' in edit || 'element' in edit
  if (existing !== undefined && !(isInList && existing.kind === 'list')) throw twice(name)
  if (!isInList) {
    parent.set(name, edit.value === undefined ? { kind: 'remove' } : { kind: 'set', value: edit.value })
    return
  }
  const item = itemChangeOf(edit)
  if (existing?.kind !== 'list') parent.set(name, { kind: 'list', items: [item] })
  else if (existing.items.some((other) => identityOf(other) === identityOf(item))) throw twice(name)
  else existing.items.push(item)
}

type ItemEdit = Extract<JsonEdit, { readonly member: string } | { readonly element: Match }>

function itemChangeOf(edit: ItemEdit): ItemChange {
  if ('member' in edit)
    return { kind: 'member', member: edit.member, present: edit.present, place: edit.place ?? 'last' }
  const { element, value, isFirst, place } = edit
  const isItself = value === undefined || matchesValue(plain(value), element)
  if (Object.keys(element).length === 0 || !isItself) throw new Error('An element does not match itself')
  return { kind: 'element', match: element, value, place: place ?? (isFirst === true ? 'first' : 'last') }
}

const matchesValue = (value: Json, match: Match): boolean =>
  isJsonObject(value) && Object.entries(match).every(([name, text]) => value[name] === text)

const identityOf = (item: ItemChange): string => canonicalText(item.kind === 'member' ? item.member : item.match)

const twice = (name: string): Error => new Error(`Two edits own ${name === '' ? 'a document' : name}`)

/** The elements of a list that each change is about, in one pass, however many changes. */
export function itemsFor(list: Node | undefined, changes: readonly ItemChange[]): Map<ItemChange, Node[]> {
  const found = new Map<ItemChange, Node[]>(changes.map((change) => [change, []]))
  const lookups = lookupsOf(changes)
  for (const item of listItems(list))
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
    const text = textOf(findMember(node, name)?.value)
    if (text === undefined) return undefined
    key = key === undefined ? text : `${key}\0${text}`
  }
  return key
}
