import { AppError, type Failure, ok, type Result } from '@shared/failure'
import { MASKED, maskSecretForms } from '../../core/secret-forms'
import { maskValue } from '../secret-masking'
import {
  canonicalText,
  createEditMismatchError,
  type Editor,
  isSameJson,
  type Json,
  memoizeBySubject,
  type OpenEdit,
  type OwnedPath,
  replaceRange,
  requireValue,
  splice,
  type TextEdit,
} from './editor'
import { getLineNumber, lineStart, type Span } from './json-document'
import {
  buildYamlChanges,
  type Change,
  type Changes,
  dropRawText,
  type ElementPosition,
  findYamlItems,
  isRemoval,
  type ListChange,
  type PositionedItem,
  toPlainJson,
  toRawYaml,
  type YamlEdit,
} from './yaml-changes'
import { deletions } from './yaml-delete'
import { parseYamlDocument, type YamlDocument } from './yaml-document'
import { insertions } from './yaml-insert'
import {
  findEntry,
  findYamlEntry,
  isNull,
  mergedMaps,
  type YamlCollection,
  type YamlEntry,
  type YamlNode,
  type YamlScalar,
  yamlToJson,
} from './yaml-node'

/**
 * Masks values of secret names and secret-like values as `[secret]`, line by line. Hides all lines of an invalid text.
 */
function maskYaml(source: string): string {
  const document = parseYamlDocument(source)
  if (!document.ok) return source.replace(/[^\r\n]+/g, MASKED)
  const { bom, text, root, comments } = document.value
  const edits = new Map<number, TextEdit>()
  const addEdit = (edit: TextEdit): void => {
    const { offset, length, content } = edit
    const maskedText = edits.get(offset)?.content ?? text.slice(offset, offset + length)
    const isStricter = !edits.has(offset) || content.length < maskedText.length
    if (content !== maskedText && isStricter) edits.set(offset, edit)
  }
  for (const { start, end } of comments) addEdit(replaceRange(start, end, maskSecretForms(text.slice(start, end))))
  if (root !== undefined) maskNode({ text, keep: addEdit, seen: new Set() }, root, [])
  return bom + splice(text, [...edits.values()])
}

type MaskingContext = Pick<YamlDocument, 'text'> & {
  readonly keep: (edit: TextEdit) => void
  /** Alias targets whose secrets are already masked. */
  readonly seen: Set<YamlNode>
}

function maskNode(masking: MaskingContext, node: YamlNode, names: readonly string[]): void {
  if (node.kind === 'scalar') masking.keep(replaceRange(node.start, node.end, maskedScalar(masking.text, node, names)))
  else if (node.kind === 'list') maskItems(masking, node.entries, names)
  else if (node.kind === 'map') for (const entry of node.entries) maskPair(masking, entry, names)
  else if (node.kind === 'alias' && !masking.seen.has(node)) {
    masking.seen.add(node)
    maskNode(masking, node.target, names)
  }
}

function maskPair(masking: MaskingContext, { key, value }: YamlEntry, names: readonly string[]): void {
  if (key === undefined) return
  if (key.node.kind !== 'alias') maskNode(masking, key.node, [])
  maskNode(masking, value, key.isMerge ? names : [...names, key.name])
}

/** In a list of arguments, an element such as `--api-key` is the name of the element after it. */
function maskItems(masking: MaskingContext, items: readonly YamlEntry[], names: readonly string[]): void {
  let flag: string | undefined
  for (const { value } of items) {
    maskNode(masking, value, flag === undefined ? names : [...names, flag])
    const text = value.kind === 'scalar' ? value.value : undefined
    flag = typeof text === 'string' && text.startsWith('-') ? text : undefined
  }
}

