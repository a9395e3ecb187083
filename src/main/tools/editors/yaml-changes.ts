import { isJsonObject, type Json, type Match, sameJson } from './editor'
import { lineAt } from './json-document'
import type { YamlDocument } from './yaml-document'
import { columnAt, findYamlEntry, type YamlCollection, type YamlEntry, type YamlNode, yamlToJson } from './yaml-node'

/** Where a new element goes in its list; `behind` one that is the same value as this, as a canonical text. */
export type ElementPlace = 'first' | 'last' | { readonly behind: string }

/** An item of another text, and where it goes. */
export type PlacedItem = { readonly value: RawYaml; readonly place: ElementPlace }

/** One owned setting, as the interface has it; values may also be put back to the letter, elements to their place. */
export type YamlEdit = { readonly path: readonly string[] } & (
  | { readonly value: Json | RawYaml | undefined }
  | { readonly member: string; readonly present: boolean; readonly raws?: readonly PlacedItem[] }
  | ElementEdit
)
type ElementEdit = {
  readonly element: Match
  readonly value: Json | RawYaml | undefined
  readonly isFirst?: boolean
  readonly place?: ElementPlace
}

/** What happens to one name of a mapping. */
export type Change =
  | { readonly kind: 'set'; readonly value: Json | RawYaml }
  | { readonly kind: 'remove' }
  | { readonly kind: 'list'; readonly items: ListChange[] }
  | { readonly kind: 'within'; readonly changes: Changes }

/** What happens to a list: to one of its texts, or to its one element that matches. */
export type ListChange =
  | {
      readonly kind: 'member'
      readonly member: string
      readonly present: boolean
      readonly raws?: readonly PlacedItem[]
    }
  | {
      readonly kind: 'element'
      readonly match: Match
      readonly value: Json | RawYaml | undefined
      readonly place: ElementPlace
    }

/** What happens to a mapping, by name. */
export type Changes = Map<string, Change>

/** The edits as a tree. Two edits of one place are a mistake of the caller, and so is an edit of the document itself. */
export function buildYamlChanges(edits: readonly YamlEdit[]): Changes {
  const root: Changes = new Map()
  for (const edit of edits) {
    const name = edit.path.at(-1)
    const parent = edit.path.slice(0, -1).reduce(descend, root)
    if (name === undefined) throw twice(edit.path)
    if ('member' in edit || 'element' in edit) addToList(parent, name, listChangeOf(edit))
    else if (parent.has(name)) throw twice(edit.path)
    else parent.set(name, edit.value === undefined ? { kind: 'remove' } : { kind: 'set', value: edit.value })
  }
  return root
}

/** The items of a list that a change is about: those equal to a member, or those that match. */
export function findYamlItems(list: YamlCollection, change: ListChange): YamlEntry[] {
  return list.entries.filter(({ value }) =>
    change.kind === 'member'
      ? textOf(value) === change.member
      : value.kind !== 'scalar' && matches(value, change.match),
  )
}

/** The text of an item; one that stands elsewhere is read there. */
function textOf(value: YamlNode): Json | undefined {
  const node = value.kind === 'alias' ? value.target : value
  return node.kind === 'scalar' ? node.value : undefined
}

function matches(node: YamlNode, match: Match): boolean {
  const isSimple = node.kind === 'map' && !node.entries.some(({ key, value }) => key?.isMerge || value.kind === 'alias')
  if (!isSimple) return matchesValue(yamlToJson(node), match)
  return Object.entries(match).every(([name, wanted]) => {
    const value = findYamlEntry(node, name)?.value
    return value?.kind === 'scalar' && value.value === wanted
  })
}

const matchesValue = (value: Json, match: Match): boolean =>
  isJsonObject(value) && Object.entries(match).every(([name, wanted]) => value[name] === wanted)

/** The value itself, whether it is to be put back to the letter or not. */
export const plain = (value: Json | RawYaml): Json => (value instanceof RawYaml ? value.value : value)

/** True when a change takes items out of a list. */
export function isRemoval(change: ListChange): boolean {
  return change.kind === 'member' ? !change.present : change.value === undefined
}

/** The changes with every value to be put back by what it means, not to the letter. */
export function withoutRaw(changes: Changes): Changes {
  return new Map([...changes].map(([name, change]) => [name, changeWithoutRaw(change)]))
}

