import {
  canonicalText,
  createEditMismatchError,
  isSameJson,
  type Json,
  type Match,
  matches,
  mergeDeletions,
  type OwnedPath,
  replaceRange,
  splice,
  type TextEdit,
} from './editor'
import { findDeletionSpans } from './flow-edits'
import { getLineNumber, lineEnd, lineStart, nextLine, type Span } from './text'
import {
  type Collection,
  type Entry,
  findEntry,
  getColumn,
  getNode,
  isMatch,
  isNull,
  isText,
  nodeToJson,
  type TreeDocument,
  type TreeNode,
} from './tree'

/** Changes of a parsed JSON or YAML text: how edits and restores become changes, and the check of the result. */

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
    },
    readonly value: Json,
  ) {}
}

/** A value to write. A map is an object, and its values and those of lists may include exact source texts. */
export type RenderableValue = Json | RawText | Map<string, RenderableValue> | readonly RenderableValue[]

export const isList = (value: RenderableValue): value is readonly RenderableValue[] => Array.isArray(value)

/** Insert position of a list item. A number is its index after all removals. */
type ItemPosition = 'first' | 'last' | number

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

export const createDuplicateError = (name: string): Error => new Error(`Two edits change ${name || 'the document'}.`)

export const toPlainJson = (value: Json | RawText): Json => (value instanceof RawText ? value.value : value)

const isRemoval = (change: ItemChange): boolean =>
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
  const parts = {
    key: key && text.slice(start, key.colon ?? key.node.end),
    text: text.slice(valueStart, end),
    column: getColumn(text, start),
    valueColumn: getColumn(text, valueStart),
    isBelow,
    flow,
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

/** Removes collections that became empty and have no comment. One that was empty in `original` becomes empty again. */
export function pruneEmptyCollections(current: TreeDocument, change: RootChange, original: TreeDocument): void {
  const hasComment = ({ start, end }: Span): boolean =>
    current.comments.some((comment) => comment.start > start && comment.start < end)
  const prune = (inner: Change, node: TreeNode | undefined, was: TreeNode | undefined): void => {
    if (inner.kind !== 'within' || node?.kind !== 'map') return
    for (const [name, nestedChange] of inner.changes) {
      const entry = findEntry(node, name)
      const originalEntry = findEntry(was, name)
      prune(nestedChange, entry?.value, originalEntry?.value)
      if (entry === undefined || !becomesEmpty(entry.value, nestedChange) || hasComment(getOwnRange(entry, node)))
        continue
      if (originalEntry === undefined) inner.changes.set(name, { kind: 'remove' })
      else if (isEmpty(originalEntry.value))
        inner.changes.set(name, { kind: 'set', value: toRawText(original, originalEntry, isFlow(was)) })
    }
  }
  prune(change, current.root, original.root)
}

function becomesEmpty(node: TreeNode, change: Change): boolean {
  if ((node.kind !== 'map' && node.kind !== 'list') || node.entries.length === 0) return false
  if (change.kind === 'within')
    return (
      node.kind === 'map' && node.entries.every(({ key }) => change.changes.get(key?.name ?? '')?.kind === 'remove')
    )
  if (change.kind !== 'list' || !change.items.every(isRemoval)) return false
  const removedItems = new Set(change.items.flatMap((item) => findItems(node, item)))
  return node.entries.every((item) => removedItems.has(item))
}

const isFlow = (node: TreeNode | undefined): boolean => (node?.kind === 'map' || node?.kind === 'list') && node.flow

export const isEmpty = (node: TreeNode): boolean =>
  isNull(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.length === 0)

/** Range of a setting that is ours. In block style, a comment between key and value belongs to the user. */
const getOwnRange = (entry: Entry, { flow }: Collection): Span =>
  flow ? entry : { start: entry.value.outer, end: entry.value.end }

/** Throws unless our settings have their new values and all other text is unchanged and in the same order. */
function verifyEdit(current: TreeDocument, edited: TreeDocument, change: RootChange): void {
  if (!isDone(edited.root, change)) throw createEditMismatchError('after the edit a setting did not take its value')
  if (current === edited) return
  if (extractUnownedText(current, change) !== extractUnownedText(edited, change))
    throw createEditMismatchError('after the edit another setting would change')
  if (listRemainingComments(current, change) !== listRemainingComments(edited, change))
    throw createEditMismatchError('after the edit a comment would change')
}

/** Whether everything except our settings is equal in two documents, including comments. */
export const isUnownedSame = (a: TreeDocument, b: TreeDocument, change: RootChange): boolean =>
  extractUnownedText(a, change) === extractUnownedText(b, change) &&
  listRemainingComments(a, change) === listRemainingComments(b, change)

function isDone(node: TreeNode | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return node === undefined
    case 'set':
      return node !== undefined && isSameJson(nodeToJson(node), toPlainJson(change.value))
    case 'list':
      return change.items.every((item) => isItemDone(node, item))
    case 'within':
      return [...change.changes].every(([name, inner]) => isDone(findEntry(node, name)?.value, inner))
  }
}