function maskedScalar(text: string, { start, end, value, isBlock }: YamlScalar, names: readonly string[]): string {
  const rawText = text.slice(start, end)
  const [firstLine = '', ...continuationLines] = rawText.split(/(?=\r?\n)/)
  const lines = continuationLines.map((line) => line.replace(/\S.*/, MASKED)).join('')
  const quoteCharacter = /^["']/.exec(firstLine)?.[0] ?? ''
  const maskedValue = isBlock ? firstLine + lines : `${quoteCharacter}${MASKED}${quoteCharacter}${lines}`
  const parsedValue = typeof value === 'string' ? value.trim() : typeof value === 'number' ? rawText : value
  return maskValue({ raw: rawText, value: parsedValue, names, whole: maskedValue })
}

/**
 * Editor for YAML with a mapping at the root. Uses the core schema and resolves aliases and merge keys. Rewrites only
 * owned settings, with the surrounding indentation and style.
 */
export const yamlEditor: Editor = { parse, edit, remove, isBlank, mask: maskYaml }

function parse(text: string): Result<Json & object, Failure> {
  const document = parseYamlDocument(text)
  if (!document.ok) return document
  const value = jsonRoot(document.value)
  return ok(typeof value === 'object' && value !== null ? value : {})
}

function edit(text: string, edits: readonly OpenEdit[]): string {
  const changes = buildYamlChanges(edits)
  const currentDocument = requireYamlDocument(text)
  refuseUnreachable(currentDocument, changes)
  return toFileText(applyChanges(currentDocument, changes))
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const currentDocument = requireYamlDocument(text)
  const originalDocument = requireYamlDocument(original ?? '')
  const changes = buildYamlChanges(owned.map((item) => createRestoreEdits(item, currentDocument, originalDocument)))
  refuseUnreachable(currentDocument, changes)
  if (original !== undefined && isUnownedUnchanged([currentDocument, originalDocument], changes)) return original
  pruneEmptyContainers(currentDocument, changes, originalDocument)
  return toFileText(restoreOriginal(currentDocument, changes))
}

function isBlank(text: string): boolean {
  const { root, comments } = requireYamlDocument(text)
  return comments.length === 0 && (root?.entries.length ?? 0) === 0
}

/**
 * Restores exact source texts. If the document would then have other values, writes the values instead. For example,
 * blank lines next to a `|` text can change its value.
 */
function restoreOriginal(currentDocument: YamlDocument, changes: Changes): YamlDocument {
  try {
    return applyChanges(currentDocument, changes)
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'internal.unexpected') throw error
    return applyChanges(currentDocument, dropRawText(changes))
  }
}

function applyChanges(currentDocument: YamlDocument, changes: Changes): YamlDocument {
  const deletionEdits = deletions(currentDocument, changes)
  const documentAfterRemoval =
    deletionEdits.length === 0
      ? currentDocument
      : reparse(currentDocument.bom + splice(currentDocument.text, deletionEdits))
  const insertionEdits = insertions(documentAfterRemoval, changes)
  const result =
    insertionEdits.length === 0
      ? documentAfterRemoval
      : reparse(documentAfterRemoval.bom + splice(documentAfterRemoval.text, insertionEdits))
  verifyEdit(currentDocument, result, changes)
  return result
}

/** Parses the text that this editor has written. If that fails, this app has a bug. */
function reparse(text: string): YamlDocument {
  const document = parseYamlDocument(text)
  if (document.ok) return document.value
  throw createEditMismatchError('after the edit it would not be valid YAML')
}

const jsonRoot = memoizeBySubject(({ root }: YamlDocument): Json => (root === undefined ? {} : yamlToJson(root)))

const toFileText = ({ bom, text }: YamlDocument): string => bom + text

/**
 * Removes collections that became empty, unless they contain a comment. One that was empty in `originalDocument`
 * becomes empty again instead.
 */
function pruneEmptyContainers(document: YamlDocument, changes: Changes, originalDocument: YamlDocument): void {
  const pruneMap = (inner: Changes, path: readonly string[]): void => {
    for (const [name, change] of inner) {
      const entryPath = [...path, name]
      if (change.kind === 'within') pruneMap(change.changes, entryPath)
      const entry = findEntry(document.root, entryPath)
      if (entry === undefined || !becomesEmpty(document, entry, inner)) continue
      const originalEntry = findEntry(originalDocument.root, entryPath)
      if (originalEntry === undefined) inner.set(name, { kind: 'remove' })
      else if (isEmpty(originalEntry.value))
        inner.set(name, {
          kind: 'set',
          value: toRawYaml(originalDocument, originalEntry, isInBrackets(originalDocument.root, path)),
        })
    }
  }
  pruneMap(changes, [])
}

