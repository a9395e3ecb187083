import { ok, toAppError } from '@shared/failure'
import { maskSecrets } from '../secret-masking'
import { applyChanges } from './apply-changes'
import {
  buildChanges,
  buildRestoreChanges,
  type Change,
  findItems,
  isEmpty,
  pruneEmptyCollections,
  type RootChange,
} from './changes'
import {
  createRefusal,
  type Editor,
  isSameJson,
  type OpenEdit,
  type OwnedPath,
  requireValue,
  toFileText,
} from './editor'
import { type JsonDocument, parseDocument, type SyntaxOptions } from './json-document'
import { insertions } from './json-edits'
import {
  buildUnparsableFailure,
  findWhitespaceEnd,
  findWhitespaceStart,
  getLineNumber,
  isFirstInLine,
  type Span,
} from './text'
import { nodeToJson, type TreeNode, toSettings } from './tree'

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

const holdsSetting = ({ root }: JsonDocument): boolean => root !== undefined && !isEmpty(root)

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

/** Editor for strict JSON. `parse` and `edit` fail with `file.notStrict` for comments. `remove` keeps comments. */
export const jsonEditor: Editor = {
  ...jsoncEditor,
  parse: (text) => parse(text, STRICT_SYNTAX),
  edit: (text, edits) => edit(text, edits, STRICT_SYNTAX),
  toStrict: (text) => toStrictText(requireDocument(text, LENIENT_STRICTNESS)),
}

function parse(text: string, strictness: SyntaxOptions): ReturnType<Editor['parse']> {
  const document = parseDocument(text, strictness)
  return document.ok ? ok(toSettings(document.value)) : document
}

function edit(text: string, edits: readonly OpenEdit[], strictness: SyntaxOptions): string {
  const change = buildChanges(edits)
  const currentDocument = requireDocument(text, strictness)
  refuseUnreachable(currentDocument, change)
  const parse = (source: string): JsonDocument => requireDocument(source, strictness)
  return toFileText(applyChanges(currentDocument, change, { parse, insertions }))
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const parse = (source: string): JsonDocument => requireDocument(source, LENIENT_STRICTNESS)
  const currentDocument = parse(text)
  const originalDocument = parse(original ?? '')
  const change = buildRestoreChanges({ owned, current: currentDocument, original: originalDocument })
  refuseUnreachable(currentDocument, change)
  pruneEmptyCollections(currentDocument, change, originalDocument)
  const result = applyChanges(currentDocument, change, { parse, insertions })
  return original !== undefined && hasSameContent(result, originalDocument) ? original : toFileText(result)
}

function isBlank(text: string): boolean {
  const document = requireDocument(text, LENIENT_STRICTNESS)
  return document.comments.length === 0 && !holdsSetting(document)
}

const requireDocument = (text: string, strictness: SyntaxOptions): JsonDocument =>
  requireValue(parseDocument(text, strictness))

/** Whether settings and comments of two texts are equal. A blank text equals an object without settings. */
function hasSameContent(a: JsonDocument, b: JsonDocument): boolean {
  if (a.root === undefined || b.root === undefined) {
    if (holdsSetting(a) || holdsSetting(b)) return false
  } else if (!isSameJson(nodeToJson(a.root), nodeToJson(b.root))) return false
  return isSameJson(listComments(a), listComments(b))
}

const listComments = ({ text, comments }: JsonDocument): string[] =>
  comments.map(({ start, end }) => text.slice(start, end)).sort()

/** Throws if an edit is ambiguous: a parent is no object, a value is no list, or names or elements are duplicates. */
function refuseUnreachable({ root, text }: JsonDocument, change: RootChange): void {
  if (root === undefined || (change.kind === 'within' && change.changes.size === 0)) return
  if ((change.kind === 'list') !== (root.kind === 'list')) {
    const problem = `It does not hold a JSON ${change.kind === 'list' ? 'list' : 'object'}`
    throw toAppError(buildUnparsableFailure(problem, getLineNumber(text, root.start)))
  }
  check(text, root, change, [])
}

function check(text: string, node: TreeNode, change: Change, path: readonly string[]): void {
  if (change.kind === 'list') {
    if (node.kind !== 'list') throw createRefusal(text, path, node.start, 'is not a list')
    for (const item of change.items) {
      const [, second] = item.kind === 'element' ? findItems(node, item) : []
      if (second !== undefined) throw createRefusal(text, path, second.start, 'holds one element twice')
    }
  }
  if (change.kind !== 'within') return
  if (node.kind !== 'map') throw createRefusal(text, path, node.start, 'is not an object')
  for (const [name, nestedChange] of change.changes) {
    const memberPath = [...path, name]
    const [first, second] = node.entries.filter(({ key }) => key?.name === name)
    if (second !== undefined) throw createRefusal(text, memberPath, second.start, 'appears twice')
    if (first !== undefined) check(text, first.value, nestedChange, memberPath)
  }
}
