import { canonicalText, type Json, type Match, matches } from './editor'

/** Change of a setting. `Value` may also be a source text to restore, and `Item` is the change of one list item. */
export type Change<Value, Item> =
  | { readonly kind: 'set'; readonly value: Value }
  | { readonly kind: 'remove' }
  | { readonly kind: 'list'; readonly items: Item[] }
  | { readonly kind: 'within'; readonly changes: Changes<Value, Item> }

/** Changes by name of the setting. */
export type Changes<Value, Item> = Map<string, Change<Value, Item>>

/** A text in a list, or the object in a list that matches. */
type ItemIdentity =
  | { readonly kind: 'member'; readonly member: string }
  | { readonly kind: 'element'; readonly match: Match }

/** Adds an edit to a tree of changes. Throws if another edit changes the same value. */
export function addChange<Value, Item extends ItemIdentity>(
  root: Changes<Value, Item>,
  path: readonly string[],
  edit: { readonly item: Item } | { readonly value: Value | undefined },
): void {
  const name = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce((changes, parentName) => enterChanges(changes, parentName), root)
  const existingChange = parent.get(name)
  if ('value' in edit) {
    if (existingChange !== undefined) throw createDuplicateError(name)
    parent.set(name, edit.value === undefined ? { kind: 'remove' } : { kind: 'set', value: edit.value })
  } else if (existingChange === undefined) parent.set(name, { kind: 'list', items: [edit.item] })
  else if (
    existingChange.kind !== 'list' ||
    existingChange.items.some((sibling) => toIdentity(sibling) === toIdentity(edit.item))
  )
    throw createDuplicateError(name)
  else existingChange.items.push(edit.item)
}

function enterChanges<Value, Item>(parent: Changes<Value, Item>, name: string): Changes<Value, Item> {
  const existingChange = parent.get(name)
  if (existingChange?.kind === 'within') return existingChange.changes
  if (existingChange !== undefined) throw createDuplicateError(name)
  const changes: Changes<Value, Item> = new Map()
  parent.set(name, { kind: 'within', changes })
  return changes
}

const toIdentity = (item: ItemIdentity): string => canonicalText(item.kind === 'member' ? item.member : item.match)

export const createDuplicateError = (name: string): Error => new Error(`Two edits change ${name || 'the document'}.`)

/** Throws if a new list element does not have the properties by which it is found. */
export function checkIdentity(match: Match, value: Json | undefined): void {
  if (Object.keys(match).length === 0 || (value !== undefined && !matches(value, match)))
    throw new Error('A list element must match its identity.')
}
