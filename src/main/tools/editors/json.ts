import { AppError, ok } from '@shared/failure'
import { maskSecrets } from '../secret-masking'
import {
  canonicalText,
  createEditMismatchError,
  type Editor,
  isSameJson,
  type Json,
  memoizeBySubject,
  type OpenEdit,
  type OwnedPath,
  requireValue,
  splice,
  toAppError,
} from './editor'
import {
  buildJsonChanges,
  type Change,
  type ItemChange,
  type ItemPosition,
  isMatch,
  isRemoval,
  isText,
  type JsonEdit,
  type ListChange,
  matchItems,
  RawJson,
  type RootChange,
  toPlainJson,
} from './json-changes'
import {
  buildUnparsableFailure,
  findMember,
  findMembers,
  findWhitespaceEnd,
  findWhitespaceStart,
  getLineNumber,
  isFirstInLine,
  type JsonDocument,
  listEntries,
  listItems,
  listMembers,
  type Member,
  type Node,
  nodeToJson,
  parseDocument,
  type Span,
  type SyntaxOptions,
} from './json-document'
import { deletions, insertions } from './json-edits'

/** Removes comments and trailing commas. Removes lines that contain only a comment. */
function toStrictText({ bom, text, comments, trailingCommas }: JsonDocument): string {
  const spans = [...comments.map((comment) => extendToLine(text, comment)), ...trailingCommas]
  if (spans.length === 0) return bom + text
  const textParts: string[] = [bom]
  let position = 0
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    textParts.push(text.slice(position, Math.max(position, start)))
    position = Math.max(position, end)
  }
  textParts.push(text.slice(position))
  return textParts.join('')
}

/** Value of a text in strict JSON. A blank text is an empty object. */
const parseLenientJson = memoizeBySubject(
  (document: JsonDocument): Json =>
    document.root === undefined ? {} : JSON.parse(toStrictText({ ...document, bom: '' })),
)

function holdsSetting({ root }: JsonDocument): boolean {
  return root !== undefined && (root.type === 'literal' || listEntries(root).length > 0)
}

/** Range of a comment with the blanks before it. If the comment is alone on its line, the range of the line. */
function extendToLine(text: string, { start, end }: Span): Span {
  const blanksAfter = findWhitespaceEnd(text, end)
  const isLineEnd = blanksAfter === text.length || text[blanksAfter] === '\n' || text[blanksAfter] === '\r'
  if (!isLineEnd) return { start, end }
  const blanksStart = findWhitespaceStart(text, start)
  if (!isFirstInLine(text, start)) return { start: blanksStart, end }
  return {
    start: blanksStart,
    end: blanksAfter + (text.startsWith('\r\n', blanksAfter) ? 2 : Math.min(1, text.length - blanksAfter)),
  }
}

const LENIENT_STRICTNESS: SyntaxOptions = { strict: false, lists: true }
const STRICT_SYNTAX: SyntaxOptions = { strict: true, lists: true }

export const jsoncEditor: Editor = {
  parse: (text) => parse(text, LENIENT_STRICTNESS),
  edit: (text, edits) => edit(text, edits, LENIENT_STRICTNESS),
  remove,
  isBlank,
  mask: maskSecrets,
}

/**
 * Editor for strict JSON. `parse` and `edit` fail with `file.notStrict` and the line number if there are comments or
 * trailing commas. `remove` keeps them.
 */
export const jsonEditor: Editor = {
  ...jsoncEditor,
  parse: (text) => parse(text, STRICT_SYNTAX),
  edit: (text, edits) => edit(text, edits, STRICT_SYNTAX),
  toStrict: (text) => toStrictText(requireDocument(text, LENIENT_STRICTNESS)),
}

function parse(text: string, strictness: SyntaxOptions): ReturnType<Editor['parse']> {
  const document = parseDocument(text, strictness)
  if (!document.ok) return document
  const value = parseLenientJson(document.value)
  return ok(typeof value === 'object' && value !== null ? value : {})
}

function edit(text: string, edits: readonly OpenEdit[], strictness: SyntaxOptions): string {
  const change = buildJsonChanges(edits)
  const currentDocument = requireDocument(text, strictness)
  refuseUnreachable(currentDocument, change)
  return applyRootChange(currentDocument, change, strictness).text
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const currentDocument = requireDocument(text, LENIENT_STRICTNESS)
  const originalDocument = requireDocument(original ?? '', LENIENT_STRICTNESS)
  const change = buildJsonChanges(restoreEdits({ owned, current: currentDocument, old: originalDocument }))
  refuseUnreachable(currentDocument, change)
  pruneEmptyContainers(currentDocument, change, originalDocument)
  const outcome = applyRootChange(currentDocument, change, LENIENT_STRICTNESS)
  if (original === undefined || outcome.text === original) return outcome.text
  return hasSameContent(outcome.document, originalDocument) ? original : outcome.text
}

