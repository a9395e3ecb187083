import type { Route } from '@shared/contract/tools'
import type { EngineContext } from '../core/environment'
import { type Content, computeHash } from '../core/files/files'
import { requestAddress } from '../core/net/address'
import type { Json } from './editors/editor'
import { type Baseline, isFrame, type StartingFile } from './file-baseline'
import type { FileRecord, Journal } from './journal'
import { type OwnedEdit, ownedSettings } from './owned-settings'
import type { TargetInput, WrittenTarget } from './target'
import { backupName } from './tool-backup'

/** A file that contains only the key. `isNew`: no earlier apply wrote the same content. */
export type KeyFile = {
  readonly path: string
  readonly content: Content
  readonly digest: string
  readonly isNew: boolean
}

/** Copy of a file with comments, which the tool's strict format does not allow. `isNew`: no earlier apply wrote it. */
export type CommentsCopy = { readonly path: string; readonly content: Content; readonly isNew: boolean }

export type ApplyInput = {
  readonly target: WrittenTarget
  readonly input: TargetInput
  readonly start: Baseline
  readonly place: EngineContext
  readonly mayMoveComments: boolean
  readonly keep: readonly string[]
  readonly settingsToRemove: readonly string[]
}

export type NewFile = {
  readonly start: StartingFile
  readonly original: Uint8Array | undefined
  /** Current settings of the file, without those that this app wrote. */
  readonly current: Json
  readonly edits: readonly OwnedEdit[]
  /** New content of the file. Undefined when the file must not exist. */
  readonly after: Content | undefined
  readonly holdsKey: boolean
  /** Whether the original contains comments or trailing commas that the tool cannot parse. */
  readonly movesComments: boolean
  readonly mode: number
  readonly copy: CommentsCopy | undefined
  readonly newFolders: readonly string[]
}

export type ApplyDraft = ApplyInput & {
  readonly planId: string
  readonly keyId: string | undefined
  readonly route: Route
  /** Files in the order in which they are written. */
  readonly files: readonly NewFile[]
  readonly keyFile: KeyFile | undefined
  /** Digest of the key, if one of the files contains it in plain text. */
  readonly keyDigest: string | undefined
  readonly salt: string
}

/** Builds the journal of an apply. It is written before the files, so it must be valid if the apply is interrupted. */
export function buildJournal(application: ApplyDraft): Journal {
  const { target, input, planId, keyId, route, start, files, keyFile, place, salt, keyDigest, keep } = application
  const fileIds = target.files.map(({ id }) => id)
  const abandonedFiles = (start.journal?.files ?? []).filter(({ id }) => !fileIds.includes(id))
  const oldKeyFiles = (start.journal?.keyFiles ?? []).filter(({ path }) => path !== keyFile?.path)
  const base = target.base(input.gatewayUrl)
  return {
    version: 2,
    toolId: target.id,
    site: place.site,
    at: place.clock().toISOString(),
    choice: {
      planId,
      ...(keyId === undefined ? {} : { keyId }),
      modelCode: input.modelCode,
      slots: { ...input.slots },
      delivery: input.delivery,
      route,
      base,
      requestAddress: target.requestSuffix === '' ? base : requestAddress(base, target.requestSuffix),
    },
    files: [
      ...abandonedFiles,
      ...files.filter(({ edits }) => edits.length > 0).map((file) => toFileRecord(file, salt)),
    ],
    salt,
    keyFiles: [
      ...(keyFile ? [{ path: keyFile.path, digest: keyFile.digest }] : []),
      ...oldKeyFiles.map(({ path }) => ({ path })),
    ],
    ...(keyDigest === undefined ? {} : { keyDigest }),
    ceded: [...keep],
  }
}

function toFileRecord({ start, original, after, copy, edits, mode, newFolders }: NewFile, salt: string): FileRecord {
  const { hash } = start.snapshot
  const previousSettings = start.isElsewhere ? [] : (start.record ?? [])
  // After a crash, the file may have the new content, or that of an earlier apply with the same original.
  const hashesBefore = start.holdsOurs && !start.isElsewhere && hash !== undefined ? [hash] : []
  const ownSettings = ownedSettings(edits, salt)
  const foreignFrames = start.creators.flatMap(({ owned }) => owned.filter(isFrame))
  const settingsByPath = new Map(foreignFrames.map((setting) => [setting.path.join(), setting]))
  for (const { path } of ownSettings) settingsByPath.delete(path.join())
  return {
    id: start.file.id,
    format: start.file.format,
    path: start.snapshot.path,
    realPath: start.snapshot.realPath,
    existed: original !== undefined && start.creators.length === 0,
    ...(original !== undefined && start.originalMode !== undefined ? { mode: start.originalMode } : {}),
    writtenMode: mode,
    ...(original === undefined ? {} : { backup: { file: backupName(original), hash: computeHash(original) } }),
    createdFolders: [
      ...new Set([
        ...start.creators.concat(previousSettings).flatMap(({ createdFolders }) => createdFolders),
        ...newFolders,
      ]),
    ],
    found: [...new Set([...(after === undefined ? [] : [after.hash]), ...hashesBefore])],
    owned: [...ownSettings, ...settingsByPath.values()],
    ...(copy ? { commentsCopy: { path: copy.path, hash: copy.content.hash } } : {}),
  }
}
