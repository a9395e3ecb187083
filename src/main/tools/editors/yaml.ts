import { AppError, ok } from '@shared/failure'
import { MASKED, maskSecretForms } from '../../core/secret'
import { maskValue } from '../secret-masking'
import {
  applyChanges,
  buildChanges,
  buildRestoreChanges,
  type Change,
  type Changes,
  createDuplicateError,
  findItems,
  isUnownedSame,
  pruneEmptyCollections,
  type RootChange,
  toPlainJson,
} from './changes'
import {
  createEditMismatchError,
  createRefusal,
  type Editor,
  type OpenEdit,
  type OwnedPath,
  replaceRange,
  requireValue,
  splice,
  type TextEdit,
  toFileText,
} from './editor'
import { lineStart } from './text'
import {
  type Collection,
  type Entry,
  findEntry,
  isNull,
  mergedMaps,
  type ScalarNode,
  type TreeNode,
  toSettings,
} from './tree'
import { parseYamlDocument, type YamlDocument } from './yaml-document'
import { insertions } from './yaml-insert'

/** Masks secret values as `[secret]`, line by line. Hides all lines of an invalid text. */
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
  readonly seen: Set<TreeNode>
}

function maskNode(masking: MaskingContext, node: TreeNode, names: readonly string[]): void {
  if (node.kind === 'scalar') masking.keep(replaceRange(node.start, node.end, maskedScalar(masking.text, node, names)))
  else if (node.kind === 'list') maskItems(masking, node.entries, names)
  else if (node.kind === 'map')
    for (const { key, value } of node.entries) {
      if (key === undefined) continue
      if (key.node.kind !== 'alias') maskNode(masking, key.node, [])
      maskNode(masking, value, key.isMerge ? names : [...names, key.name])
    }
  else if (node.kind === 'alias' && !masking.seen.has(node)) {
    masking.seen.add(node)
    maskNode(masking, node.target, names)
  }
}

/** In a list of arguments, an element such as `--api-key` is the name of the element after it. */
function maskItems(masking: MaskingContext, items: readonly Entry[], names: readonly string[]): void {
  let flag: string | undefined
  for (const { value } of items) {
    maskNode(masking, value, flag === undefined ? names : [...names, flag])
    const text = value.kind === 'scalar' ? value.value : undefined
    flag = typeof text === 'string' && text.startsWith('-') ? text : undefined
  }
}

function maskedScalar(text: string, { start, end, value, isBlock }: ScalarNode, names: readonly string[]): string {
  const rawText = text.slice(start, end)
  const [firstLine = '', ...continuationLines] = rawText.split(/(?=\r?\n)/)
  const lines = continuationLines.map((line) => line.replace(/\S.*/, MASKED)).join('')
  const quoteCharacter = /^["']/.exec(firstLine)?.[0] ?? ''
  const maskedValue = isBlock ? firstLine + lines : `${quoteCharacter}${MASKED}${quoteCharacter}${lines}`
  const parsedValue = typeof value === 'string' ? value.trim() : typeof value === 'number' ? rawText : value
  return maskValue({ raw: rawText, value: parsedValue, names, whole: maskedValue })
}

/** Editor for YAML with a mapping at the root (core schema, aliases, merge keys). Rewrites only owned settings. */
export const yamlEditor: Editor = { parse, edit, remove, isBlank, mask: maskYaml }

function parse(text: string): ReturnType<Editor['parse']> {
  const document = parseYamlDocument(text)
  return document.ok ? ok(toSettings(document.value)) : document
}

function edit(text: string, edits: readonly OpenEdit[]): string {
  const change = buildChanges(edits)
  const currentDocument = requireYamlDocument(text)
  refuseUnreachable(currentDocument, change)
  return toFileText(applyChanges(currentDocument, change, yamlFormat))
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const currentDocument = requireYamlDocument(text)
  const originalDocument = requireYamlDocument(original ?? '')
  const change = buildRestoreChanges({ owned, current: currentDocument, original: originalDocument })
  refuseUnreachable(currentDocument, change)
  if (original !== undefined && isUnownedSame(currentDocument, originalDocument, change)) return original
  pruneEmptyCollections(currentDocument, change, originalDocument)
  return toFileText(restoreOriginal(currentDocument, change))
}

function isBlank(text: string): boolean {
  const { root, comments } = requireYamlDocument(text)
  return comments.length === 0 && (root?.entries.length ?? 0) === 0
}

/** Restores exact source texts, or the values if blank lines next to a `|` text would change them. */
function restoreOriginal(currentDocument: YamlDocument, change: YamlChange): YamlDocument {
  try {
    return applyChanges(currentDocument, change, yamlFormat)
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'internal.unexpected') throw error
    return applyChanges(currentDocument, { kind: 'within', changes: dropRawText(change.changes) }, yamlFormat)
  }
}