function isBlank(text: string): boolean {
  const document = requireDocument(text, LENIENT_STRICTNESS)
  return document.comments.length === 0 && !holdsSetting(document)
}

const requireDocument = (text: string, strictness: SyntaxOptions): JsonDocument =>
  requireValue(parseDocument(text, strictness))

/** Applies removals first, so that the style of new entries is not copied from removed ones. */
function applyRootChange(currentDocument: JsonDocument, change: RootChange, strictness: SyntaxOptions) {
  const textAfterRemoval = splice(currentDocument.text, deletions(currentDocument, change))
  const documentAfterRemoval =
    textAfterRemoval === currentDocument.text
      ? currentDocument
      : requireDocument(currentDocument.bom + textAfterRemoval, LENIENT_STRICTNESS)
  const extendedText = splice(documentAfterRemoval.text, insertions(documentAfterRemoval, change))
  const text = currentDocument.bom + extendedText
  const document = extendedText === currentDocument.text ? currentDocument : requireDocument(text, strictness)
  verifyEdit(currentDocument, document, change)
  return { text, document }
}

/** Removes objects and lists that became empty, unless they existed in `old` or contain a comment. */
function pruneEmptyContainers(current: JsonDocument, change: RootChange, originalDocument: JsonDocument): void {
  const pruneMember = (inner: Change, node: Node | undefined, was: Node | undefined): void => {
    if (inner.kind !== 'within') return
    for (const [name, change] of inner.changes) {
      const member = findMember(node, name)
      const previousNode = findMember(was, name)?.value
      pruneMember(change, member?.value, previousNode)
      if (member !== undefined && previousNode === undefined && becomesEmpty(current, member, change))
        inner.changes.set(name, { kind: 'remove' })
    }
  }
  pruneMember(change, current.root, originalDocument.root)
}

function becomesEmpty({ comments }: JsonDocument, member: Member, change: Change): boolean {
  const node = member.value
  if (node.type === 'literal' || listEntries(node).length === 0) return false
  if (comments.some(({ start }) => start > member.start && start < member.end)) return false
  if (change.kind === 'within' && node.type === 'object')
    return node.members.every(({ name }) => change.changes.get(name)?.kind === 'remove')
  if (change.kind !== 'list' || node.type !== 'list') return false
  return change.items.every(isRemoval) && ownedItems(node, change).size === node.items.length
}

/** Whether settings and comments of two texts are equal. A blank text equals an object without settings. */
function hasSameContent(a: JsonDocument, b: JsonDocument): boolean {
  if (a.root === undefined || b.root === undefined) {
    if (holdsSetting(a) || holdsSetting(b)) return false
  } else if (!isSameJson(parseLenientJson(a), parseLenientJson(b))) return false
  return isSameJson(listComments(a), listComments(b))
}

const listComments = ({ text, comments }: JsonDocument): string[] =>
  comments.map(({ start, end }) => text.slice(start, end)).sort()

/**
 * Throws if an edit is ambiguous: a parent that is not an object, a value that is not a list, duplicate names or
 * elements.
 */
function refuseUnreachable(document: JsonDocument, change: RootChange): void {
  const { root, text } = document
  if (root === undefined || (change.kind === 'within' && change.changes.size === 0)) return
  if ((change.kind === 'list') !== (root.type === 'list')) {
    const problem = `It does not hold a JSON ${change.kind === 'list' ? 'list' : 'object'}`
    throw toAppError(buildUnparsableFailure(problem, getLineNumber(text, root.start)))
  }
  check(document, root, change, [])
}

function check(document: JsonDocument, node: Node, change: Change, path: readonly string[]): void {
  if (change.kind === 'list') {
    if (node.type !== 'list') throw createRefusal(document, path, node, 'is not a list')
    for (const [item, [, second]] of matchItems(node, change.items)) {
      if (item.kind === 'element' && second !== undefined)
        throw createRefusal(document, path, second, 'holds one element twice')
    }
  }
  if (change.kind !== 'within') return
  if (node.type !== 'object') throw createRefusal(document, path, node, 'is not an object')
  for (const [name, nestedChange] of change.changes) {
    const memberPath = [...path, name]
    const [first, second] = findMembers(node, name)
    if (second !== undefined) throw createRefusal(document, memberPath, second, 'appears twice')
    if (first !== undefined) check(document, first.value, nestedChange, memberPath)
  }
}

