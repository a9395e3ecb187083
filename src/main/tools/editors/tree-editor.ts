import { AppError, type Failure, ok, type Result, toAppError } from '@shared/failure'
import {
  buildChanges,
  buildRestoreChanges,
  type Change,
  type Changes,
  dropRawText,
  findItems,
  type ItemChange,
  type ItemPosition,
  isRemoval,
  listNewItems,
  newValue,
  RawText,
  type RenderableValue,
  type RootChange,
  toPlainJson,
  toRawText,
} from './changes'
import {
  createEditMismatchError,
  createRefusal,
  type Editor,
  isSameJson,
  type Json,
  mergeDeletions,
  replaceRange,
  requireValue,
  splice,
  type TextEdit,
} from './editor'
import { type Brackets, findDeletionSpans } from './flow-edits'
import { buildUnparsableFailure, getLineNumber, lineStart, type Span } from './text'
import {
  type Collection,
  type Entry,
  findEntry,
  getNode,
  isEmpty,
  isFlow,
  isNull,
  isTable,
  mergedMaps,
  nodeToJson,
  type TreeDocument,
  type TreeNode,
  toSettings,
} from './tree'

/** Edits and restores the tree of a parsed text, and checks the result. */

/** A collection and the one that contains it. */
export type Position = { readonly container: Collection; readonly around: Collection | undefined }

/** An entry to insert. `name`: its key in a mapping. */
export type NewEntry = { readonly name?: string; readonly value: RenderableValue }

/** Parsing and printing of a format. */
export type TreeFormat<Document extends TreeDocument> = {
  /** Parses a text. Failures have the line number but not its text. */
  readonly parse: (source: string) => Result<Document, Failure>
  /** Whether null counts as an empty mapping or list. */
  readonly isNullEmpty?: boolean
  /** Creates the first settings of a document without a root. */
  readonly createRoot?: (document: Document, value: RenderableValue) => TextEdit[]
  readonly replace: (document: Document, position: Position, entry: Entry, value: RenderableValue) => TextEdit[]
  /** Inserts entries before the one at `index`. */
  readonly insert: (
    document: Document,
    position: Position,
    index: number | 'last',
    entries: readonly NewEntry[],
  ) => TextEdit[]
  /** Deletes entries of a collection without brackets, by default their own lines. `holder`: the entry that contains the collection. */
  readonly deleteEntries?: (
    document: Document,
    container: Collection,
    entries: ReadonlySet<Entry>,
    holder: Entry | undefined,
  ) => TextEdit[]
  /** Whether a restored document has the same settings and comments as the original, but was formatted otherwise. */
  readonly hasSameContent?: (restored: Document, original: Document) => boolean
}

/** Creates the editor of a format, except for its masking. */
export function createTreeEditor<Document extends TreeDocument>(format: TreeFormat<Document>): Omit<Editor, 'mask'> {
  const read = (text: string): Document => requireValue(format.parse(text))
  return {
    parse: (text) => {
      const document = format.parse(text)
      return document.ok ? ok(toSettings(document.value)) : document
    },
    edit: (text, edits) => {
      const change = buildChanges(edits)
      const document = read(text)
      refuseUnreachable(format, document, change)
      return toFileText(applyChanges(format, document, change))
    },
    remove: (text, owned, original) => {
      const documents = { current: read(text), original: read(original ?? '') }
      const ownedSettings = owned.filter(({ path }) => !isReplacedByTable(path, documents))
      const change = buildRestoreChanges({ ...documents, owned: ownedSettings })
      refuseUnreachable(format, documents.current, change)
      if (original !== undefined && isUnownedSame(documents.current, documents.original, change)) return original
      pruneEmptyCollections(documents, change, documents.current.root, documents.original.root)
      const result = restoreOriginal(format, documents.current, change)
      const isSame = original !== undefined && format.hasSameContent?.(result, documents.original)
      return isSame ? original : toFileText(result)
    },
    isBlank: (text) => {
      const { root, comments } = read(text)
      return comments.length === 0 && (root === undefined || isEmpty(root))
    },
  }
}

const toFileText = ({ bom, text }: TreeDocument): string => bom + text

type Documents = { readonly current: TreeDocument; readonly original: TreeDocument }

/** Whether the user has written a table in place of a setting. It stays, unless the setting was a plain value before. */
function isReplacedByTable(path: readonly string[], { current, original }: Documents): boolean {
  const originalNode = getNode(original.root, path)
  return isTable(getNode(current.root, path)) && (originalNode === undefined || isTable(originalNode))
}

