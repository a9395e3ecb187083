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

export function isRemoval(change: ItemChange): boolean {
  return change.kind === 'member' ? !change.present : change.value === undefined
}

/** Elements of a list to which each change applies: texts equal to its text, or objects that match. */
export const matchItems = (list: Node | undefined, changes: readonly ItemChange[]): Map<ItemChange, Node[]> =>
  new Map(
    changes.map((change) => [
      change,
      listItems(list).filter((item) =>
        change.kind === 'member' ? isText(item, change.member) : isMatch(item, change.match),
      ),
    ]),
  )

export const isText = (node: Node | undefined, text: string | undefined): boolean =>
  node?.type === 'literal' && node.value === text

/** Whether an element is an object with these texts. */
export const isMatch = (node: Node, match: Match): boolean =>
  Object.entries(match).every(([name, text]) => isText(findMember(node, name)?.value, text))