function createRefusal({ text }: JsonDocument, path: readonly string[], node: Span, what: string): AppError {
  const field = path.join('.')
  const line = getLineNumber(text, node.start)
  const subject = field === '' ? 'The list' : `The setting ${field}`
  return new AppError('file.unparsable', `${subject} ${what} (line ${line}). Correct it and try again.`, {
    ...(field === '' ? {} : { field }),
    line,
  })
}

type RestoreInput = { readonly owned: readonly OwnedPath[]; readonly current: JsonDocument; readonly old: JsonDocument }

/** Edits that restore our settings to their values in `old`, with list elements in the order of `old`. */
function restoreEdits(input: RestoreInput): JsonEdit[] {
  return input.owned
    .map((change) => ({ edit: createRestoreEdit(change, input), index: findItemIndex(change, input.old) }))
    .sort((a, b) => a.index - b.index)
    .map(({ edit }) => edit)
}

/** Index of a list element or member. -1 if it is missing or the setting is not in a list. */
function findItemIndex({ path, element, member }: OwnedPath, { root }: JsonDocument): number {
  if (element === undefined && member === undefined) return -1
  const items = listItems(getNode(root, path))
  return items.findIndex((item) => (element === undefined ? isText(item, member) : isMatch(item, element)))
}

function createRestoreEdit(ownedPath: OwnedPath, input: RestoreInput): JsonEdit {
  const { path, member, element } = ownedPath
  const { old: originalDocument } = input
  const slice = ({ start, end }: Span): string => originalDocument.text.slice(start, end)
  if (member !== undefined)
    return {
      path,
      member,
      present: findItemIndex(ownedPath, originalDocument) !== -1,
      place: findItemPosition(ownedPath, input),
    }
  if (element !== undefined) {
    const originalItem = listItems(getNode(originalDocument.root, path))[findItemIndex(ownedPath, originalDocument)]
    const value = originalItem && new RawJson(slice(originalItem), slice(originalItem), nodeToJson(originalItem))
    return { path, element, value, place: findItemPosition(ownedPath, input) }
  }
  const originalMember = findMember(getNode(originalDocument.root, path.slice(0, -1)), path.at(-1) ?? '')
  if (originalMember === undefined) return { path, value: undefined }
  return {
    path,
    value: new RawJson(slice(originalMember.value), slice(originalMember), nodeToJson(originalMember.value)),
  }
}

/** Position at which a list element is restored: after the nearest element that precedes it in the original and still exists. */
function findItemPosition(ownedPath: OwnedPath, { owned, current, old: originalDocument }: RestoreInput): ItemPosition {
  const index = findItemIndex(ownedPath, originalDocument)
  if (index === -1 || findItemIndex(ownedPath, current) !== -1) return 'last'
  const ownItems = owned.filter(({ path }) => canonicalText(path) === canonicalText(ownedPath.path))
  const originalIdentities = toIdentities(listItems(getNode(originalDocument.root, ownedPath.path)), ownItems)
  const allIds = new Set(originalIdentities.map(({ id }) => id))
  const currentIdentities = toIdentities(listItems(getNode(current.root, ownedPath.path)), ownItems)
  const remainingIdentities = currentIdentities.filter(({ isOurs, id }) => !isOurs || allIds.has(id))
  const indexById = new Map(remainingIdentities.map(({ id }, position) => [id, position + 1]))
  const nearestItem = originalIdentities.slice(0, index).findLast(({ id }) => indexById.has(id))
  return (nearestItem && indexById.get(nearestItem.id)) ?? 0
}

/**
 * Identifies each list element: one of our settings by its index, any other by its value and how often that occurred
 * before.
 */
function toIdentities(items: readonly Node[], ownItems: readonly OwnedPath[]) {
  const owners = new Map<Node | undefined, number>()
  for (const [ownerIndex, { member, element }] of ownItems.entries()) {
    if (element !== undefined)
      owners.set(
        items.find((item) => isMatch(item, element)),
        ownerIndex,
      )
    if (member !== undefined) for (const item of items) if (isText(item, member)) owners.set(item, ownerIndex)
  }
  const counts = new Map<string, number>()
  return items.map((item) => {
    const owner = owners.get(item)
    if (owner !== undefined) return { id: `ours ${owner}`, isOurs: true }
    const text = canonicalText(nodeToJson(item))
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return { id: `${text} ${count}`, isOurs: false }
  })
}

