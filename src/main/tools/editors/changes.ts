import { canonicalText, type Json, type Match, matches, type OwnedPath } from './editor'
import { getLineNumber } from './text'
import {
  type Entry,
  findEntry,
  getColumn,
  getNode,
  getTableText,
  isFlow,
  isMatch,
  isText,
  nodeToJson,
  type TreeDocument,
  type TreeNode,
} from './tree'

/** Changes of a parsed text: how edits and restores become changes. */

/** Source text of a pair (key with colon, and value) or of a list item, so that it can be restored exactly. */
export class RawText {
  constructor(
    readonly parts: {
      readonly key: string | undefined
      readonly text: string
      /** Column of the key or list item. */
      readonly column: number
      readonly valueColumn: number
      /** Whether the value starts on a line below its key. */
      readonly isBelow: boolean
      readonly flow: boolean
      /** All lines of the setting, unless they depend on other lines. */
      readonly own: string | undefined
    },
    readonly value: Json,
  ) {}
}

/** A value to write. A map is an object, and its values and those of lists may include exact source texts. */
export type RenderableValue = Json | RawText | Map<string, RenderableValue> | readonly RenderableValue[]

export const isList = (value: RenderableValue): value is readonly RenderableValue[] => Array.isArray(value)

/** Insert position of a list item. A number is its index after all removals. */
export type ItemPosition = 'first' | 'last' | number

/** A list item to write, and its position in the list. */
type PositionedItem = { readonly value: Json | RawText; readonly place: ItemPosition }

/** Like `OpenEdit`, but can also restore exact source texts and positions in a list. */
type ExactEdit = { readonly path: readonly string[] } & (
  | { readonly value: Json | RawText | undefined }
  | { readonly member: string; readonly present: boolean; readonly raws?: readonly PositionedItem[] | undefined }
  | {
      readonly element: Match
      readonly value: Json | RawText | undefined
      readonly isFirst?: boolean
      readonly place?: ItemPosition
    }
)

/** Change of one text or of the matching object in a list. If `value` is undefined, the object is removed. */
export type ItemChange =
  | {
      readonly kind: 'member'
      readonly member: string
      readonly present: boolean
      readonly raws?: readonly PositionedItem[] | undefined
    }
  | {
      readonly kind: 'element'
      readonly match: Match
      readonly value: Json | RawText | undefined
      readonly place: ItemPosition
    }

/** Change of a setting. */
export type Change =
  | { readonly kind: 'set'; readonly value: Json | RawText }
  | { readonly kind: 'remove' }
  | { readonly kind: 'list'; readonly items: ItemChange[] }
  | { readonly kind: 'within'; readonly changes: Changes }

/** Changes by name of the setting. */
export type Changes = Map<string, Change>

export type RootChange = Extract<Change, { readonly kind: 'list' | 'within' }>

/** Builds a tree of the edits. Throws if two change the same value, or a new element does not match its identity. */
export function buildChanges(edits: readonly ExactEdit[]): RootChange {
  const holder: Changes = new Map()
  for (const edit of edits) addChange(holder, ['', ...edit.path], edit)
  const root = holder.get('')
  if (root === undefined) return { kind: 'within', changes: new Map() }
  if (root.kind === 'within' || root.kind === 'list') return root
  throw new Error('An edit must not replace the whole document.')
}

function addChange(root: Changes, path: readonly string[], edit: ExactEdit): void {
  const name = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce(enterChanges, root)
  const existingChange = parent.get(name)
  if (!('member' in edit) && !('element' in edit)) {
    if (existingChange !== undefined) throw createDuplicateError(name)
    parent.set(name, edit.value === undefined ? { kind: 'remove' } : { kind: 'set', value: edit.value })
    return
  }
  const item = toItemChange(edit)
  if (existingChange === undefined) parent.set(name, { kind: 'list', items: [item] })
  else if (
    existingChange.kind !== 'list' ||
    existingChange.items.some((sibling) => toIdentity(sibling) === toIdentity(item))
  )
    throw createDuplicateError(name)
  else existingChange.items.push(item)
}

