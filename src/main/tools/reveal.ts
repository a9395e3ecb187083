import { Secret } from '../secret'
import { Content } from './content'
import type { Json } from './editors/json-value'
import type { OpenEdit } from './owned'
import type { Edit, EditValue } from './target'

/** The edits with their secrets laid open, for writing and comparing only; with the functions below the one place that does so. */
export function openEdits(edits: readonly Edit[]): OpenEdit[] {
  return edits.map((edit) => ('member' in edit ? edit : { ...edit, value: opened(edit.value) }))
}

/** True when an edit holds a secret, at whatever depth. */
export function holdsSecret(edit: Edit): boolean {
  return 'value' in edit && isSecretIn(edit.value)
}

/** What stands in a file that holds nothing but the key. */
export function keyContent(key: Secret): Content {
  return new Content(key.expose())
}

/** The text of a secret, to be left out of what is kept. */
export function keyText(key: Secret): string {
  return key.expose()
}

function opened(value: EditValue): Json | undefined {
  if (value instanceof Secret) return value.expose()
  if (isList(value)) return value.map((each) => opened(each) ?? null)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, opened(inner)] as const)
  return Object.fromEntries(entries.flatMap(([name, inner]) => (inner === undefined ? [] : [[name, inner]])))
}

function isSecretIn(value: EditValue): boolean {
  if (value instanceof Secret) return true
  if (isList(value)) return value.some(isSecretIn)
  return typeof value === 'object' && value !== null && Object.values(value).some(isSecretIn)
}

const isList = (value: EditValue): value is readonly EditValue[] => Array.isArray(value)
