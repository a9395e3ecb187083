import { AppError } from '@shared/failure'
import { ok } from '@shared/result'
import { maskSecrets } from '../mask'
import type { Editor, OpenEdit, OwnedPath } from './editor'
import { changesOf, type RootChange } from './json-changes'
import { deletions } from './json-delete'
import { type JsonDocument, parseDocument, type Strictness } from './json-document'
import { insertions } from './json-insert'
import { proveEdit } from './json-prove'
import { putBack } from './json-put-back'
import { refuseUnreachable } from './json-refuse'
import { pruneEmptied, sameContent } from './json-remove'
import { holdsSetting, jsonOf, strictText } from './json-strict'
import { splice } from './splice'

const LENIENT: Strictness = { strict: false, lists: true }
const STRICT: Strictness = { strict: true, lists: true }

/** JSON with comments and trailing commas. */
export const jsoncEditor: Editor = {
  parse: (text) => parse(text, LENIENT),
  edit: (text, edits) => edit(text, edits, LENIENT),
  remove,
  isBlank,
  mask: maskSecrets,
}

/**
 * JSON for a strict parser: a text with comments or trailing commas is `file.notStrict`, with the line, to `parse` and to
 * `edit`. `remove` takes them, and leaves them.
 */
export const jsonEditor: Editor = {
  ...jsoncEditor,
  parse: (text) => parse(text, STRICT),
  edit: (text, edits) => edit(text, edits, STRICT),
  toStrict: (text) => strictText(documentOf(text, LENIENT)),
}

function parse(text: string, strictness: Strictness): ReturnType<Editor['parse']> {
  const document = parseDocument(text, strictness)
  if (!document.ok) return document
  const value = jsonOf(document.value)
  return ok(typeof value === 'object' && value !== null ? value : {})
}

function edit(text: string, edits: readonly OpenEdit[], strictness: Strictness): string {
  const change = changesOf(edits)
  const before = documentOf(text, strictness)
  refuseUnreachable(before, change)
  return carryOut(before, change, strictness).text
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const before = documentOf(text, LENIENT)
  const old = documentOf(original ?? '', LENIENT)
  const change = changesOf(putBack({ owned, current: before, old }))
  refuseUnreachable(before, change)
  pruneEmptied(before, change, old)
  const after = carryOut(before, change, LENIENT)
  if (original === undefined || after.text === original) return after.text
  return sameContent(after.document, old) ? original : after.text
}

function isBlank(text: string): boolean {
  const document = documentOf(text, LENIENT)
  return document.comments.length === 0 && !holdsSetting(document)
}

function documentOf(text: string, strictness: Strictness): JsonDocument {
  const document = parseDocument(text, strictness)
  if (document.ok) return document.value
  const { code, message, ...details } = document.error
  throw new AppError(code, message, details)
}

type Outcome = { readonly text: string; readonly document: JsonDocument }

/** First what goes, then what comes: neighbours that go show no layout. */
function carryOut(before: JsonDocument, change: RootChange, strictness: Strictness): Outcome {
  const less = splice(before.text, deletions(before, change))
  const removed = less === before.text ? before : documentOf(before.bom + less, LENIENT)
  const more = splice(removed.text, insertions(removed, change))
  const text = before.bom + more
  const document = more === before.text ? before : documentOf(text, strictness)
  proveEdit(before, document, change)
  return { text, document }
}
