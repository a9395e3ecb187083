import { isBlankJson, parseJson, removeJson, toStrictJson } from './editors/json'
import { type Json, valueAt } from './editors/json-value'
import { refusalOf } from './file-errors'
import { readSnapshot, type Snapshot, textOf } from './files'
import { type Journal, type OwnedSetting, readBackup } from './journal'
import { holdsOurs, isAsWritten } from './owned'
import type { Place } from './plan'
import type { Target } from './target'

/** What a file becomes without us. `bytes` undefined: no file. `exact`: to the byte what was there before us. */
export type Restoration = {
  readonly snapshot: Snapshot
  readonly touched: boolean
  readonly exact: boolean
  readonly bytes: Uint8Array | undefined
}

/**
 * Every file that may hold our settings, and what it becomes without them, the one that we wrote first: that one, where
 * its path leads now, and the file that the tool would be given now (a settings file may have been renamed or copied).
 */
export async function restorationsOf(target: Target, journal: Journal, place: Place): Promise<Restoration[]> {
  const original = await readBackup(journal, place)
  const files = new Map<string, Snapshot>()
  for (const path of [journal.realPath, journal.path, target.file(place.environment)]) {
    const snapshot = await readSnapshot(path, place.disk)
    const known = files.get(snapshot.realPath)
    files.set(snapshot.realPath, known ? { ...known, path } : snapshot)
  }
  return [...files.values()].map((snapshot) => restorationOf(snapshot, { target, journal, original }))
}

type Past = { readonly target: Target; readonly journal: Journal; readonly original: Uint8Array | undefined }

function restorationOf(snapshot: Snapshot, past: Past): Restoration {
  const { journal, original } = past
  const { bytes, hash } = snapshot
  if (bytes === undefined || hash === undefined || hash === journal.backup?.hash)
    return { snapshot, touched: false, exact: true, bytes }
  if (journal.found.includes(hash)) return { snapshot, touched: true, exact: true, bytes: original }
  const left = withoutUs(snapshot, past)
  if (left === 'untouched') return { snapshot, touched: false, exact: false, bytes }
  const restored = left === undefined ? undefined : Buffer.from(left)
  const exact = restored === undefined || (original !== undefined && restored.equals(original))
  return { snapshot, touched: true, exact, bytes: restored }
}

/** The text of a file that was changed since, without our settings; undefined when nothing but ours was in it. */
function withoutUs(snapshot: Snapshot, past: Past): string | undefined | 'untouched' {
  const { journal, original } = past
  const isPrimary = snapshot.realPath === journal.realPath
  const text = textOf(snapshot) ?? ''
  const parsed = parseJson(text, { strict: false })
  if (!parsed.ok) {
    if (!isPrimary) return 'untouched'
    throw refusalOf(parsed.error, snapshot.path)
  }
  const owned = settingsToPutBack(parsed.value, past)
  if (!isPrimary && !holdsOurs(journal.owned, parsed.value, journal.salt)) return 'untouched'

  const before = textOf({ path: snapshot.path, bytes: original })
  const reference = before !== undefined && journal.commentsCopy ? toStrictJson(before) : before
  const result = removeJson(text, owned, reference)
  if (result === reference) return before
  if (!journal.existed && isBlankJson(result)) return undefined
  return result === text ? 'untouched' : result
}

/**
 * While the address or the credential is ours, all of ours goes, so that neither is left without the other; what the
 * user chose for something else stays. When both are somebody else's, only what still is as we wrote it goes.
 */
function settingsToPutBack(current: Json, { target, journal }: Past): OwnedSetting[] {
  const { owned, salt } = journal
  if (!holdsOurs(owned, current, salt))
    return owned.filter((setting) => hasValue(setting) && isAsWritten(setting, current, salt))
  return owned.filter((setting) => {
    const value = valueAt(current, setting.path)
    return value === undefined || isAsWritten(setting, current, salt) || !target.isUsersOwn?.(setting.path, value)
  })
}

const hasValue = (setting: OwnedSetting): boolean => setting.digest !== undefined || setting.member !== undefined