function enterChanges(parent: Changes, name: string): Changes {
  const existingChange = parent.get(name)
  if (existingChange?.kind === 'within') return existingChange.changes
  if (existingChange !== undefined) throw createDuplicateError(name)
  const changes: Changes = new Map()
  parent.set(name, { kind: 'within', changes })
  return changes
}

function toItemChange(edit: Extract<ExactEdit, { readonly member: string } | { readonly element: Match }>): ItemChange {
  if ('member' in edit) return { kind: 'member', member: edit.member, present: edit.present, raws: edit.raws }
  const { element: match, value, isFirst, place = isFirst === true ? 'first' : 'last' } = edit
  if (Object.keys(match).length === 0 || (value !== undefined && !matches(toPlainJson(value), match)))
    throw new Error('A list element must match its identity.')
  return { kind: 'element', match, value, place }
}

const toIdentity = (item: ItemChange): string => canonicalText(item.kind === 'member' ? item.member : item.match)

const createDuplicateError = (name: string): Error => new Error(`Two edits change ${name || 'the document'}.`)

export const toPlainJson = (value: Json | RawText): Json => (value instanceof RawText ? value.value : value)

export const isRemoval = (change: ItemChange): boolean =>
  change.kind === 'member' ? !change.present : change.value === undefined

/** List items to which a change applies: items equal to its text, or objects that match. */
export function findItems(list: TreeNode | undefined, change: ItemChange): Entry[] {
  if (list?.kind !== 'list') return []
  return list.entries.filter(({ value }) =>
    change.kind === 'member'
      ? isText(value.kind === 'alias' ? value.target : value, change.member)
      : isMatch(value, change.match),
  )
}

/** Items that a change adds to a list without a matching item. */
export function listNewItems(change: ItemChange): readonly PositionedItem[] {
  if (change.kind === 'element') return change.value === undefined ? [] : [{ value: change.value, place: change.place }]
  return change.present ? (change.raws ?? [{ value: change.member, place: 'last' }]) : []
}

/** Value to create for a missing setting, if any. `hasList`: a list exists, to which alone member texts are added. */
export function newValue(change: Change, hasList = false): RenderableValue | undefined {
  if (change.kind === 'remove') return undefined
  if (change.kind === 'set') return change.value
  if (change.kind === 'list') {
    const newItems = change.items.flatMap((item) => (item.kind === 'member' && !hasList ? [] : listNewItems(item)))
    const isFirst = ({ place }: PositionedItem): boolean => place === 'first'
    const values = [...newItems.filter(isFirst), ...newItems.filter((item) => !isFirst(item))].map(({ value }) => value)
    return values.length === 0 ? undefined : values
  }
  const values = new Map<string, RenderableValue>()
  for (const [name, nestedChange] of change.changes) {
    const value = newValue(nestedChange)
    if (value !== undefined) values.set(name, value)
  }
  return values.size === 0 ? undefined : values
}

/** Source text of a pair or list item. `flow` selects flow style. */
export function toRawText({ text }: Pick<TreeDocument, 'text'>, entry: Entry, flow: boolean): RawText {
  const { key, value, start, end } = entry
  const valueStart = key === undefined ? start : value.outer
  const isBelow =
    key !== undefined && value.end > value.outer && getLineNumber(text, value.outer) > getLineNumber(text, key.node.end)
  const isPart = entry.own?.some((lines) => lines.isPart) ?? false
  const parts = {
    key: key && text.slice(start, key.colon ?? key.node.end),
    text: getTableText(value) ?? text.slice(valueStart, end),
    column: getColumn(text, start),
    valueColumn: getColumn(text, valueStart),
    isBelow,
    flow,
    own: isPart ? undefined : entry.own?.map((lines) => text.slice(lines.start, lines.end)).join(''),
  }
  return new RawText(parts, nodeToJson(value))
}

type RestoreInput = {
  readonly owned: readonly OwnedPath[]
  readonly current: TreeDocument
  readonly original: TreeDocument
}

