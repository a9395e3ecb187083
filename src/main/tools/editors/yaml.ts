import { AppError, type Failure } from '@shared/failure'
import { ok, type Result } from '@shared/result'
import type { Editor, OpenEdit, OwnedPath } from './editor'
import type { Json } from './json-value'
import { rememberingEach } from './remembered'
import { splice } from './splice'
import { type Changes, changesOf, withoutRaw } from './yaml-changes'
import { deletions } from './yaml-delete'
import { parseYamlDocument, type YamlDocument, yamlDocumentOf } from './yaml-document'
import { insertions } from './yaml-insert'
import { maskYaml } from './yaml-mask'
import { jsonOf } from './yaml-node'
import { isSameBeside, proveEdit } from './yaml-prove'
import { pruneEmptied } from './yaml-prune'
import { putBack } from './yaml-put-back'
import { refuseUnreachable } from './yaml-refuse'

/**
 * Edits YAML with a mapping at its root. Values are read by the core schema, aliases and merge keys resolved. Nothing is
 * written anew but what is owned: it takes over the indentation and the block or flow style around it.
 */
export const yamlEditor: Editor = { parse, edit, remove, isBlank, mask: maskYaml }

function parse(text: string): Result<Json & object, Failure> {
  const document = parseYamlDocument(text)
  if (!document.ok) return document
  const value = jsonRoot(document.value)
  return ok(typeof value === 'object' && value !== null ? value : {})
}

function edit(text: string, edits: readonly OpenEdit[]): string {
  const changes = changesOf(edits)
  const before = yamlDocumentOf(text)
  refuseUnreachable(before, changes)
  return whole(carryOut(before, changes))
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const before = yamlDocumentOf(text)
  const old = yamlDocumentOf(original ?? '')
  const changes = changesOf(owned.map((each) => putBack(each, before, old)))
  refuseUnreachable(before, changes)
  if (original !== undefined && isSameBeside([before, old], changes)) return original
  pruneEmptied(before, changes, old)
  return whole(putBackInto(before, changes))
}

function isBlank(text: string): boolean {
  const { root, comments } = yamlDocumentOf(text)
  return comments.length === 0 && (root?.entries.length ?? 0) === 0
}

/** To the letter where that reads as it did before; blank lines around a text behind `|` may have made it another. */
function putBackInto(before: YamlDocument, changes: Changes): YamlDocument {
  try {
    return carryOut(before, changes)
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'internal.unexpected') throw error
    return carryOut(before, withoutRaw(changes))
  }
}

function carryOut(before: YamlDocument, changes: Changes): YamlDocument {
  const out = deletions(before, changes)
  const removed = out.length === 0 ? before : reread(before.bom + splice(before.text, out))
  const added = insertions(removed, changes)
  const result = added.length === 0 ? removed : reread(removed.bom + splice(removed.text, added))
  proveEdit(before, result, changes)
  return result
}

/** Our own text taken apart; that it cannot be is our mistake and not the user's. */
function reread(text: string): YamlDocument {
  const document = parseYamlDocument(text)
  if (document.ok) return document.value
  throw new AppError(
    'internal.unexpected',
    'The file was left alone: after the edit it would not be valid YAML. This is a bug: report it.',
  )
}

const jsonRoot = rememberingEach(({ root }: YamlDocument): Json => (root === undefined ? {} : jsonOf(root)))

const whole = ({ bom, text }: YamlDocument): string => bom + text