function isItemDone(list: TreeNode | undefined, change: ItemChange): boolean {
  const items = findItems(list, change)
  if (change.kind === 'member') return list?.kind !== 'list' || items.length > 0 === change.present
  const [item, ...otherItems] = items
  const { value } = change
  if (value === undefined || item === undefined) return value === undefined && item === undefined
  return otherItems.length === 0 && isSameJson(nodeToJson(item.value), toPlainJson(value))
}

/** Exact text of everything that is not ours. Ignores collections that contain only our settings. */
function extractUnownedText({ text, root }: TreeDocument, change: RootChange): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end)
  const nodeText = (node: TreeNode, inner: Change): string => {
    if (isNull(node)) return ''
    if (inner.kind === 'within' && node.kind === 'map')
      return node.entries.map((entry) => entryText(entry, inner.changes)).join('')
    if (inner.kind !== 'list' || node.kind !== 'list') return slice(node)
    const ownItems = new Set(inner.items.flatMap((item) => findItems(node, item)))
    return node.entries.flatMap((item) => (ownItems.has(item) ? [] : [slice(item)])).join(',')
  }
  const entryText = (entry: Entry, changes: Changes): string => {
    const inner = entry.key === undefined || entry.key.isMerge ? undefined : changes.get(entry.key.name)
    if (inner === undefined) return `${slice(entry)};`
    if (inner.kind === 'set' || inner.kind === 'remove') return ''
    const valueText = nodeText(entry.value, inner)
    return valueText === '' ? '' : `${JSON.stringify(entry.key?.name)}:{${valueText}};`
  }
  return root === undefined ? '' : nodeText(root, change)
}

/** The comments that are not inside our settings, in text order. */
function listRemainingComments({ text, root, comments }: TreeDocument, change: RootChange): string {
  const ownRanges = root === undefined || comments.length === 0 ? [] : listOwnRanges(root, change)
  return comments
    .filter(({ start }) => !ownRanges.some((range) => range.start <= start && start < range.end))
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')
}

function listOwnRanges(node: TreeNode, change: Change): Span[] {
  if (change.kind === 'list') return change.items.flatMap((item) => findItems(node, item))
  if (change.kind !== 'within' || node.kind !== 'map') return []
  return node.entries.flatMap((entry) => {
    const nestedChange = entry.key && change.changes.get(entry.key.name)
    if (nestedChange === undefined) return []
    return nestedChange.kind === 'set' || nestedChange.kind === 'remove'
      ? [getOwnRange(entry, node)]
      : listOwnRanges(entry.value, nestedChange)
  })
}

/** Parsing and insertions of a format. */
type Format<Document, C> = {
  readonly parse: (text: string) => Document
  readonly insertions: (document: Document, change: C) => TextEdit[]
}

/** Applies removals first, so that the style of new entries is not copied from removed ones. Verifies the result. */
export function applyChanges<Document extends TreeDocument, C extends RootChange>(
  document: Document,
  change: C,
  { parse, insertions }: Format<Document, C>,
): Document {
  const rewrite = (current: Document, edits: readonly TextEdit[]): Document => {
    const text = splice(current.text, edits)
    return text === current.text ? current : parse(current.bom + text)
  }
  const documentAfterRemoval = rewrite(document, listDeletions(document, change))
  const result = rewrite(documentAfterRemoval, insertions(documentAfterRemoval, change))
  verifyEdit(document, result, change)
  return result
}

/** Text edits that delete all removed settings but keep the comments around them. */
function listDeletions(document: TreeDocument, rootChange: RootChange): TextEdit[] {
  const listNodeDeletions = (node: TreeNode, change: Change, holder?: Entry): TextEdit[] => {
    if (change.kind === 'list' && node.kind === 'list') {
      const items = change.items.filter(isRemoval).flatMap((item) => findItems(node, item))
      return deleteEntries(document, node, new Set(items), holder)
    }
    if (change.kind !== 'within' || node.kind !== 'map') return []
    const edits: TextEdit[] = []
    const removedEntries = new Set<Entry>()
    for (const entry of node.entries) {
      const { key, value } = entry
      const nestedChange = key === undefined || key.isMerge ? undefined : change.changes.get(key.name)
      if (nestedChange?.kind === 'remove') removedEntries.add(entry)
      else if (nestedChange !== undefined) edits.push(...listNodeDeletions(value, nestedChange, entry))
    }
    return [...edits, ...deleteEntries(document, node, removedEntries, holder)]
  }
  const { root } = document
  return root === undefined ? [] : mergeDeletions(listNodeDeletions(root, rootChange))
}

