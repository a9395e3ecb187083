import { join } from 'node:path'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { decodeText, readSnapshot, type Snapshot, toFileError } from '../core/files/files'
import { editors } from './editors'
import type { Json } from './editors/editor'
import { backupFolder, type FileRecord, type Journal, listFileRecords, type OwnedSetting, readJournal } from './journal'
import { getExistingValue, hasOurSettings, isUnchangedSinceWrite, settingName } from './owned-settings'
import type { TargetFile, WrittenTarget } from './target'

/** A settings file before a write, with the user's content without our settings. */
export type StartingFile = {
  readonly file: TargetFile
  readonly snapshot: Snapshot
  /** Original content. Undefined when the file did not exist. */
  readonly original: Uint8Array | undefined
  readonly originalMode: number | undefined
  /** Whether the file currently contains our settings. */
  readonly holdsOurs: boolean
  /** Record of the last write of this file by this app. */
  readonly record: FileRecord | undefined
  /** Records of this file by all tools, if this app created it. */
  readonly creators: readonly FileRecord[]
  readonly restorations: readonly OriginalContent[]
  /** Whether another file also contains our settings, for example because the settings file was moved or copied. */
  readonly isElsewhere: boolean
}

export type Baseline = {
  /** Journal of the tool, if any, and the hash of its file. The hash is null before the first apply. */
  readonly journal?: Journal | undefined
  readonly hash: string | null
  readonly files: readonly StartingFile[]
}

/** Reads the state before an apply, without our settings. So an apply is idempotent and leaves no old settings. */
export async function readBaseline(target: WrittenTarget, context: EngineContext): Promise<Baseline> {
  const { journal, hash } = await readJournal(target.id, context)
  const files = await Promise.all(target.files.map((file) => readStartingFile(file, target, journal, context)))
  return { journal, hash, files: files.flatMap((file) => file ?? []) }
}

async function readStartingFile(
  file: TargetFile,
  target: WrittenTarget,
  journal: Journal | undefined,
  context: EngineContext,
): Promise<StartingFile | undefined> {
  const path = file.path(context.environment)
  if (path === undefined) return undefined
  const snapshot = await readSnapshot(path, context.disk)
  const record = journal?.files.find(({ id }) => id === file.id)
  const creators =
    snapshot.hash === undefined ? [] : listFileRecords(snapshot.realPath, context).filter(({ existed }) => !existed)
  const restorations = journal && record ? await readOriginalContents({ target, journal, record }, context) : []
  const existingRestoration = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const isMoved = restorations.some((restoration) => restoration.touched && restoration !== existingRestoration)
  const isElsewhere = isMoved || (record !== undefined && record.realPath !== snapshot.realPath)
  const isOwnMode = snapshot.mode === undefined || snapshot.mode === record?.writtenMode
  return {
    file,
    snapshot,
    original: existingRestoration ? existingRestoration.bytes : snapshot.bytes,
    originalMode: (isOwnMode && !isElsewhere ? record?.mode : undefined) ?? snapshot.mode,
    holdsOurs: existingRestoration?.touched ?? false,
    record,
    creators,
    restorations,
    isElsewhere,
  }
}

/** File content after restore. `bytes`: undefined if the file is deleted. `exact`: byte-identical to the original. */
export type OriginalContent = {
  readonly snapshot: Snapshot
  readonly touched: boolean
  readonly exact: boolean
  readonly bytes: Uint8Array | undefined
  /** Names of our settings that someone changed after our write. Restoring discards their current values. */
  readonly replaced?: readonly string[]
}

type WrittenFile = { readonly target: WrittenTarget; readonly journal: Journal; readonly record: FileRecord }

/**
 * Restored contents of all files that contain our settings: the path that was written, its link target, and the
 * tool's current file. They can differ because files are moved or copied. The written path comes first.
 */
export async function readOriginalContents(written: WrittenFile, context: EngineContext): Promise<OriginalContent[]> {
  const { target, record } = written
  const original = await readBackup(record, context)
  const currentPath = target.files.find(({ id }) => id === record.id)?.path(context.environment)
  const files = new Map<string, Snapshot>()
  for (const path of [record.realPath, record.path, ...(currentPath === undefined ? [] : [currentPath])]) {
    const snapshot = await readSnapshot(path, context.disk)
    const knownFile = files.get(snapshot.realPath)
    files.set(snapshot.realPath, knownFile ? { ...knownFile, path } : snapshot)
  }
  return [...files.values()].map((snapshot) => buildRestoration(snapshot, { ...written, original }))
}

type RestoreInput = WrittenFile & { readonly original: Uint8Array | undefined }

