import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { editors } from './editors'
import type { Json } from './editors/editor'
import type { EngineContext } from './environment'
import { decodeText, readSnapshot, type Snapshot, toFileError } from './files'
import { type FileRecord, type Journal, type OwnedSetting, readJournal } from './journal'
import { foundAt, holdsOurs, isAsWritten, settingName } from './owned-settings'
import type { TargetFile, WrittenTarget } from './target'
import { backupFolder } from './tool-backup'

/** What applying starts from in one file: the file now, and what it would be without us. */
export type StartingFile = {
  readonly file: TargetFile
  readonly snapshot: Snapshot
  /** The file without us; undefined: no file. */
  readonly original: Uint8Array | undefined
  readonly originalMode: number | undefined
  /** True when `snapshot` may hold our settings. */
  readonly holdsOurs: boolean
  /** What we did to it before. */
  readonly record: FileRecord | undefined
  readonly restorations: readonly OriginalContent[]
  /** True when our settings are, wholly or also, in another file than the one to write now. */
  readonly isElsewhere: boolean
}

/** What applying starts from in all files of a tool. */
export type Baseline = {
  /** `journalHash` null: nothing was done before. */
  readonly journal: Journal | undefined
  readonly journalHash: string | null
  readonly files: readonly StartingFile[]
}

/** Reads where things stand, so that applying twice is applying once and a switch leaves nothing behind. */
export async function readBaseline(target: WrittenTarget, place: EngineContext): Promise<Baseline> {
  const { journal, hash: journalHash } = await readJournal(target.id, place)
  const files = await Promise.all(target.files.map((file) => startingFileOf(file, { target, journal }, place)))
  return { journal, journalHash, files: files.flatMap((file) => file ?? []) }
}

type BaselineContext = { readonly target: WrittenTarget; readonly journal: Journal | undefined }

async function startingFileOf(
  file: TargetFile,
  { target, journal }: BaselineContext,
  place: EngineContext,
): Promise<StartingFile | undefined> {
  const path = file.path(place.environment)
  if (path === undefined) return undefined
  const snapshot = await readSnapshot(path, place.disk)
  const record = journal?.files.find(({ id }) => id === file.id)
  if (journal === undefined || record === undefined)
    return { file, snapshot, ...untouched(snapshot), record, restorations: [], isElsewhere: false }

  const restorations = await readOriginalContents({ target, journal, record }, place)
  const here = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const touchedElsewhere = restorations.some((restoration) => restoration.touched && restoration !== here)
  const isElsewhere = touchedElsewhere || record.realPath !== snapshot.realPath
  return {
    file,
    snapshot,
    original: here?.bytes,
    originalMode: isElsewhere ? snapshot.mode : (modeWithoutUs(snapshot, record) ?? snapshot.mode),
    holdsOurs: here?.touched ?? false,
    record,
    restorations,
    isElsewhere,
  }
}

const untouched = (snapshot: Snapshot): Pick<StartingFile, 'original' | 'originalMode' | 'holdsOurs'> => ({
  original: snapshot.bytes,
  originalMode: snapshot.mode,
  holdsOurs: false,
})

function modeWithoutUs({ mode }: Snapshot, record: FileRecord): number | undefined {
  return mode === undefined || mode === record.writtenMode ? record.mode : mode
}

/** What a file becomes without us. `bytes` undefined: no file. `exact`: to the byte what was there before us. */
export type OriginalContent = {
  readonly snapshot: Snapshot
  readonly touched: boolean
  readonly exact: boolean
  readonly bytes: Uint8Array | undefined
  /** Settings of ours that were changed since; the values that they have now are lost. */
  readonly replaced?: readonly string[]
}

/** What was done to one file of a tool. */
type Done = { readonly target: WrittenTarget; readonly journal: Journal; readonly record: FileRecord }

/**
 * Every file that may hold our settings, and what it becomes without them, the one that we wrote first: that one, where
 * its path leads now, and the file that the tool would be given now (a settings file may have been renamed or copied).
 */
export async function readOriginalContents(done: Done, place: EngineContext): Promise<OriginalContent[]> {
  const { target, record } = done
  const original = await readBackup(record, place)
  const now = target.files.find(({ id }) => id === record.id)?.path(place.environment)
  const files = new Map<string, Snapshot>()
  for (const path of [record.realPath, record.path, ...(now === undefined ? [] : [now])]) {
    const snapshot = await readSnapshot(path, place.disk)
    const known = files.get(snapshot.realPath)
    files.set(snapshot.realPath, known ? { ...known, path } : snapshot)
  }
  return [...files.values()].map((snapshot) => restorationOf(snapshot, { ...done, original }))
}

