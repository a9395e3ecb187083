import type { Route } from '@shared/contract/tools'
import { requestAddress } from '../gateway/address'
import type { Json } from './editors/editor'
import type { EngineContext } from './environment'
import type { Baseline, StartingFile } from './file-baseline'
import { type Content, computeHash } from './files'
import type { FileRecord, Journal } from './journal'
import { type OwnedEdit, ownedSettings } from './owned-settings'
import type { TargetInput, WrittenTarget } from './target'
import { backupName } from './tool-backup'

/** The file that holds nothing but the key; `isNew` unless an earlier apply wrote the same. */
export type KeyFile = {
  readonly path: string
  readonly content: Content
  readonly digest: string
  readonly isNew: boolean
}

/** The commented original beside a file that has to become strict; `isNew` unless an earlier apply put it there. */
export type CommentsCopy = { readonly path: string; readonly content: Content; readonly isNew: boolean }

/** What an apply starts from. */
export type ApplyInput = {
  readonly target: WrittenTarget
  readonly input: TargetInput
  readonly start: Baseline
  readonly place: EngineContext
  readonly mayMoveComments: boolean
  readonly keep: readonly string[]
  readonly takeOut: readonly string[]
}

/** One settings file worked out: what it is without us, and what it becomes. */
export type NewFile = {
  readonly start: StartingFile
  readonly original: Uint8Array | undefined
  /** The settings without us. */
  readonly current: Json
  readonly edits: readonly OwnedEdit[]
  /** Undefined: no file. */
  readonly after: Content | undefined
  readonly holdsKey: boolean
  /** True when the original has comments or trailing commas that its tool cannot read. */
  readonly movesComments: boolean
  readonly mode: number
  readonly copy: CommentsCopy | undefined
  /** The folders that have to be made for it. */
  readonly newFolders: readonly string[]
}

/** Everything about one apply, worked out and not yet done. */
export type ApplyDraft = ApplyInput & {
  readonly planId: string
  readonly keyId: string | undefined
  readonly route: Route
  /** In the order in which they are written. */
  readonly files: readonly NewFile[]
  readonly keyFile: KeyFile | undefined
  /** The digest of a key that stands in plain text in one of the files. */
  readonly keyDigest: string | undefined
  readonly salt: string
}

/** The record of an apply: written before anything else, it must be right whether or not the rest follows. */
export function buildJournal(application: ApplyDraft): Journal {
  const { target, start, files, place, salt, keyDigest, keep } = application
  const known = target.files.map(({ id }) => id)
  const leftOver = (start.journal?.files ?? []).filter(({ id }) => !known.includes(id))
  return {
    version: 2,
    toolId: target.id,
    site: place.site,
    at: place.clock().toISOString(),
    choice: choiceOf(application),
    files: [...leftOver, ...files.filter(({ edits }) => edits.length > 0).map((file) => fileRecordOf(file, salt))],
    salt,
    keyFiles: keyFilesOf(application),
    ...(keyDigest === undefined ? {} : { keyDigest }),
    ceded: [...keep],
  }
}

/** The address that a tool is given for a gateway, and the whole one that it calls. */
function addressesOf(target: WrittenTarget, { gatewayUrl }: Pick<TargetInput, 'gatewayUrl'>) {
  const base = target.base(gatewayUrl)
  return { base, requestAddress: target.requestSuffix === '' ? base : requestAddress(base, target.requestSuffix) }
}

function choiceOf({ target, input, planId, keyId, route }: ApplyDraft): Journal['choice'] {
  const { modelCode, slots, delivery } = input
  return {
    planId,
    ...(keyId === undefined ? {} : { keyId }),
    modelCode,
    slots: { ...slots },
    delivery,
    route,
    ...addressesOf(target, input),
  }
}

function fileRecordOf(file: NewFile, salt: string): FileRecord {
  const { start, original, copy, edits, mode, newFolders } = file
  const earlier = start.isElsewhere ? undefined : start.record
  return {
    id: start.file.id,
    format: start.file.format,
    path: start.snapshot.path,
    realPath: start.snapshot.realPath,
    existed: original !== undefined,
    ...(original !== undefined && start.originalMode !== undefined ? { mode: start.originalMode } : {}),
    writtenMode: mode,
    ...(original === undefined ? {} : { backup: { file: backupName(original), hash: computeHash(original) } }),
    createdFolders: [...new Set([...(earlier?.createdFolders ?? []), ...newFolders])],
    found: foundHashes(file),
    owned: ownedSettings(edits, salt),
    ...(copy ? { commentsCopy: { path: copy.path, hash: copy.content.hash } } : {}),
  }
}

/** What the file may be after a crash: the new content, or what an earlier apply left, which has the same original. */
function foundHashes({ after, start }: NewFile): string[] {
  const { snapshot, holdsOurs, isElsewhere } = start
  const before = holdsOurs && !isElsewhere && snapshot.hash !== undefined ? [snapshot.hash] : []
  return [...new Set([...(after === undefined ? [] : [after.hash]), ...before])]
}

function keyFilesOf({ keyFile, start }: ApplyDraft): Journal['keyFiles'] {
  const earlier = start.journal?.keyFiles ?? []
  const own = keyFile === undefined ? [] : [{ path: keyFile.path, digest: keyFile.digest }]
  return [...own, ...earlier.flatMap(({ path }) => (path === keyFile?.path ? [] : [{ path }]))]
}
