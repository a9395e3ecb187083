import { addChange, type Change as ChangeTree, type Changes as ChangeTrees, checkIdentity } from './changes'
import type { Json, Match } from './editor'
import { findMember, listItems, type Node } from './json-document'

/** Exact source text of a value to restore. For a property, also of its name. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly whole: string,
    readonly value: Json,
  ) {}
}

/** Insert position of a list element. A number is its index after all removals. */
export type ItemPosition = 'first' | 'last' | number

/** Like `OpenEdit`, but can also restore exact source texts and positions in a list. */
export type JsonEdit = { readonly path: readonly string[] } & (
  | { readonly value: Json | RawJson | undefined }
  | { readonly member: string; readonly present: boolean; readonly place?: ItemPosition }
  | {
      readonly element: Match
      readonly value: Json | RawJson | undefined
      readonly isFirst?: boolean
      readonly place?: ItemPosition
    }
)

/** Change of one text or object in a list. If `value` is undefined, the object is removed. */
export type ItemChange =
  | { readonly kind: 'member'; readonly member: string; readonly present: boolean; readonly place: ItemPosition }
  | {
      readonly kind: 'element'
      readonly match: Match
      readonly value: Json | RawJson | undefined
      readonly place: ItemPosition
    }

export type Change = ChangeTree<Json | RawJson, ItemChange>
export type Changes = ChangeTrees<Json | RawJson, ItemChange>
export type ListChange = Extract<Change, { readonly kind: 'list' }>
export type RootChange = Extract<Change, { readonly kind: 'list' | 'within' }>

/**
 * Builds a tree of the edits. Throws if two edits change the same value, or if a new element does not have the
 * properties it is matched by.
 */
export function buildJsonChanges(edits: readonly JsonEdit[]): RootChange {
  const holder: Changes = new Map()
  for (const edit of edits) {
    const isInList = 'member' in edit || 'element' in edit
    addChange(holder, ['', ...edit.path], isInList ? { item: toItemChange(edit) } : { value: edit.value })
  }
  const root = holder.get('')
  if (root === undefined) return { kind: 'within', changes: new Map() }
  if (root.kind === 'within' || root.kind === 'list') return root
  throw new Error('An edit must not replace the whole document.')
}

export const toPlainJson = (value: Json | RawJson): Json => (value instanceof RawJson ? value.value : value)

type ItemEdit = Extract<JsonEdit, { readonly member: string } | { readonly element: Match }>

function toItemChange(edit: ItemEdit): ItemChange {
  if ('member' in edit)
    return { kind: 'member', member: edit.member, present: edit.present, place: edit.place ?? 'last' }
  const { element, value, isFirst, place } = edit
  checkIdentity(element, value && toPlainJson(value))
  return { kind: 'element', match: element, value, place: place ?? (isFirst === true ? 'first' : 'last') }
}

export function matchItems(list: Node | undefined, changes: readonly ItemChange[]): Map<ItemChange, Node[]> {
  const nodesByChange = new Map<ItemChange, Node[]>(changes.map((change) => [change, []]))
  const lookups = buildLookups(changes)
  for (const item of listItems(list))
    for (const { toKey, changes: byKey } of lookups) {
      const key = toKey(item)
      const change = key === undefined ? undefined : byKey.get(key)
      if (change !== undefined) nodesByChange.get(change)?.push(item)
    }
  return nodesByChange
}

/** Index of the first matching element, or -1. */
export function indexMatching(items: readonly Node[], match: Match): number {
  const names = Object.keys(match)
  const key = getMatchKey(match, names)
  return items.findIndex((item) => getObjectKey(item, names) === key)
}

type Lookup = {
  readonly toKey: (item: Node) => string | undefined
  readonly changes: Map<string, ItemChange>
}

function buildLookups(changes: readonly ItemChange[]): Lookup[] {
  const lookups = new Map<string, Lookup>()
  const lookup = (id: string, toKey: Lookup['toKey']): Lookup => {
    const existingLookup = lookups.get(id) ?? { toKey, changes: new Map() }
    lookups.set(id, existingLookup)
    return existingLookup
  }
  for (const change of changes) {
    if (change.kind === 'member') lookup('', canonicalNode).changes.set(change.member, change)
    else {
      const names = Object.keys(change.match).sort()
      const ownItems = lookup(JSON.stringify(names), (item) => getObjectKey(item, names))
      ownItems.changes.set(getMatchKey(change.match, names), change)
    }
  }
  return [...lookups.values()]
}

const canonicalNode = (node: Node | undefined): string | undefined =>
  node?.type === 'literal' && typeof node.value === 'string' ? node.value : undefined

const getMatchKey = (match: Match, names: readonly string[]): string => names.map((name) => match[name]).join('\0')

/** Text that identifies the values of these properties. Undefined if any value is not a text. */
function getObjectKey(node: Node, names: readonly string[]): string | undefined {
  let key: string | undefined
  for (const name of names) {
    const text = canonicalNode(findMember(node, name)?.value)
    if (text === undefined) return undefined
    key = key === undefined ? text : `${key}\0${text}`
  }
  return key
}