function becomesEmpty({ comments }: YamlDocument, { key, value }: YamlEntry, changes: Changes): boolean {
  const change = changes.get(key?.name ?? '')
  if (value.kind !== 'map' && value.kind !== 'list') return false
  if (value.entries.length === 0 || comments.some(({ start }) => start > value.outer && start < value.end)) return false
  if (change?.kind === 'within')
    return value.entries.every((entry) => change.changes.get(entry.key?.name ?? '')?.kind === 'remove')
  if (change?.kind !== 'list' || value.kind !== 'list') return false
  const deletedNodes = new Set(change.items.filter(isRemoval).flatMap((item) => findYamlItems(value, item)))
  return value.entries.every((item) => deletedNodes.has(item))
}

const isEmpty = (node: YamlNode): boolean =>
  isNull(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.length === 0)

function createRestoreEdits(
  { path, member, element }: OwnedPath,
  current: YamlDocument,
  originalDocument: YamlDocument,
): YamlEdit {
  const list = findList(originalDocument, path)
  const listRestoredItems = (change: ListChange): PositionedItem[] => {
    const items = list === undefined ? [] : findYamlItems(list, change)
    return items.map((item) => ({
      value: toRawYaml(originalDocument, item, list?.flow ?? false),
      place: findElementPosition(findList(current, path), list?.entries.slice(0, list.entries.indexOf(item)) ?? []),
    }))
  }
  if (member !== undefined) {
    const rawItems = listRestoredItems({ kind: 'member', member, present: true })
    return { path, member, present: rawItems.length > 0, raws: rawItems }
  }
  if (element !== undefined) {
    const [raw] = listRestoredItems({ kind: 'element', match: element, value: undefined, place: 'last' })
    return { path, element, value: undefined, ...raw }
  }
  const entry = findEntry(originalDocument.root, path)
  return {
    path,
    value: entry && toRawYaml(originalDocument, entry, isInBrackets(originalDocument.root, path.slice(0, -1))),
  }
}

function findList({ root }: YamlDocument, path: readonly string[]): YamlCollection | undefined {
  const value = findEntry(root, path)?.value
  return value?.kind === 'list' ? value : undefined
}

/** Position at which a list element is restored: after the nearest element that precedes it in the original and still exists. */
function findElementPosition(list: YamlCollection | undefined, previousEntries: readonly YamlEntry[]): ElementPosition {
  const remainingTexts = new Set(list?.entries.map(({ value }) => canonicalText(yamlToJson(value))))
  const neighbourText = previousEntries
    .map(({ value }) => canonicalText(yamlToJson(value)))
    .findLast((text) => remainingTexts.has(text))
  return neighbourText === undefined ? 'first' : { behind: neighbourText }
}

/**
 * Checks the result of an edit. Throws unless our settings have their new values and all other text is unchanged and
 * in the same order.
 */
function verifyEdit(currentDocument: YamlDocument, editedDocument: YamlDocument, changes: Changes): void {
  if (!isDone(editedDocument.root, changes))
    throw createEditMismatchError('after the edit a setting did not take its value')
  if (extractUnownedText(currentDocument, changes) !== extractUnownedText(editedDocument, changes))
    throw createEditMismatchError('after the edit another setting would change')
  if (listRemainingComments(currentDocument, changes) !== listRemainingComments(editedDocument, changes))
    throw createEditMismatchError('after the edit a comment would change')
}

/** Whether everything except our settings is equal in two documents, including comments. */
function isUnownedUnchanged([a, b]: readonly [YamlDocument, YamlDocument], changes: Changes): boolean {
  return (
    extractUnownedText(a, changes) === extractUnownedText(b, changes) &&
    listRemainingComments(a, changes) === listRemainingComments(b, changes)
  )
}

