import type { FileChange, ToolChanges, ToolWarning } from '@shared/contract/tools'
import type { EngineContext, ToolEnvironment } from '../core/environment'
import { computeHash, type Snapshot, type Step } from '../core/files/files'
import type { ApplyDraft } from './apply-draft'
import { type Format, isJsonObject, type Json } from './editors/editor'
import { type OriginalContent, parseLeniently } from './file-baseline'
import { computeDigest, type FileRecord, type Journal, toKeyRef } from './journal'
import { getExistingValue, keyText } from './owned-settings'
import type { SettingsByFile, TargetFile, WrittenTarget } from './target'
import { type Backup, createBackup, type OwnSecret } from './tool-backup'

/** State of a file when the change was planned. The write fails if it differs. Null hash: there was no file. */
export type Precondition = { readonly path: string; readonly realPath: string; readonly hash: string | null }

/** Content of a file before and after a write. If there is no file, `before` is undefined and `after` is null. */
export type UndoFile = {
  readonly path: string
  readonly realPath: string
  readonly format: Format
  readonly before: Backup | undefined
  readonly after: string | null
}

/** Undo data of a plan, saved in the history before the first step. */
type UndoData = {
  readonly journal: Journal | undefined
  readonly files: readonly UndoFile[]
  readonly next: Journal | undefined
  /** Folders and key files that the plan creates. */
  readonly newFolders: readonly string[]
  readonly newKeyFiles: readonly string[]
}

/** Planned changes of one tool in one scope (user, project or WSL). Nothing is written before `commit`. */
export type ChangeSet = {
  readonly kind: ToolChanges['kind'] | 'letGo'
  readonly toolId: string
  readonly place: EngineContext
  readonly files: readonly FileChange[]
  readonly warnings: readonly ToolWarning[]
  readonly base?: string
  readonly requestAddress?: string
  readonly preconditions: readonly Precondition[]
  /** File changes, in an order that allows an undo after a crash between any two of them. */
  readonly steps: readonly Step[]
  /** Cleanup after the file changes. A failure here does not affect the tool. */
  readonly tidying: readonly Step[]
  readonly past: UndoData
}

export type FileRestore = {
  readonly record: FileRecord
  readonly restorations: readonly OriginalContent[]
  /** Copy with the original comments of a file. Empty if this app may not remove the copy. */
  readonly copy: readonly Snapshot[]
}

export function buildApplyUndo(application: ApplyDraft, newJournal: Journal): UndoData {
  const { target, start, files, keyFile, place } = application
  const { journal } = start
  const secret = findOwnSecret(start.files, target, journal, place.environment)
  const fileChanges = files.map(({ start: { snapshot, file }, after }) =>
    toFileChange(snapshot, { after: after?.hash ?? null, secret, format: file.format }),
  )
  const otherChanges = files.flatMap(({ start: { file, restorations, isElsewhere, snapshot } }) =>
    restorations
      .filter(({ touched, snapshot: { realPath } }) => isElsewhere && touched && realPath !== snapshot.realPath)
      .map((restoration) => restoredFile(restoration, { secret, format: file.format })),
  )
  const commentsCopies = files.flatMap(({ copy }) =>
    copy?.isNew
      ? [toFileChange({ path: copy.path, realPath: copy.path }, { ...commentsCopyOptions, after: copy.content.hash })]
      : [],
  )
  return {
    journal,
    next: newJournal,
    files: [...fileChanges, ...otherChanges, ...commentsCopies],
    newFolders: files.flatMap(({ newFolders }) => newFolders),
    newKeyFiles: keyFile?.isNew ? [keyFile.path] : [],
  }
}

export function buildRestoreUndo(
  target: WrittenTarget,
  journal: Journal,
  undoings: readonly FileRestore[],
  environment: ToolEnvironment,
): UndoData {
  const snapshots = undoings.flatMap(({ record, restorations: [firstRestoration] }) => {
    const file = target.files.find(({ id }) => id === record.id)
    return file && firstRestoration ? [{ file, snapshot: firstRestoration.snapshot }] : []
  })
  const secret = findOwnSecret(snapshots, target, journal, environment)
  const restoredChanges = undoings.flatMap(({ record: { format }, restorations }) =>
    restorations.filter(({ touched }) => touched).map((restoration) => restoredFile(restoration, { secret, format })),
  )
  const commentsCopies = undoings.flatMap(({ copy }) =>
    copy.map((snapshot) => toFileChange(snapshot, { ...commentsCopyOptions, after: null })),
  )
  const files = [...restoredChanges, ...commentsCopies]
  return { journal, next: undefined, files, newFolders: [], newKeyFiles: [] }
}

type BackupOptions = { readonly secret: OwnSecret | undefined; readonly format: Format }

const commentsCopyOptions: BackupOptions = { secret: undefined, format: 'jsonc' }

export function toFileChange(
  snapshot: Snapshot,
  { after, secret, format }: BackupOptions & { readonly after: string | null },
): UndoFile {
  const { path, realPath } = snapshot
  return { path, realPath, format, before: createBackup(snapshot, secret), after }
}

export const restoredFile = ({ snapshot, bytes }: OriginalContent, options: BackupOptions): UndoFile =>
  toFileChange(snapshot, { ...options, after: bytes === undefined ? null : computeHash(bytes) })

/** Finds the plain-text key in the settings that we wrote or that the tool reads, to omit it from backups. */
export function findOwnSecret(
  files: readonly { readonly file: TargetFile; readonly snapshot: Snapshot }[],
  target: WrittenTarget,
  journal: Journal | undefined,
  environment: ToolEnvironment,
): OwnSecret | undefined {
  if (journal?.keyDigest === undefined) return undefined
  const settings: SettingsByFile = Object.fromEntries(
    files.map(({ file, snapshot }) => [file.id, parseLeniently(file.format, snapshot.bytes)]),
  )
  const { credential } = target.readBack(settings, environment)
  const writtenCredentials = journal.files.flatMap(({ id, owned }) =>
    owned.filter(({ role }) => role === 'credential').map((setting) => getExistingValue(settings[id] ?? {}, setting)),
  )
  const candidates = [...writtenCredentials, credential?.kind === 'plain' ? keyText(credential.text) : undefined]
  const text = candidates.map((value) => findOwnKey(value, journal)).find((key) => key !== undefined)
  return text === undefined ? undefined : { text, ref: toKeyRef(journal) }
}

/** Finds the plain-text key that we wrote in a value, by its digest. */
export function findOwnKey(value: Json | undefined, journal: Journal | undefined): string | undefined {
  const { keyDigest, salt } = journal ?? {}
  if (keyDigest === undefined || salt === undefined || value === undefined) return undefined
  return listTexts(value).find((text) => computeDigest(computeHash(text), salt) === keyDigest)
}

function listTexts(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(listTexts)
  return isJsonObject(value) ? Object.values(value).flatMap(listTexts) : []
}
