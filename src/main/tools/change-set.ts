import type { FileChange, ToolChanges, ToolWarning } from '@shared/contract/tools'
import type { EngineContext, ToolEnvironment } from '../core/environment'
import { computeHash, decodeText, isReplaced, readSnapshot, type Snapshot, type Step } from '../core/files/files'
import { editors } from './editors'
import { type Format, isJsonObject, type Json } from './editors/editor'
import { parseLeniently } from './file-baseline'
import { type Backup, computeDigest, createBackup, type Journal, type OwnSecret, toKeyRef } from './journal'
import { diffLines } from './line-diff'
import { getExistingValue, keyText } from './owned-settings'
import type { SettingsByFile, TargetFile, WrittenTarget } from './target'

/** State of a file when the change was planned. The write fails if it differs. Null hash: there was no file. */
type Precondition = { readonly path: string; readonly realPath: string; readonly hash: string | null }

/** Content of a file before and after a write. If there is no file, `before` is undefined and `after` is null. */
type UndoFile = {
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

/** A file that a plan changes. `bytes`: its new content. Undefined when the file must not exist. */
export type PlannedFile = {
  readonly snapshot: Snapshot
  readonly bytes: Uint8Array | undefined
  readonly format: Format
  /** Whether the new content contains the key. */
  readonly holdsKey?: boolean
}

export const toPrecondition = ({ path, realPath, hash = null }: Precondition | Snapshot): Precondition => ({
  path,
  realPath,
  hash,
})

export function toUndoFile({ snapshot, bytes, format }: PlannedFile, secret: OwnSecret | undefined): UndoFile {
  const { path, realPath } = snapshot
  return { path, realPath, format, before: createBackup(snapshot, secret), after: bytes ? computeHash(bytes) : null }
}

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

export function toFileChange({ snapshot, bytes, format, holdsKey = false }: PlannedFile): FileChange {
  const { path, realPath } = snapshot
  const action = toAction(snapshot.hash, bytes && computeHash(bytes))
  const texts = [decodeText(snapshot), decodeText({ path, bytes })] as const
  const lines = action === 'none' ? [] : diffLines(...texts, editors[format].mask)
  return { path, action, ...(realPath === path ? {} : { linkTarget: realPath }), holdsKey, lines }
}

export async function keyFileChange(
  path: string,
  newBytes: Uint8Array | undefined,
  { disk }: EngineContext,
): Promise<FileChange> {
  const { hash } = await readSnapshot(path, disk)
  return { path, action: toAction(hash, newBytes && computeHash(newBytes)), holdsKey: true, lines: [] }
}

/** Warns of files that cannot be written in place. Replacing a file loses its owner, hard links and attributes. */
export async function replacementWarnings(steps: readonly Step[], { disk }: EngineContext): Promise<ToolWarning[]> {
  const warnings: ToolWarning[] = []
  for (const step of steps)
    if (step.kind === 'write' && step.preserve && (await isReplaced(step.path, step.mode, disk)))
      warnings.push({ code: 'fileReplaced', subject: step.path })
  return warnings
}

/** Compares the hashes of a file before and after a write. A missing file has none. */
export function toAction(oldHash: string | null = null, newHash: string | null = null): FileChange['action'] {
  if (oldHash === newHash) return 'none'
  if (oldHash === null) return 'create'
  return newHash === null ? 'delete' : 'change'
}