function dropRawText(changes: Changes): Changes {
  return new Map([...changes].map(([name, change]) => [name, toPlainChange(change)]))
}

function toPlainChange(change: Change): Change {
  if (change.kind === 'set') return { ...change, value: toPlainJson(change.value) }
  if (change.kind === 'within') return { ...change, changes: dropRawText(change.changes) }
  if (change.kind === 'remove') return change
  const items = change.items.map((item) =>
    item.kind === 'member' ? { ...item, raws: undefined } : { ...item, value: item.value && toPlainJson(item.value) },
  )
  return { ...change, items }
}

/** Parses the text that this editor has written. If that fails, this app has a bug. */
function reparse(text: string): YamlDocument {
  const document = parseYamlDocument(text)
  if (document.ok) return document.value
  throw createEditMismatchError('after the edit it would not be valid YAML')
}

const yamlFormat = { parse: reparse, insertions }

/**
 * Rejects edits that are ambiguous or not supported. `file.notEditable`: paths through aliases or merge keys, alias
 * targets, sets, and keys not at the start of their line. `file.unparsable`: a parent that is not a mapping, a value
 * that is not a list, and several matching elements.
 */
function refuseUnreachable(document: YamlDocument, change: RootChange): asserts change is YamlChange {
  if (change.kind === 'list') throw createDuplicateError('')
  if (document.root !== undefined) rejectUnsupportedEdits(document, document.root, change.changes, [])
}

/** The root of a YAML file is a mapping. */
type YamlChange = Extract<RootChange, { kind: 'within' }>

function rejectUnsupportedEdits(
  document: YamlDocument,
  map: Collection,
  changes: Changes,
  path: readonly string[],
): void {
  for (const [name, change] of changes) {
    const entry = findEntry(map, name)
    const entryPath = [...path, name]
    const createEntryRefusal: CreateRefusal = (reason, offset) =>
      createRefusal(document.text, entryPath, offset, reasons[reason].what, reasons[reason].code === 'file.notEditable')
    if (map.isSet) throw createEntryRefusal('inSet', map.outer)
    if (document.targets.has(map)) throw createEntryRefusal('underAnchor', map.outer)
    const merge = map.entries.find(
      ({ key, value }) => key?.isMerge && mergedMaps(value).some((item) => hasKey(item, name)),
    )
    if (merge !== undefined && entry === undefined) throw createEntryRefusal('merged', merge.start)
    if (entry === undefined) continue
    const isFirstInLine = /^ *$/.test(document.text.slice(lineStart(document.text, entry.start), entry.start))
    if (!map.flow && (entry.key?.isExplicit || !isFirstInLine)) throw createEntryRefusal('unusualKey', entry.start)
    const nestedMap = refuseChange(document, entry, change, createEntryRefusal)
    if (nestedMap !== undefined && change.kind === 'within')
      rejectUnsupportedEdits(document, nestedMap, change.changes, entryPath)
  }
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
  twice: { code: 'file.unparsable', what: 'has more than one of the same kind' },
} as const

type CreateRefusal = (reason: keyof typeof reasons, offset: number) => AppError

/** Checks one change. Returns the mapping below it that must be checked next, if any. */
function refuseChange(
  { targets }: YamlDocument,
  entry: Entry,
  change: Change,
  refuse: CreateRefusal,
): Collection | undefined {
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
    const [first, second] = findItems(value, item)
    if (second !== undefined && item.kind === 'element') throw refuse('twice', second.start)
    if (first === undefined || item.kind === 'member') continue
    if (first.value.kind === 'alias') throw refuse('alias', first.start)
    if (isUsedElsewhere(first, targets)) throw refuse('usedElsewhere', first.start)
  }
  return undefined
}

const hasKey = (map: Collection, name: string): boolean =>
  map.entries.some(({ key, value }) =>
    key?.isMerge ? mergedMaps(value).some((item) => hasKey(item, name)) : key?.name === name,
  )

function isUsedElsewhere(entry: Entry, targets: YamlDocument['targets']): boolean {
  if (targets.size === 0) return false
  const isUsed = (node: TreeNode): boolean =>
    targets.has(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.some(isUsedWithin))
  const isUsedWithin = ({ key, value }: Entry): boolean => isUsed(value) || (key !== undefined && isUsed(key.node))
  return isUsedWithin(entry)
}

const requireYamlDocument = (source: string): YamlDocument => requireValue(parseYamlDocument(source))