/** Restores exact source texts, or the values if the source texts would change something else. */
function restoreOriginal<Document extends TreeDocument>(
  format: TreeFormat<Document>,
  document: Document,
  change: Change,
): Document {
  try {
    return applyChanges(format, document, change)
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'internal.unexpected') throw error
    return applyChanges(format, document, dropRawText(change))
  }
}

/** Applies removals first, so that the style of new entries is not copied from removed ones. Verifies the result. */
function applyChanges<Document extends TreeDocument>(
  format: TreeFormat<Document>,
  document: Document,
  change: Change,
): Document {
  const rewrite = (current: Document, edits: readonly TextEdit[]): Document => {
    const text = splice(current.text, edits)
    if (text === current.text) return current
    const result = format.parse(current.bom + text)
    if (result.ok) return result.value
    throw createEditMismatchError('after the edit it could not be read')
  }
  const documentAfterRemoval = rewrite(document, new TreeEdits(format, document).listDeletions(change))
  const result = rewrite(documentAfterRemoval, new TreeEdits(format, documentAfterRemoval).listInsertions(change))
  verifyEdit(document, result, change)
  return result
}

/** Text edits of a document. */
class TreeEdits<Document extends TreeDocument> {
  readonly #format: TreeFormat<Document>
  readonly #document: Document
  readonly #removedInBrackets = new Map<Brackets, Set<Span>>()

  constructor(format: TreeFormat<Document>, document: Document) {
    this.#format = format
    this.#document = document
  }

  /** Deletes all removed settings but keeps the comments around them. */
  listDeletions(change: Change): TextEdit[] {
    const { root, text } = this.#document
    const edits = root === undefined ? [] : this.#deleteWithin(root, change, undefined)
    const spans = [...this.#removedInBrackets].flatMap(([brackets, entries]) =>
      findDeletionSpans(text, brackets, entries),
    )
    return mergeDeletions([...edits, ...spans.map(({ start, end }) => replaceRange(start, end))])
  }

  /** Replaces changed values and inserts new ones. */
  listInsertions(change: Change): TextEdit[] {
    const { root } = this.#document
    if (root !== undefined) return this.#changeNode(root, change, undefined)
    const value = newValue(change)
    return value === undefined ? [] : (this.#format.createRoot?.(this.#document, value) ?? [])
  }

  #deleteWithin(node: TreeNode, change: Change, holder: Entry | undefined): TextEdit[] {
    if (change.kind === 'list' && node.kind === 'list') {
      const items = change.items.filter(isRemoval).flatMap((item) => findItems(node, item))
      return this.#deleteEntries(node, new Set(items), holder)
    }
    if (change.kind !== 'within' || node.kind !== 'map') return []
    const changedEntries = node.entries.flatMap((entry) => {
      const nestedChange = entry.key && !entry.key.isMerge ? change.changes.get(entry.key.name) : undefined
      return nestedChange === undefined ? [] : [{ entry, nestedChange }]
    })
    const removedEntries = changedEntries.filter(({ nestedChange }) => nestedChange.kind === 'remove')
    return [
      ...changedEntries.flatMap(({ entry, nestedChange }) => this.#deleteWithin(entry.value, nestedChange, entry)),
      ...this.#deleteEntries(node, new Set(removedEntries.map(({ entry }) => entry)), holder),
    ]
  }

  #deleteEntries(container: Collection, entries: ReadonlySet<Entry>, holder: Entry | undefined): TextEdit[] {
    if (entries.size === 0) return []
    if (container.flow) {
      const brackets = container.brackets ?? container
      const removedEntries = this.#removedInBrackets.get(brackets) ?? new Set()
      this.#removedInBrackets.set(brackets, new Set([...removedEntries, ...[...entries].flatMap(listPairs)]))
      return []
    }
    if (this.#format.deleteEntries !== undefined)
      return this.#format.deleteEntries(this.#document, container, entries, holder)
    const spans = [...entries].flatMap((entry) => getOwnRanges(entry, container))
    return spans.map(({ start, end }) => replaceRange(start, end))
  }

  #changeNode(node: TreeNode, change: Change, around: Collection | undefined): TextEdit[] {
    if (change.kind === 'within' && node.kind === 'map')
      return this.#changeMap({ container: node, around }, change.changes)
    if (change.kind === 'list' && node.kind === 'list')
      return this.#changeList({ container: node, around }, change.items)
    return []
  }