function changeWithoutRaw(change: Change): Change {
  if (change.kind === 'set') return { ...change, value: plain(change.value) }
  if (change.kind === 'within') return { ...change, changes: withoutRaw(change.changes) }
  if (change.kind === 'remove') return change
  return { ...change, items: change.items.map(itemWithoutRaw) }
}

function itemWithoutRaw(item: ListChange): ListChange {
  if (item.kind === 'member') return { kind: 'member', member: item.member, present: item.present }
  return item.value === undefined ? item : { ...item, value: plain(item.value) }
}

function descend(parent: Changes, name: string): Changes {
  const existing = parent.get(name)
  if (existing?.kind === 'within') return existing.changes
  if (existing !== undefined) throw twice([name])
  const changes: Changes = new Map()
  parent.set(name, { kind: 'within', changes })
  return changes
}

function addToList(parent: Changes, name: string, change: ListChange): void {
  const existing = parent.get(name)
  if (existing === undefined) parent.set(name, { kind: 'list', items: [change] })
  else if (existing.kind !== 'list' || existing.items.some((item) => placeOf(item) === placeOf(change)))
    throw twice([name])
  else existing.items.push(change)
}

const placeOf = (change: ListChange): string =>
  JSON.stringify(change.kind === 'member' ? change.member : Object.entries(change.match).sort())

type ItemEdit = Extract<YamlEdit, { readonly member: string } | { readonly element: Match }>

function listChangeOf(edit: ItemEdit): ListChange {
  if ('member' in edit) return { kind: 'member', ...edit }
  const { element, value, isFirst, place } = edit
  const isItself = value === undefined || matchesValue(plain(value), element)
  if (Object.keys(element).length === 0 || !isItself) throw new Error('An element does not match itself')
  return { kind: 'element', match: element, value, place: place ?? (isFirst === true ? 'first' : 'last') }
}

const twice = (path: readonly string[]): Error => new Error(`Two edits own ${path.join('.') || 'the document'}`)

/** What stood in another text: the key of a pair with its colon, and its value's text; or a whole item of a list. */
type RawParts = {
  readonly key: string | undefined
  readonly text: string
  /** The column of the key or the item, and that of the value. */
  readonly column: number
  readonly valueColumn: number
  /** True when the value begins on a line of its own. */
  readonly isBelow: boolean
  /** True when it stood in brackets. */
  readonly flow: boolean
}

/** A setting as it stood in another text, to be put back to the letter. */
export class RawYaml {
  constructor(
    readonly parts: RawParts,
    readonly value: Json,
  ) {}
}

/** A pair or an item of another text; `flow` says if it stands in brackets. */
export function toRawYaml({ text }: YamlDocument, entry: YamlEntry, flow: boolean): RawYaml {
  const { key, value, start, end } = entry
  const from = key === undefined ? start : value.outer
  const isBelow = key !== undefined && value.end > value.outer && lineAt(text, value.outer) > lineAt(text, key.node.end)
  const column = columnAt(text, start)
  const parts = { column, valueColumn: columnAt(text, from), isBelow, flow, text: text.slice(from, end) }
  return new RawYaml({ ...parts, key: key && text.slice(start, key.colon ?? key.node.end) }, yamlToJson(value))
}

/** True when a pair or an item says what is wanted; what is put back is wanted to the letter. */
export function isSame(document: YamlDocument, { entry, flow }: Standing, wanted: Json | RawYaml): boolean {
  if (!(wanted instanceof RawYaml)) return entry.value.kind !== 'alias' && sameJson(yamlToJson(entry.value), wanted)
  const { parts, value } = toRawYaml(document, entry, flow)
  return sameJson(value, wanted.value) && parts.text === wanted.parts.text
}

/** An entry, and whether it stands in brackets. */
type Standing = { readonly entry: YamlEntry; readonly flow: boolean }

/** Text of several lines, moved so many columns to the right, its first line left where it is. */
export function moved(text: string, columns: number, eol: string): string {
  const [first = '', ...others] = text.split(/\r?\n/)
  const shift = (line: string): string => {
    if (line === '') return line
    return columns >= 0 ? ' '.repeat(columns) + line : line.slice(Math.min(-columns, /^ */.exec(line)?.[0].length ?? 0))
  }
  return [first, ...others.map(shift)].join(eol)
}