function deleteEntries(
  document: TreeDocument,
  container: Collection,
  doomed: ReadonlySet<Entry>,
  holder: Entry | undefined,
): TextEdit[] {
  if (doomed.size === 0) return []
  if (container.flow)
    return findDeletionSpans(document.text, container, doomed).map(({ start, end }) => createRemovalEdit(start, end))
  const lines = container.entries.flatMap((entry, index) => {
    if (!doomed.has(entry)) return []
    const precedingEntry = container.entries.slice(0, index).findLast((item) => !doomed.has(item))
    return lineDeletions(document, entry, precedingEntry)
  })
  const becomesEmpty = container.entries.every((entry) => doomed.has(entry))
  if (!becomesEmpty || holder?.key?.colon === undefined) return lines
  const insertOffset = propertiesEnd(document, container, holder.key.colon)
  return [replaceRange(insertOffset, insertOffset, container.kind === 'map' ? ' {}' : ' []'), ...lines]
}

/** Offset after the anchor and tag of a value on the line of its key. Otherwise the offset after the key's colon. */
function propertiesEnd({ text }: TreeDocument, { outer, start }: Collection, colon: number): number {
  const properties = outer < start ? /^[&!]\S*(?:[ \t]+[&!]\S*)?/.exec(text.slice(outer, start)) : null
  return properties === null ? colon : outer + properties[0].length
}

/** Deletes the lines of an entry. Ensures that comments below do not become part of a multiline text above. */
function lineDeletions(document: TreeDocument, entry: Entry, entryAbove: Entry | undefined): TextEdit[] {
  const { text } = document
  const column = getColumn(text, entry.start)
  const edits = buildDeletionEdits(document, entry, entryAbove !== undefined && keepsBlankLines(text, entryAbove.value))
  const innerComments = document.comments
    .filter(({ start }) => start > entry.start && start < entry.value.outer)
    .slice(1)
  for (const { start } of innerComments) edits.push(...listIndentEdits(text, lineStart(text, start), column))
  for (let lineOffset = nextLine(text, entry.end); lineOffset < text.length; lineOffset = nextLine(text, lineOffset)) {
    if (!/^[ \t]*(?:#|\r?$)/.test(text.slice(lineOffset, lineEnd(text, lineOffset)))) break
    edits.push(...listIndentEdits(text, lineOffset, column))
  }
  return edits
}

function listIndentEdits(text: string, line: number, column: number): TextEdit[] {
  const commentIndent = /^[ \t]*(?=#)/.exec(text.slice(line, lineEnd(text, line)))?.[0].length ?? 0
  return commentIndent > column ? [replaceRange(line, line + commentIndent, ' '.repeat(column))] : []
}

/** Deletes the lines of an entry except its comments. `isGreedy`: also deletes the blank lines after the entry. */
function buildDeletionEdits({ text, comments }: TreeDocument, entry: Entry, isGreedy: boolean): TextEdit[] {
  const { start, end, key, value } = entry
  const innerComments = comments.filter((item) => item.start >= (key?.colon ?? start) && item.start < value.outer)
  const lineEndOffset = lineEnd(text, end)
  const blankCount = /^[ \t]*/.exec(text.slice(end, lineEndOffset))?.[0].length ?? 0
  const hasTrailingComment = end + blankCount < lineEndOffset
  const [firstComment, lastComment] = [innerComments[0], innerComments.at(-1)]
  if (firstComment !== undefined && lastComment !== undefined)
    return [createRemovalEdit(start, firstComment.start), createDeletionEdit(text, { start: lastComment.end, end })]
  if (hasTrailingComment) return [createRemovalEdit(start, end + blankCount)]
  let followingLine = nextLine(text, end)
  while (
    isGreedy &&
    followingLine < text.length &&
    /^[ \t]*$/.test(text.slice(followingLine, lineEnd(text, followingLine)))
  )
    followingLine = nextLine(text, followingLine)
  const line = lineStart(text, start)
  const lineBefore = line === 0 ? line : lineEnd(text, line - 1)
  const followsBlankLine = /(?:^|\n)[ \t]*$/.test(text.slice(lineStart(text, lineBefore), lineBefore))
  return [
    followingLine > lineEndOffset || followsBlankLine
      ? createRemovalEdit(line, followingLine)
      : createRemovalEdit(lineBefore, followingLine),
  ]
}

/** Deletes a value and the blanks before it. A comment after the value moves to its own line. */
export function createDeletionEdit(text: string, { start, end }: Span): TextEdit {
  const lineEndOffset = lineEnd(text, end)
  const deletionEnd = end + (/^[ \t]*/.exec(text.slice(end, lineEndOffset))?.[0].length ?? 0)
  return replaceRange(
    start,
    deletionEnd,
    deletionEnd < lineEndOffset ? text.slice(lineEnd(text, start), nextLine(text, start)) : '',
  )
}

/** Whether a value ends with a block text (`|+` or `>+`) that includes the blank lines after it. */
function keepsBlankLines(text: string, node: TreeNode): boolean {
  if (node.kind === 'scalar') return node.isBlock && /^.\d?\+/.test(text.slice(node.start, node.start + 3))
  const lastEntry = node.kind === 'alias' ? undefined : node.entries.at(-1)
  return lastEntry !== undefined && keepsBlankLines(text, lastEntry.value)
}

const createRemovalEdit = (start: number, end: number): TextEdit => replaceRange(start, end, '')