  #changeMap(position: Position, changes: Changes): TextEdit[] {
    const edits: TextEdit[] = []
    const newEntries: NewEntry[] = []
    for (const [name, change] of changes) {
      const entry = findEntry(position.container, name)
      const value = entry === undefined ? newValue(change) : undefined
      if (entry !== undefined) edits.push(...this.#changeEntry(position, entry, change))
      else if (value !== undefined) newEntries.push({ name, value })
    }
    if (newEntries.length === 0) return edits
    return [...edits, ...this.#format.insert(this.#document, position, 'last', newEntries)]
  }

  #changeEntry(position: Position, entry: Entry, change: Change): TextEdit[] {
    const { container } = position
    const { value } = entry
    if (change.kind === 'remove') return []
    if (change.kind === 'set') return this.#replaceIfChanged(position, entry, change.value)
    // Empty brackets become block style, unless they contain a comment.
    const isExpandable =
      !container.flow &&
      isFlow(value) &&
      isEmpty(value) &&
      !this.#document.text.slice(value.start, value.end).includes('#')
    if (!isNull(value) && !isExpandable) return this.#changeNode(value, change, container)
    const wantedValue = newValue(change, true)
    return wantedValue === undefined ? [] : this.#format.replace(this.#document, position, entry, wantedValue)
  }

  #changeList(position: Position, changes: readonly ItemChange[]): TextEdit[] {
    const { container } = position
    const { length } = container.entries
    const edits: TextEdit[] = []
    const newItems = new Map<number | 'last', NewEntry[]>()
    for (const change of changes) {
      const [item] = findItems(container, change)
      const value = change.kind === 'element' ? change.value : undefined
      if (item !== undefined && value !== undefined) edits.push(...this.#replaceIfChanged(position, item, value))
      for (const newItem of item === undefined ? listNewItems(change) : []) {
        const index = toInsertIndex(newItem.place, length)
        newItems.set(index, [...(newItems.get(index) ?? []), { value: newItem.value }])
      }
    }
    for (const [index, items] of newItems) edits.push(...this.#format.insert(this.#document, position, index, items))
    return edits
  }

  #replaceIfChanged(position: Position, entry: Entry, value: Json | RawText): TextEdit[] {
    if (isSameValue(this.#document, entry, position.container.flow, value)) return []
    return this.#format.replace(this.#document, position, entry, value)
  }
}

/** The pairs in brackets that define an entry. */
function listPairs(entry: Entry): Entry[] {
  const { value } = entry
  return isTable(value) ? value.entries.flatMap(listPairs) : [entry]
}

function toInsertIndex(place: ItemPosition, length: number): number | 'last' {
  if (length === 0 || place === 'last') return 'last'
  const index = place === 'first' ? 0 : place
  return index > length ? 'last' : index
}

/** Whether a node already has the new value. When restoring a source text, the text must also be equal. */
function isSameValue(document: TreeDocument, entry: Entry, flow: boolean, wantedValue: Json | RawText): boolean {
  if (!(wantedValue instanceof RawText))
    return entry.value.kind !== 'alias' && isSameJson(nodeToJson(entry.value), wantedValue)
  const { parts, value } = toRawText(document, entry, flow)
  return isSameJson(value, wantedValue.value) && parts.text === wantedValue.parts.text
}

/** Removes collections that became empty and have no comment. One that was empty in `original` becomes empty again. */
function pruneEmptyCollections(
  documents: Documents,
  change: Change,
  node: TreeNode | undefined,
  was: TreeNode | undefined,
): void {
  if (change.kind !== 'within' || node?.kind !== 'map') return
  for (const [name, nestedChange] of change.changes) {
    const entry = findEntry(node, name)
    if (entry === undefined) continue
    const originalEntry = findEntry(was, name)
    pruneEmptyCollections(documents, nestedChange, entry.value, originalEntry?.value)
    if (!becomesEmpty(entry.value, nestedChange) || hasUnownedComment(documents.current, entry, node, nestedChange))
      continue
    if (originalEntry === undefined) change.changes.set(name, { kind: 'remove' })
    else if (isEmpty(originalEntry.value) && !isTable(entry.value))
      change.changes.set(name, { kind: 'set', value: toRawText(documents.original, originalEntry, isFlow(was)) })
  }
}

/** Whether a collection contains a comment, except in the lines of removed settings. */
function hasUnownedComment({ comments }: TreeDocument, entry: Entry, container: Collection, change: Change): boolean {
  const ranges = getOwnRanges(entry, container)
  const removedLines = entry.own === undefined ? [] : listOwnRanges(entry.value, change)
  const isIn = ({ start }: Span, spans: readonly Span[]): boolean =>
    spans.some((span) => start > span.start && start < span.end)
  return comments.some((comment) => isIn(comment, ranges) && !isIn(comment, removedLines))
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

/** Ranges of a setting that is ours. In block style, a comment between key and value belongs to the user. */
const getOwnRanges = (entry: Entry, { flow }: Collection): readonly Span[] =>
  entry.own ?? [flow ? entry : { start: entry.value.outer, end: entry.value.end }]

/** Throws unless our settings have their new values and all other text is unchanged and in the same order. */
function verifyEdit(current: TreeDocument, edited: TreeDocument, change: Change): void {
  if (!isDone(edited.root, change)) throw createEditMismatchError('after the edit a setting did not take its value')
  if (current === edited) return
  if (extractUnownedText(current, change) !== extractUnownedText(edited, change))
    throw createEditMismatchError('after the edit another setting would change')
  if (listRemainingComments(current, change) !== listRemainingComments(edited, change))
    throw createEditMismatchError('after the edit a comment would change')
}

/** Whether everything except our settings is equal in two documents, including comments. */
const isUnownedSame = (a: TreeDocument, b: TreeDocument, change: Change): boolean =>
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
function extractUnownedText({ text, root }: TreeDocument, change: Change): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end)
  const nodeText = (node: TreeNode, inner: Change): string => {
    if (isNull(node)) return ''
    if (inner.kind === 'within' && node.kind === 'map') return mapText(node, inner.changes)
    if (inner.kind !== 'list' || node.kind !== 'list') return slice(node)
    const ownItems = new Set(inner.items.flatMap((item) => findItems(node, item)))
    return node.entries.flatMap((item) => (ownItems.has(item) ? [] : [slice(item)])).join(',')
  }
  // The order of tables depends on which of their headers comes first.
  const mapText = (map: Collection, changes: Changes): string => {
    const texts = map.entries.map((entry) => entryText(entry, changes))
    return (isTable(map) && map.kind === 'map' ? texts.sort() : texts).join('')
  }
  const entryText = (entry: Entry, changes: Changes): string => {
    const inner = entry.key === undefined || entry.key.isMerge ? undefined : changes.get(entry.key.name)
    if (inner === undefined && isTable(entry.value))
      return `${JSON.stringify(entry.key?.name)}:{${mapText(entry.value, new Map())}};`
    if (inner === undefined) return `${slice(entry)};`
    if (inner.kind === 'set' || inner.kind === 'remove') return ''
    const valueText = nodeText(entry.value, inner)
    return valueText === '' ? '' : `${JSON.stringify(entry.key?.name)}:{${valueText}};`
  }
  return root === undefined ? '' : nodeText(root, change)
}

/** The comments that are not inside our settings, in text order. */
function listRemainingComments({ text, root, comments }: TreeDocument, change: Change): string {
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
    const isNewValue = nestedChange.kind === 'set' && !(nestedChange.value instanceof RawText)
    if (entry.own !== undefined && isNewValue) return [entry.value]
    return nestedChange.kind === 'set' || nestedChange.kind === 'remove'
      ? getOwnRanges(entry, node)
      : listOwnRanges(entry.value, nestedChange)
  })
}

