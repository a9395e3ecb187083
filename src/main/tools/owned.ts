import type { JsonEdit } from './editors/json'
import { RawJson } from './editors/json-changes'
import { type Json, valueAt } from './editors/json-value'
import { digestOf, type OwnedSetting } from './journal'
import type { Edit } from './target'

/** An edit with its secret laid open: it exists only while a file is computed or compared. */
export type OpenEdit = JsonEdit & Pick<Edit, 'role'>

/** The edits as a journal remembers them: digests instead of values. */
export function ownedSettings(edits: readonly OpenEdit[], salt: string): OwnedSetting[] {
  return edits.map((edit) => {
    const base = { path: [...edit.path], ...(edit.role ? { role: edit.role } : {}) }
    if ('member' in edit) return { ...base, member: edit.member, present: edit.present }
    const value = edit.value instanceof RawJson ? edit.value.value : edit.value
    return value === undefined ? base : { ...base, digest: digestOf(value, salt) }
  })
}

/** True when a setting still is as we wrote it. A list that does not exist owes us nothing. */
export function isAsWritten(setting: OwnedSetting, current: Json, salt: string): boolean {
  const value = valueAt(current, setting.path)
  if (setting.member !== undefined)
    return !Array.isArray(value) || value.includes(setting.member) === (setting.present ?? true)
  if (value === undefined || setting.digest === undefined) return value === undefined && setting.digest === undefined
  return digestOf(value, salt) === setting.digest
}

/** True when the address or the credential in these settings is still ours. */
export function holdsOurs(owned: readonly OwnedSetting[], current: Json, salt: string): boolean {
  return owned.some((setting) => setting.role !== undefined && isAsWritten(setting, current, salt))
}

/** A setting's name as a person reads it. */
export function dotted({ path }: Pick<OwnedSetting, 'path'>): string {
  return path.join('.')
}