/** Changes that restore our settings to their values in `original`, with list items in the order of `original`. */
export function buildRestoreChanges(input: RestoreInput): RootChange {
  return buildChanges(
    input.owned
      .map((ownedPath) => createRestoreEdit(ownedPath, input))
      .sort((a, b) => a.index - b.index)
      .map(({ edit }) => edit),
  )
}

/** `index`: index of the list item in the original. -1 if it is missing or the setting is not in a list. */
function createRestoreEdit(ownedPath: OwnedPath, input: RestoreInput): { edit: ExactEdit; index: number } {
  const { path, member, element } = ownedPath
  const { original } = input
  const change = toOwnedItem(ownedPath)
  if (change === undefined) {
    const map = getNode(original.root, path.slice(0, -1))
    const entry = findEntry(map, path.at(-1) ?? '')
    const value = entry && toRawText(original, entry, isFlow(map))
    return { edit: { path, value }, index: -1 }
  }
  const list = getNode(original.root, path)
  const entries = list?.kind === 'list' ? list.entries : []
  const raws = findItems(list, change).map((entry) => {
    const index = entries.indexOf(entry)
    const value = toRawText(original, entry, isFlow(list))
    return { value, place: findItemPosition(path, index, input), index }
  })
  const [raw] = raws
  const edit =
    element === undefined
      ? { path, member: member ?? '', present: raws.length > 0, raws }
      : { path, element, value: raw?.value, place: raw?.place ?? 'last' }
  return { edit, index: raw?.index ?? -1 }
}

function toOwnedItem({ member, element }: OwnedPath): ItemChange | undefined {
  if (member !== undefined) return { kind: 'member', member, present: true }
  return element && { kind: 'element', match: element, value: undefined, place: 'last' }
}

/** Position at which a list item is restored: after the nearest item that precedes it in the original and still exists. */
function findItemPosition(path: readonly string[], index: number, { owned, current, original }: RestoreInput): number {
  const ownItems = owned.filter((ownedPath) => canonicalText(ownedPath.path) === canonicalText(path))
  const originalIdentities = toIdentities(getNode(original.root, path), ownItems)
  const originalIds = new Set(originalIdentities.map(({ id }) => id))
  const remainingIdentities = toIdentities(getNode(current.root, path), ownItems).filter(
    ({ isOurs, id }) => !isOurs || originalIds.has(id),
  )
  const indexById = new Map(remainingIdentities.map(({ id }, position) => [id, position + 1]))
  const nearestItem = originalIdentities.slice(0, index).findLast(({ id }) => indexById.has(id))
  return (nearestItem && indexById.get(nearestItem.id)) ?? 0
}

/** Identifies each list item: ours by the setting's index, any other by its value and number of occurrences before. */
function toIdentities(list: TreeNode | undefined, ownItems: readonly OwnedPath[]) {
  const owners = new Map<Entry, number>()
  for (const [ownerIndex, ownItem] of ownItems.entries()) {
    const change = toOwnedItem(ownItem)
    for (const entry of change ? findItems(list, change) : []) owners.set(entry, ownerIndex)
  }
  const counts = new Map<string, number>()
  return (list?.kind === 'list' ? list.entries : []).map((entry) => {
    const owner = owners.get(entry)
    if (owner !== undefined) return { id: `ours ${owner}`, isOurs: true }
    const text = canonicalText(nodeToJson(entry.value))
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return { id: `${text} ${count}`, isOurs: false }
  })
}

/** A change to values instead of source texts. */
export function dropRawText(change: Change): Change {
  if (change.kind === 'remove') return change
  if (change.kind === 'set') return { ...change, value: toPlainJson(change.value) }
  if (change.kind === 'within')
    return { ...change, changes: new Map([...change.changes].map(([name, inner]) => [name, dropRawText(inner)])) }
  const items = change.items.map((item) =>
    item.kind === 'member' ? { ...item, raws: undefined } : { ...item, value: item.value && toPlainJson(item.value) },
  )
  return { ...change, items }
}