/**
 * Rejects edits that are ambiguous or not supported. `file.notEditable`: paths through aliases or merge keys, alias
 * targets, sets, and keys not at the start of their line. `file.unparsable`: a parent that is not a mapping, a value
 * that is not a list, and several matching names or elements.
 */
function refuseUnreachable<Document extends TreeDocument>(
  format: TreeFormat<Document>,
  document: Document,
  change: RootChange,
): void {
  const { root, text } = document
  if (root === undefined || (change.kind === 'within' && change.changes.size === 0)) return
  if ((change.kind === 'list') !== (root.kind === 'list')) {
    const problem = `It does not hold a JSON ${change.kind === 'list' ? 'list' : 'object'}`
    throw toAppError(buildUnparsableFailure(problem, getLineNumber(text, root.start)))
  }
  const createReasonRefusal =
    (path: readonly string[]): CreateRefusal =>
    (reason, offset) =>
      createRefusal(text, path, offset, reasons[reason].what, reasons[reason].code === 'file.notEditable')
  const refuseChanges = (map: Collection, changes: Changes, path: readonly string[]): void => {
    for (const [name, nestedChange] of changes) {
      const entryPath = [...path, name]
      const createEntryRefusal = createReasonRefusal(entryPath)
      const entry = requireEditableEntry(document, map, name, createEntryRefusal)
      const value =
        entry && refuseChange(document, entry, nestedChange, format.isNullEmpty ?? false, createEntryRefusal)
      if (value !== undefined && nestedChange.kind === 'within') refuseChanges(value, nestedChange.changes, entryPath)
    }
  }
  if (change.kind === 'list') refuseItems(document, root, change.items, createReasonRefusal([]))
  else if (root.kind === 'map') refuseChanges(root, change.changes, [])
}