type RestoreInput = Done & { readonly original: Uint8Array | undefined }

function restorationOf(snapshot: Snapshot, input: RestoreInput): OriginalContent {
  const { record, original } = input
  const { bytes, hash } = snapshot
  if (bytes === undefined || hash === undefined || hash === record.backup?.hash)
    return { snapshot, touched: false, exact: true, bytes }
  if (record.found.includes(hash)) return { snapshot, touched: true, exact: true, bytes: original }
  const left = withoutUs(snapshot, input)
  if (left === 'untouched') return { snapshot, touched: false, exact: false, bytes }
  const restored = left === undefined ? undefined : Buffer.from(left)
  const exact = restored === undefined || (original !== undefined && restored.equals(original))
  return { snapshot, touched: true, exact, bytes: restored, replaced: changedSince(snapshot, input) }
}

/** The text of a file that was changed since, without our settings; undefined when nothing but ours was in it. */
function withoutUs(snapshot: Snapshot, input: RestoreInput): string | undefined | 'untouched' {
  const { journal, record, original } = input
  const { parse, remove, isBlank } = editors[lenient(record.format)]
  const { toStrict } = editors[record.format]
  const isPrimary = snapshot.realPath === record.realPath
  const text = decodeText(snapshot) ?? ''
  const parsed = parse(text)
  if (!parsed.ok) {
    if (!isPrimary) return 'untouched'
    throw toFileError(parsed.error, snapshot.path)
  }
  const owned = settingsToPutBack(parsed.value, input)
  if (!isPrimary && !holdsOurs(record.owned, parsed.value, journal.salt)) return 'untouched'

  const before = decodeText({ path: snapshot.path, bytes: original })
  const reference = before !== undefined && record.commentsCopy ? (toStrict?.(before) ?? before) : before
  const bare = remove(text, owned, reference)
  if (bare === reference) return before
  if (!record.existed && isBlank(bare)) return undefined
  const result = remove(
    text,
    owned.filter((setting) => !isFrame(setting)),
    reference,
  )
  return result === text ? 'untouched' : result
}

/** The settings that somebody else changed and that go back to what they were before us. */
function changedSince(snapshot: Snapshot, input: RestoreInput): string[] {
  const parsed = editors[lenient(input.record.format)].parse(decodeText(snapshot) ?? '')
  if (!parsed.ok) return []
  return settingsToPutBack(parsed.value, input)
    .filter((setting) => setting.member === undefined && foundAt(parsed.value, setting) !== undefined)
    .filter((setting) => !isAsWritten(setting, parsed.value, input.journal.salt))
    .map((setting) => settingName(setting, input.record.id))
}

/** What a tool's file must have whatever else is in it, such as its version: it stays with what others put there. */
const isFrame = ({ isVolatile, path, element }: OwnedSetting): boolean =>
  isVolatile === true && path.length === 1 && element === undefined

/** Undoing reads what its tool's own parser would refuse: a comment by hand shall not keep our settings in the file. */
export const lenient = (format: FileRecord['format']): FileRecord['format'] => (format === 'json' ? 'jsonc' : format)

/**
 * While the address or the credential is ours, all of ours goes, so that neither is left without the other; what the
 * user chose for something else stays. When both are somebody else's, only what still is as we wrote it goes.
 */
function settingsToPutBack(current: Json, { target, journal, record }: RestoreInput): OwnedSetting[] {
  const { owned, id } = record
  const file = target.files.find((each) => each.id === id)
  const isFree = !owned.some(({ role }) => role !== undefined)
  if (isFree || !holdsOurs(owned, current, journal.salt))
    return owned.filter(
      (setting) => hasValue(setting) && (setting.element !== undefined || isAsWritten(setting, current, journal.salt)),
    )
  return owned.filter((setting) => {
    const value = foundAt(current, setting)
    return (
      value === undefined || isAsWritten(setting, current, journal.salt) || !file?.isUsersOwn?.(setting.path, value)
    )
  })
}

const hasValue = (setting: OwnedSetting): boolean =>
  setting.digest !== undefined || setting.member !== undefined || setting.isVolatile === true

/** The original bytes that a record keeps; undefined when there was no file. Lost or damaged: `file.unreadable`. */
async function readBackup({ path, backup }: FileRecord, place: EngineContext): Promise<Uint8Array | undefined> {
  if (backup === undefined) return undefined
  const kept = join(backupFolder(place), backup.file)
  const { bytes, hash } = await readSnapshot(kept, place.disk)
  if (bytes !== undefined && hash === backup.hash) return bytes
  throw new AppError('file.unreadable', `The backup of ${path} is missing or damaged: ${kept}. Nothing was written.`)
}
