import { Content } from '../core/files/files'
import { Secret } from '../core/secret'
import {
  type OpenEdit as EditorEdit,
  getValueAt,
  isJsonObject,
  isSameJson,
  type Json,
  type Match,
  matches,
} from './editors/editor'
import { computeDigest, type OwnedSetting } from './journal'
import type { Edit, EditValue } from './target'

/** An edit with its secret as plain text. Use it only while writing or comparing a file. */
export type OwnedEdit = EditorEdit & Pick<Edit, 'role' | 'isVolatile'>

/** Edits as stored in a journal, with digests instead of values. Settings that the tool changes have none. */
export function ownedSettings(edits: readonly OwnedEdit[], salt: string): OwnedSetting[] {
  return edits.map((edit) => {
    const baseSetting = { path: [...edit.path], ...(edit.role ? { role: edit.role } : {}) }
    if ('member' in edit) return { ...baseSetting, member: edit.member, present: edit.present }
    const names = isJsonObject(edit.value) ? Object.keys(edit.value) : []
    const element = 'element' in edit ? { element: { ...edit.element }, names } : {}
    if (edit.isVolatile) return { ...baseSetting, ...element, isVolatile: true }
    return edit.value === undefined
      ? { ...baseSetting, ...element }
      : { ...baseSetting, ...element, digest: computeDigest(edit.value, salt) }
  })
}

/** Current value of a setting. For a list element, the element itself. Undefined if missing. */
export function getExistingValue(current: Json, { path, element }: NamedPath): Json | undefined {
  const value = getValueAt(current, path)
  if (element === undefined) return value
  return Array.isArray(value) ? value.find((item: Json) => matches(item, element)) : undefined
}

/** Whether a setting is unchanged since we wrote it. A member text counts as unchanged if its list no longer exists. */
export function isUnchangedSinceWrite(setting: OwnedSetting, current: Json, salt: string): boolean {
  if (setting.isVolatile) return true
  const value = getExistingValue(current, setting)
  if (setting.member !== undefined)
    return !Array.isArray(value) || value.includes(setting.member) === (setting.present ?? true)
  if (value === undefined || setting.digest === undefined) return value === undefined && setting.digest === undefined
  const { names } = setting
  // Ignore properties that the tool added to a list element.
  const ownValue =
    names === undefined || !isJsonObject(value)
      ? value
      : Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
  return computeDigest(ownValue, salt) === setting.digest
}

/** Whether a file's address or credential is still the one that we wrote. List elements are recognized by our name. */
export function hasOurSettings(owned: readonly OwnedSetting[], current: Json, salt: string): boolean {
  const isOurs = (setting: OwnedSetting): boolean =>
    setting.element === undefined
      ? isUnchangedSinceWrite(setting, current, salt)
      : getExistingValue(current, setting) !== undefined
  return owned.some((setting) => setting.role !== undefined && isOurs(setting))
}

export const changes = (edit: OwnedEdit, current: Json): boolean =>
  !('member' in edit) && !isSameJson(getExistingValue(current, toNamedPath(edit)), edit.value)

/** Name of a setting for the user: path, matched list element, and the file unless it is the tool's main file. */
export function settingName({ path, element }: NamedPath, fileId: string): string {
  const name = path.join('.') + (element ? `[${Object.values(element).join(', ')}]` : '')
  return fileId === 'settings' ? name : `${fileId}: ${name}`
}

type NamedPath = { readonly path: readonly string[]; readonly element?: Match | undefined }

export const toNamedPath = (edit: Edit | OwnedEdit): NamedPath =>
  'element' in edit ? { path: edit.path, element: edit.element } : { path: edit.path }

export const editName = (edit: Edit | OwnedEdit, fileId: string): string => settingName(toNamedPath(edit), fileId)

/** Edits with their secrets as plain text, for writing and comparing. No other file reveals secrets of edits. */
export function exposeEdits(edits: readonly Edit[]): OwnedEdit[] {
  return edits.map((edit) => ('member' in edit ? edit : { ...edit, value: exposeValue(edit.value) }))
}

/** Whether an edit contains a secret at any depth. */
export const holdsSecret = (edit: Edit): boolean => 'value' in edit && isSecretIn(edit.value)

export const keyContent = (key: Secret): Content => new Content(key.expose())

/** Plain text of a secret, to exclude it from backups. */
export const keyText = (key: Secret): string => key.expose()

function exposeValue(value: EditValue): Json | undefined {
  if (value instanceof Secret) return value.expose()
  if (isList(value)) return value.map((item) => exposeValue(item) ?? null)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, exposeValue(inner)] as const)
  return Object.fromEntries(entries.flatMap(([name, inner]) => (inner === undefined ? [] : [[name, inner]])))
}

function isSecretIn(value: EditValue): boolean {
  if (value instanceof Secret) return true
  if (isList(value)) return value.some(isSecretIn)
  return typeof value === 'object' && value !== null && Object.values(value).some(isSecretIn)
}

const isList = (value: EditValue): value is readonly EditValue[] => Array.isArray(value)
