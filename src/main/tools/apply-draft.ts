import { dirname, join } from 'node:path'
import type { Route } from '@shared/contract/tools'
import type { EngineContext } from '../core/environment'
import { Content, computeHash, missingFolders, type Step } from '../core/files/files'
import { requestAddress } from '../core/net/address'
import type { PlannedFile } from './change-set'
import type { Json } from './editors/editor'
import { type Baseline, isFrame, type StartingFile } from './file-baseline'
import { backupFolder, backupName, type FileRecord, type Journal, journalPath, journalStep } from './journal'
import { type OwnedEdit, ownedSettings } from './owned-settings'
import { findRemovableCopy, restoreFileSteps } from './restore'
import type { TargetInput, WrittenTarget } from './target'

/** A file that contains only the key. */
export type KeyFile = { readonly path: string; readonly content: Content; readonly digest: string }

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

const PRIVATE_FILE = 0o600

/** Order: undo data, files that settings refer to, then settings. The file with the address is written last. */
export async function buildSteps(application: ApplyDraft, journal: Journal): Promise<Step[]> {
  const { place, keyFile, target, files } = application
  const writtenFiles = files.filter(({ edits }) => edits.length > 0)
  const backupFiles = writtenFiles.flatMap(({ original }) =>
    original ? [createPrivateWrite(join(backupFolder(place), backupName(original)), new Content(original))] : [],
  )
  return [
    ...(await restoreFiles(files, place, 'moved')),
    ...(await privateFolder(join(backupFolder(place), 'any'), application)),
    ...backupFiles,
    journalStep(journal, journalPath(target.id, place)),
    ...(keyFile
      ? [...(await privateFolder(keyFile.path, application)), createPrivateWrite(keyFile.path, keyFile.content)]
      : []),
    ...files.flatMap(fileSteps),
    ...(await restoreFiles(files, place, 'abandoned')),
  ]
}

/** Updates the journal after the last step. Omits hashes and key files that only an interrupted apply needs. */
export function buildFinalJournalStep({ place, keyFile, target, files }: ApplyDraft, journal: Journal): Step {
  const hashes = new Map(files.map(({ start, after }) => [start.file.id, after?.hash]))
  const finalRecords = journal.files.map((record) => {
    const hash = hashes.get(record.id)
    return hash === undefined ? record : { ...record, found: [hash] }
  })
  const keyFiles = journal.keyFiles.filter(({ path }) => path === keyFile?.path)
  return journalStep({ ...journal, files: finalRecords, keyFiles }, journalPath(target.id, place))
}

function fileSteps(file: NewFile): Step[] {
  const { start, copy, newFolders } = file
  return [
    ...(copy?.isNew
      ? [{ ...createPrivateWrite(copy.path, copy.content), mode: start.originalMode ?? PRIVATE_FILE, expect: null }]
      : []),
    { kind: 'makeFolders', paths: newFolders, mode: 0o777 },
    ...settingsStep(file),
  ]
}

/**
 * Undoes our changes in files of an earlier apply: at the old path of those that were `moved`, or in those that the
 * new choice no longer needs (`abandoned`). Settings that the user wants to keep stay.
 */
async function restoreFiles(
  files: readonly NewFile[],
  place: EngineContext,
  reason: 'moved' | 'abandoned',
): Promise<Step[]> {
  const steps = files.map(async ({ original, edits, start: { record, snapshot, isElsewhere, ...start } }) => {
    if (record === undefined || isElsewhere !== (reason === 'moved')) return []
    if (reason === 'abandoned' && edits.length > 0) return []
    const restorations = start.restorations.map((restoration) => {
      const keepsSettings = reason === 'abandoned' && restoration.snapshot.realPath === snapshot.realPath
      return keepsSettings ? { ...restoration, bytes: original } : restoration
    })
    return restoreFileSteps({ record, restorations, copy: await findRemovableCopy(record, restorations, place) })
  })
  return (await Promise.all(steps)).flat()
}

function settingsStep({ start, after, mode, edits }: NewFile): Step[] {
  if (after === undefined || edits.length === 0) return []
  const { snapshot, restorations, isElsewhere } = start
  const existingRestoration = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const isRestoredFirst = isElsewhere && existingRestoration?.touched === true
  const bytes = isRestoredFirst ? existingRestoration.bytes : snapshot.bytes
  const expect = bytes ? computeHash(bytes) : null
  if (expect === after.hash && snapshot.mode === mode) return []
  return [{ kind: 'write', path: snapshot.realPath, content: after, mode, expect, preserve: true }]
}

async function privateFolder(path: string, { place }: ApplyDraft): Promise<Step[]> {
  const missingPaths = await missingFolders(path, place.disk)
  return [{ kind: 'makeFolders', paths: missingPaths.length === 0 ? [dirname(path)] : missingPaths, mode: 0o700 }]
}

type WriteStep = Extract<Step, { kind: 'write' }>

const createPrivateWrite = (path: string, content: Content): WriteStep => ({
  kind: 'write',
  path,
  content,
  mode: PRIVATE_FILE,
})

/** All files that the apply reads or changes: for each tool file the settings, other files with ours, and a new copy. */
export const planFiles = ({ start, files }: ApplyDraft): PlannedFile[] =>
  start.files.toReversed().flatMap(({ file: { id, format }, snapshot, restorations }) => {
    const plannedFile = files.find((candidate) => candidate.start.file.id === id)
    const { after, holdsKey = false, copy } = plannedFile ?? {}
    return [
      { snapshot, bytes: after?.bytes(), format, holdsKey, touched: plannedFile !== undefined },
      ...restorations
        .filter((other) => other.snapshot.realPath !== snapshot.realPath)
        .map((other) => ({ ...other, format })),
      ...(copy?.isNew
        ? [{ snapshot: { path: copy.path, realPath: copy.path }, bytes: copy.content.bytes(), format }]
        : []),
    ]
  })