function buildRestoration(snapshot: Snapshot, input: RestoreInput): OriginalContent {
  const { record, original } = input
  const { bytes, hash } = snapshot
  if (bytes === undefined || hash === undefined || hash === record.backup?.hash)
    return { snapshot, touched: false, exact: true, bytes }
  if (record.found.includes(hash)) return { snapshot, touched: true, exact: true, bytes: original }
  const remainingText = removeOwnSettings(snapshot, input)
  if (remainingText === 'untouched') return { snapshot, touched: false, exact: false, bytes }
  const restoredBytes = remainingText === undefined ? undefined : Buffer.from(remainingText)
  const exact = restoredBytes === undefined || (original !== undefined && restoredBytes.equals(original))
  const currentValues = parseLeniently(record.format, decodeText(snapshot))
  const replaced = listSettingsToRestore(currentValues, input)
    .filter((setting) => setting.member === undefined && getExistingValue(currentValues, setting) !== undefined)
    .filter((setting) => !isUnchangedSinceWrite(setting, currentValues, input.journal.salt))
    .map((setting) => settingName(setting, record.id))
  return { snapshot, touched: true, exact, bytes: restoredBytes, replaced }
}

/** Text of a changed file without our settings. Undefined if nothing else is in it. */
function removeOwnSettings(snapshot: Snapshot, input: RestoreInput): string | undefined | 'untouched' {
  const { journal, record, original } = input
  const { parse, remove, isBlank } = editors[toLenientFormat(record.format)]
  const { toStrict } = editors[record.format]
  const isPrimary = snapshot.realPath === record.realPath
  const text = decodeText(snapshot) ?? ''
  const parsedDocument = parse(text)
  if (!parsedDocument.ok) {
    if (!isPrimary) return 'untouched'
    throw toFileError(parsedDocument.error, snapshot.path)
  }
  const settingsToRestore = listSettingsToRestore(parsedDocument.value, input)
  if (!isPrimary && !hasOurSettings(record.owned, parsedDocument.value, journal.salt)) return 'untouched'

  const originalText = decodeText({ path: snapshot.path, bytes: original })
  const reference =
    originalText !== undefined && record.commentsCopy ? (toStrict?.(originalText) ?? originalText) : originalText
  const textAfterRemoval = remove(text, settingsToRestore, reference)
  if (textAfterRemoval === reference) return originalText
  if (!record.existed && isBlank(remove(text, settingsToRestore, undefined))) return undefined
  const result = remove(
    text,
    settingsToRestore.filter((setting) => !isFrame(setting)),
    reference,
  )
  return result === text ? 'untouched' : result
}

/** Whether the file format requires a setting, such as the version. It stays if others have added settings. */
export const isFrame = ({ isVolatile, path, element }: OwnedSetting): boolean =>
  isVolatile === true && path.length === 1 && element === undefined

/** Format for parsing during an undo. It allows comments, so that a comment in strict JSON cannot block the undo. */
export const toLenientFormat = (format: FileRecord['format']): FileRecord['format'] =>
  format === 'json' ? 'jsonc' : format

/** Settings in a file's content, or none if it is missing or invalid. */
export function parseLeniently(format: FileRecord['format'], content: string | Uint8Array | undefined): Json {
  const parsedDocument = editors[toLenientFormat(format)].parse(Buffer.from(content ?? '').toString())
  return parsedDocument.ok ? parsedDocument.value : {}
}

/** All our settings if address or credential is still ours, so that neither is left alone. Otherwise unchanged ones. */
function listSettingsToRestore(current: Json, { target, journal, record }: RestoreInput): OwnedSetting[] {
  const { owned, id } = record
  const file = target.files.find((candidate) => candidate.id === id)
  const isUnchanged = (setting: OwnedSetting): boolean => isUnchangedSinceWrite(setting, current, journal.salt)
  if (hasOurSettings(owned, current, journal.salt))
    return owned.filter((setting) => {
      const value = getExistingValue(current, setting)
      return value === undefined || isUnchanged(setting) || !file?.isUsersOwn?.(setting.path, value)
    })
  return owned.filter((setting) => {
    const hasValue = setting.digest !== undefined || setting.member !== undefined || setting.isVolatile === true
    return hasValue && (setting.element !== undefined || isUnchanged(setting))
  })
}

/** Original bytes of a file. Undefined if it did not exist. Throws `file.unreadable` if the backup is damaged. */
async function readBackup({ path, backup }: FileRecord, context: EngineContext): Promise<Uint8Array | undefined> {
  if (backup === undefined) return undefined
  const backupPath = join(backupFolder(context), backup.file)
  const { bytes, hash } = await readSnapshot(backupPath, context.disk)
  if (bytes !== undefined && hash === backup.hash) return bytes
  const message = `The backup of ${path} is missing or damaged: ${backupPath}. Nothing was written.`
  throw new AppError('file.unreadable', message)
}