/**
 * Checks the result of an edit. Throws unless our settings have their new values and all other text is unchanged and
 * in the same order.
 */
function verifyEdit(currentDocument: JsonDocument, editedDocument: JsonDocument, change: RootChange): void {
  if (!isDone(editedDocument.root, change))
    throw createEditMismatchError('after the edit a setting did not take its value')
  if (currentDocument === editedDocument) return
  if (!isSamePath(listUnownedTexts(currentDocument, change), listUnownedTexts(editedDocument, change)))
    throw createEditMismatchError('after the edit another setting would change')
  if (!isSamePath(listRemainingComments(currentDocument, change), listRemainingComments(editedDocument, change)))
    throw createEditMismatchError('after the edit a comment would change')
}

function isDone(node: Node | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return node === undefined
    case 'set':
      return node !== undefined && isSameJson(nodeToJson(node), toPlainJson(change.value))
    case 'list':
      return [...matchItems(node, change.items)].every(([item, matchingNodes]) => isItemDone(node, item, matchingNodes))
    case 'within':
      return [...change.changes].every(([name, inner]) => isDone(findMember(node, name)?.value, inner))
  }
}

function isItemDone(list: Node | undefined, item: ItemChange, matchingNodes: readonly Node[]): boolean {
  if (item.kind === 'member') return list === undefined || matchingNodes.length > 0 === item.present
  const { value } = item
  if (value === undefined) return matchingNodes.length === 0
  return (
    matchingNodes.length === 1 && matchingNodes.every((change) => isSameJson(nodeToJson(change), toPlainJson(value)))
  )
}

/** Exact text of everything that is not ours. Ignores objects and lists that contain only our settings. */
function listUnownedTexts({ text, root }: JsonDocument, change: RootChange): string[] {
  const parts: string[] = []
  const add = ({ start, end }: Span): void => void parts.push(text.slice(start, end))
  const appendNodeText = (node: Node, inner: Change): void => {
    if (inner.kind === 'within' && node.type === 'object')
      for (const member of node.members) {
        const memberChange = inner.changes.get(member.name)
        if (memberChange === undefined) add(member)
        else if (memberChange.kind === 'within' || memberChange.kind === 'list') appendMemberText(member, memberChange)
      }
    else if (inner.kind === 'list' && node.type === 'list') {
      const ownedNodes = ownedItems(node, inner)
      for (const item of node.items) if (!ownedNodes.has(item)) add(item)
    } else add(node)
  }
  const appendMemberText = ({ name, value }: Member, memberChange: RootChange): void => {
    const hasOnlyMembers = memberChange.kind === 'list' && memberChange.items.every(({ kind }) => kind === 'member')
    const lengthWithoutValue = parts.push(`${JSON.stringify(name)}:`)
    appendNodeText(value, memberChange)
    if (parts.length > lengthWithoutValue || hasOnlyMembers) parts.push(';')
    else parts.pop()
  }
  if (root !== undefined) appendNodeText(root, change)
  return parts
}

/** Comments that are not inside our settings, in text order. */
function listRemainingComments({ text, root, comments }: JsonDocument, change: RootChange): string[] {
  const ownedRanges = root === undefined || comments.length === 0 ? [] : ownedSpans(root, change)
  const remainingParts: string[] = []
  let spanIndex = 0
  for (const { start, end } of comments) {
    while (spanIndex < ownedRanges.length && (ownedRanges[spanIndex]?.end ?? 0) <= start) spanIndex += 1
    if (start < (ownedRanges[spanIndex]?.start ?? text.length)) remainingParts.push(text.slice(start, end))
  }
  return remainingParts
}

function ownedSpans(node: Node, change: Change): readonly Span[] {
  if (change.kind === 'list') {
    const ownedNodes = ownedItems(node, change)
    return listItems(node).filter((item) => ownedNodes.has(item))
  }
  if (change.kind !== 'within') return []
  return listMembers(node).flatMap((member) => {
    const memberChange = change.changes.get(member.name)
    if (memberChange === undefined) return []
    return memberChange.kind === 'set' || memberChange.kind === 'remove'
      ? [member]
      : ownedSpans(member.value, memberChange)
  })
}

const ownedItems = (node: Node, { items }: ListChange): ReadonlySet<Node> =>
  new Set([...matchItems(node, items).values()].flat())

const isSamePath = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, index) => part === b[index])

function getNode(root: Node | undefined, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, name) => findMember(node, name)?.value, root)
}
