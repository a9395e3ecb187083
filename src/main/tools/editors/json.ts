import { AppError, type Failure } from '@shared/failure'
import { ok, type Result } from '@shared/result'
import { applyEdits, type Node } from 'jsonc-parser'
import { type Changes, changesOf, type JsonEdit, RawJson, refuseUnreachable } from './json-changes'
import { deletions } from './json-delete'
import { type JsonDocument, parseDocument, type Strictness } from './json-document'
import { insertions } from './json-insert'
import { proveEdit } from './json-prove'
import { strictText } from './json-strict'
import { elementsOf, isJsonObject, type Json, memberOf, membersOf, nodeAt, sameJson, toJson } from './json-value'

export type { JsonEdit } from './json-changes'

const LENIENT: Strictness = { strict: false }

/** What a removal gives back: settings by path, or the membership of a list. */
export type OwnedPath = { readonly path: readonly string[]; readonly member?: string | undefined }

/** The settings in a text (none in a blank one), or `file.unparsable` or `file.notStrict` with the line. */
export function parseJson(text: string, strictness: Strictness): Result<Json & object, Failure> {
  const document = parseDocument(text, strictness)
  if (!document.ok) return document
  const value = document.value.root === undefined ? {} : toJson(document.value.root)
  return ok(isJsonObject(value) ? value : {})
}

/**
 * The text with the edits made and proven: comments, order, indentation, line ends, the byte order mark and everything
 * not owned stay to the letter. Throws `file.unparsable` or `file.notStrict` and then nothing is lost.
 */
export function editJson(text: string, edits: readonly JsonEdit[], strictness: Strictness): string {
  const changes = changesOf(edits)
  const before = documentOf(text, strictness)
  refuseUnreachable(before, changes)
  return carryOut(before, changes, strictness)
}

/**
 * The text with every owned setting as `original` had it, and without the parents that only held owned settings and
 * that `original` had not. Where nothing else differs from `original`, the result is `original` to the letter.
 */
export function removeJson(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const before = documentOf(text, LENIENT)
  const old = documentOf(original ?? '', LENIENT)
  const changes = changesOf(owned.map((each) => putBack(each, old)))
  refuseUnreachable(before, changes)
  pruneEmptied(before, changes, old)
  const result = carryOut(before, changes, LENIENT)
  return original !== undefined && sameContent(documentOf(result, LENIENT), old) ? original : result
}

/** The text as strict JSON: without comments and trailing commas, and otherwise the same. */
export function toStrictJson(text: string): string {
  return strictText(documentOf(text, LENIENT))
}

/** True when a text holds no setting and no comment. */
export function isBlankJson(text: string): boolean {
  const { root, comments } = documentOf(text, LENIENT)
  return comments.length === 0 && membersOf(root).length === 0
}

function documentOf(text: string, strictness: Strictness): JsonDocument {
  const document = parseDocument(text, strictness)
  if (document.ok) return document.value
  const { code, message, ...details } = document.error
  throw new AppError(code, message, details)
}

function carryOut(before: JsonDocument, changes: Changes, strictness: Strictness): string {
  const removed = documentOf(before.bom + applyEdits(before.text, deletions(before, changes)), LENIENT)
  const result = before.bom + applyEdits(removed.text, insertions(removed, changes))
  proveEdit(before, documentOf(result, strictness), changes)
  return result
}

function putBack({ path, member }: OwnedPath, old: JsonDocument): JsonEdit {
  const { value: node, whole } = memberOf(nodeAt(old.root, path.slice(0, -1)), path.at(-1) ?? '') ?? {}
  if (member !== undefined) return { path, member, present: elementsOf(node).some(({ value }) => value === member) }
  if (node === undefined || whole === undefined) return { path, value: undefined }
  const slice = ({ offset, length }: Node): string => old.text.slice(offset, offset + length)
  return { path, value: new RawJson(slice(node), slice(whole), toJson(node)) }
}

/** Turns "remove all that is in this object" into "remove this object", where `old` had none and no comment is in it. */
function pruneEmptied(document: JsonDocument, changes: Changes, old: JsonDocument): void {
  const prune = (inner: Changes, path: readonly string[]): void => {
    for (const [name, change] of inner) {
      const at = [...path, name]
      if (change.kind !== 'within') continue
      prune(change.changes, at)
      if (nodeAt(old.root, at) === undefined && isEmptiedBy(document, at, change.changes))
        inner.set(name, { kind: 'remove' })
    }
  }
  prune(changes, [])
}

function isEmptiedBy({ root, comments }: JsonDocument, path: readonly string[], changes: Changes): boolean {
  const { value, whole } = memberOf(nodeAt(root, path.slice(0, -1)), path.at(-1) ?? '') ?? {}
  if (whole === undefined || membersOf(value).length === 0) return false
  const holdsComment = comments.some(({ start }) => start > whole.offset && start < whole.offset + whole.length)
  return !holdsComment && membersOf(value).every(({ name }) => changes.get(name)?.kind === 'remove')
}

function sameContent(a: JsonDocument, b: JsonDocument): boolean {
  if (!sameJson(jsonOf(a), jsonOf(b))) return false
  const comments = [a, b].map((document) => document.comments.map(({ start, end }) => document.text.slice(start, end)))
  return sameJson(comments[0]?.sort(), comments[1]?.sort())
}

const jsonOf = ({ root }: JsonDocument): Json | undefined => (root === undefined ? {} : toJson(root))