/** Exact text of everything that is not ours. Ignores collections that contain only our settings. */
function extractUnownedText({ text, root }: YamlDocument, changes: Changes): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end)
  const mapText = (node: YamlNode, inner: Changes): string => {
    if (node.kind !== 'map') return isNull(node) ? '' : slice(node)
    return node.entries.map((entry) => entryText(entry, inner)).join('')
  }
  const entryText = (entry: YamlEntry, inner: Changes): string => {
    const change = entry.key === undefined || entry.key.isMerge ? undefined : inner.get(entry.key.name)
    if (change === undefined) return `${slice(entry)};`
    const key = JSON.stringify(entry.key?.name ?? '')
    if (change.kind === 'within') return wrapKey(key, mapText(entry.value, change.changes))
    return change.kind === 'list' ? wrapKey(key, listText(entry.value, change.items)) : ''
  }
  const listText = (node: YamlNode, items: readonly ListChange[]): string => {
    if (node.kind !== 'list') return isNull(node) ? '' : slice(node)
    const ownedNodes = new Set(items.flatMap((item) => findYamlItems(node, item)))
    return node.entries.flatMap((item) => (ownedNodes.has(item) ? [] : [slice(item)])).join(',')
  }
  const wrapKey = (key: string, inner: string): string => (inner === '' ? '' : `${key}:{${inner}};`)
  return root === undefined ? '' : mapText(root, changes)
}

function isDone(node: YamlNode | undefined, changes: Changes): boolean {
  return [...changes].every(([name, change]) => isChangeDone(findYamlEntry(node, name)?.value, change))
}

function isChangeDone(value: YamlNode | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return value === undefined
    case 'set':
      return value !== undefined && isSameJson(yamlToJson(value), toPlainJson(change.value))
    case 'list':
      return change.items.every((item) => isItemDone(value, item))
    case 'within':
      return isDone(value, change.changes)
  }
}

function isItemDone(list: YamlNode | undefined, change: ListChange): boolean {
  if (list?.kind !== 'list') return change.kind === 'member' || change.value === undefined
  if (change.kind === 'member') return findYamlItems(list, change).length > 0 === change.present
  const wantedValue = change.value === undefined ? undefined : toPlainJson(change.value)
  if (wantedValue === undefined) return findYamlItems(list, change).length === 0
  return list.entries.some(({ value }) => isSameJson(yamlToJson(value), wantedValue))
}

/** The comments that are not inside our settings, in text order. */
function listRemainingComments({ text, root, comments }: YamlDocument, changes: Changes): string {
  const ownedRanges = root === undefined ? [] : ownedSpans(root, changes)
  return comments
    .filter((comment) => !ownedRanges.some((span) => span.start <= comment.start && comment.end <= span.end))
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')
}

function ownedSpans(node: YamlNode, changes: Changes): Span[] {
  if (node.kind !== 'map') return []
  return node.entries.flatMap(({ key, value }) => {
    const change = key === undefined ? undefined : changes.get(key.name)
    if (change === undefined) return []
    if (change.kind === 'within') return ownedSpans(value, change.changes)
    if (change.kind !== 'list') return [{ start: value.outer, end: value.end }]
    return value.kind === 'list' ? change.items.flatMap((item) => findYamlItems(value, item)) : []
  })
}

/**
 * Rejects edits that are ambiguous or not supported. `file.notEditable`: paths through aliases or merge keys, alias
 * targets, sets, and keys not at the start of their line. `file.unparsable`: a parent that is not a mapping, a value
 * that is not a list, and several matching elements.
 */
function refuseUnreachable(document: YamlDocument, changes: Changes): void {
  if (document.root !== undefined) rejectUnsupportedEdits(document, document.root, changes, [])
}

function rejectUnsupportedEdits(
  document: YamlDocument,
  map: YamlCollection,
  changes: Changes,
  path: readonly string[],
): void {
  for (const [name, change] of changes) {
    const entry = findYamlEntry(map, name)
    const entryPath = [...path, name]
    const createEntryRefusal: CreateRefusal = (reason, offset) => buildRefusal(document, entryPath, reason, offset)
    if (map.isSet) throw createEntryRefusal('inSet', map.outer)
    if (document.targets.has(map)) throw createEntryRefusal('underAnchor', map.outer)
    const merge = map.entries.find(
      ({ key, value }) => key?.isMerge && mergedMaps(value).some((item) => hasKey(item, name)),
    )
    if (merge !== undefined && entry === undefined) throw createEntryRefusal('merged', merge.start)
    if (entry === undefined) continue
    if (!map.flow && (entry.key?.isExplicit || !isFirstInLine(document, entry)))
      throw createEntryRefusal('unusualKey', entry.start)
    const nestedMap = refuseChange(document, entry, change, createEntryRefusal)
    if (nestedMap !== undefined && change.kind === 'within')
      rejectUnsupportedEdits(document, nestedMap, change.changes, entryPath)
  }
}