/** Rejected edits. `file.notEditable`: the text is valid. `file.unparsable`: the tool cannot use it. */
const reasons = {
  inSet: { code: 'file.notEditable', what: 'would stand in a set (!!set), whose keys have no values' },
  underAnchor: { code: 'file.notEditable', what: 'stands under an anchor that is used elsewhere' },
  merged: { code: 'file.notEditable', what: 'comes from a merge key' },
  unusualKey: { code: 'file.notEditable', what: 'has its key behind a question mark, an anchor, a tag or another key' },
  usedElsewhere: { code: 'file.notEditable', what: 'is used elsewhere through an anchor' },
  alias: { code: 'file.notEditable', what: 'stands for another value' },
  noObject: { code: 'file.unparsable', what: 'is not an object' },
  noList: { code: 'file.unparsable', what: 'is not a list' },
  table: { code: 'file.unparsable', what: 'is a table' },
  twice: { code: 'file.unparsable', what: 'appears twice' },
  twoItems: { code: 'file.unparsable', what: 'has more than one of the same kind' },
} as const

type CreateRefusal = (reason: keyof typeof reasons, offset: number) => AppError

/** The entry of a name, if any. Throws if this app cannot edit or add it. */
function requireEditableEntry(
  { text, targets }: TreeDocument,
  map: Collection,
  name: string,
  refuse: CreateRefusal,
): Entry | undefined {
  const [entry, second] = map.entries.filter(({ key }) => key?.name === name && !key.isMerge)
  if (second !== undefined) throw refuse('twice', second.start)
  if (map.isSet) throw refuse('inSet', map.outer)
  if (targets?.has(map)) throw refuse('underAnchor', map.outer)
  const merge = map.entries.find(
    ({ key, value }) => key?.isMerge && mergedMaps(value).some((item) => hasKey(item, name)),
  )
  if (merge !== undefined && entry === undefined) throw refuse('merged', merge.start)
  if (entry === undefined || map.flow) return entry
  const isFirstInLine = /^[ \t]*$/.test(text.slice(lineStart(text, entry.start), entry.start))
  if (entry.key?.isExplicit || !isFirstInLine) throw refuse('unusualKey', entry.start)
  return entry
}

/** Checks one change. Returns the mapping below it that must be checked next, if any. */
function refuseChange(
  document: TreeDocument,
  entry: Entry,
  change: Change,
  isNullEmpty: boolean,
  refuse: CreateRefusal,
): Collection | undefined {
  const { targets } = document
  const { value } = entry
  if (change.kind === 'set' || change.kind === 'remove') {
    if (isUsedElsewhere(entry, targets)) throw refuse('usedElsewhere', entry.start)
    if (change.kind === 'set' && isTable(value)) throw refuse('table', entry.start)
    return undefined
  }
  if (value.kind === 'alias') throw refuse('alias', value.start)
  if (targets?.has(value)) throw refuse('usedElsewhere', entry.start)
  if (isNull(value) && isNullEmpty) return undefined
  if (change.kind === 'list') refuseItems(document, value, change.items, refuse)
  else if (value.kind !== 'map') throw refuse('noObject', value.start)
  else return value
  return undefined
}

function refuseItems(
  { targets }: TreeDocument,
  list: TreeNode,
  changes: readonly ItemChange[],
  refuse: CreateRefusal,
): void {
  if (list.kind !== 'list') throw refuse('noList', list.start)
  for (const change of changes) {
    if (change.kind === 'member') continue
    const [first, second] = findItems(list, change)
    if (second !== undefined) throw refuse('twoItems', second.start)
    if (first?.value.kind === 'alias') throw refuse('alias', first.start)
    if (first !== undefined && isUsedElsewhere(first, targets)) throw refuse('usedElsewhere', first.start)
  }
}

const hasKey = (map: Collection, name: string): boolean =>
  map.entries.some(({ key, value }) =>
    key?.isMerge ? mergedMaps(value).some((item) => hasKey(item, name)) : key?.name === name,
  )

function isUsedElsewhere(entry: Entry, targets: TreeDocument['targets']): boolean {
  if (targets === undefined || targets.size === 0) return false
  const isUsed = (node: TreeNode): boolean =>
    targets.has(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.some(isUsedWithin))
  const isUsedWithin = ({ key, value }: Entry): boolean => isUsed(value) || (key !== undefined && isUsed(key.node))
  return isUsedWithin(entry)
}