/**
 * Failure codes and messages of rejected edits. `file.notEditable`: the text is valid. `file.unparsable`: the tool
 * cannot use it.
 */
const reasons = {
  inSet: { code: 'file.notEditable', what: 'would stand in a set (!!set), whose keys have no values' },
  underAnchor: { code: 'file.notEditable', what: 'stands under an anchor that is used elsewhere' },
  merged: { code: 'file.notEditable', what: 'comes from a merge key' },
  unusualKey: { code: 'file.notEditable', what: 'has its key behind a question mark, an anchor, a tag or another key' },
  usedElsewhere: { code: 'file.notEditable', what: 'is used elsewhere through an anchor' },
  alias: { code: 'file.notEditable', what: 'stands for another value' },
  noObject: { code: 'file.unparsable', what: 'is not an object' },
  noList: { code: 'file.unparsable', what: 'is not a list' },
  twice: { code: 'file.unparsable', what: 'has more than one of the same kind' },
} as const

type CreateRefusal = (reason: keyof typeof reasons, offset: number) => AppError

/** Checks one change. Returns the mapping below it that must be checked next, if any. */
function refuseChange(
  { targets }: YamlDocument,
  entry: YamlEntry,
  change: Change,
  refuse: CreateRefusal,
): YamlCollection | undefined {
  const { value, start } = entry
  if (change.kind === 'set' || change.kind === 'remove') {
    if (isUsedElsewhere(entry, targets)) throw refuse('usedElsewhere', start)
    return undefined
  }
  if (value.kind === 'alias') throw refuse('alias', value.start)
  if (targets.has(value)) throw refuse('usedElsewhere', start)
  if (isNull(value)) return undefined
  if (change.kind === 'within') {
    if (value.kind !== 'map') throw refuse('noObject', value.start)
    return value
  }
  if (value.kind !== 'list') throw refuse('noList', value.start)
  for (const item of change.items) {
    const [first, second] = findYamlItems(value, item)
    if (second !== undefined && item.kind === 'element') throw refuse('twice', second.start)
    if (first === undefined || item.kind === 'member') continue
    if (first.value.kind === 'alias') throw refuse('alias', first.start)
    if (isUsedElsewhere(first, targets)) throw refuse('usedElsewhere', first.start)
  }
  return undefined
}

const hasKey = (map: YamlCollection, name: string): boolean =>
  map.entries.some(({ key, value }) =>
    key?.isMerge ? mergedMaps(value).some((item) => hasKey(item, name)) : key?.name === name,
  )

function isUsedElsewhere(entry: YamlEntry, targets: YamlDocument['targets']): boolean {
  if (targets.size === 0) return false
  const isUsed = (node: YamlNode): boolean =>
    targets.has(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.some(isUsedWithin))
  const isUsedWithin = ({ key, value }: YamlEntry): boolean => isUsed(value) || (key !== undefined && isUsed(key.node))
  return isUsedWithin(entry)
}

function isFirstInLine({ text }: YamlDocument, { start }: YamlEntry): boolean {
  return /^ *$/.test(text.slice(lineStart(text, start), start))
}

function buildRefusal(
  { text }: YamlDocument,
  path: readonly string[],
  reason: keyof typeof reasons,
  offset: number,
): AppError {
  const field = path.join('.')
  const line = getLineNumber(text, offset)
  const { code, what } = reasons[reason]
  const remedy =
    code === 'file.notEditable'
      ? "This app can't edit that. Write the line as a plain key and value, or enter the settings yourself."
      : 'Correct it and try again.'
  return new AppError(code, `The setting ${field} ${what} (line ${line}). ${remedy}`, { field, line })
}

const requireYamlDocument = (source: string): YamlDocument => requireValue(parseYamlDocument(source))

/** Whether the mapping at this path is in flow style. The root's path is empty. */
function isInBrackets(root: YamlNode | undefined, path: readonly string[]): boolean {
  const parentMap = path.length === 0 ? root : findEntry(root, path)?.value
  return parentMap?.kind === 'map' && parentMap.flow
}
