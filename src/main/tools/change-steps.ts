import { dirname, join } from 'node:path'
import type { EngineContext } from '../core/environment'
import { Content, missingFolders, type Step } from '../core/files/files'
import type { ApplyDraft, NewFile } from './apply-draft'
import { type Journal, journalPath } from './journal'
import { findRemovableCopy, restoreFileSteps } from './restore'
import { backupFolder, backupName } from './tool-backup'

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

/** Deletes files of an earlier apply that nothing refers to, then updates the journal. */
export function buildCleanupSteps({ place, keyFile, target, files }: ApplyDraft, journal: Journal): Step[] {
  const oldKeys = journal.keyFiles.filter(({ path }) => path !== keyFile?.path)
  const hashes = new Map(files.map(({ start, after }) => [start.file.id, after?.hash]))
  // Omit hashes that are only needed if the apply is interrupted.
  const finalRecords = journal.files.map((record) => {
    const hash = hashes.get(record.id)
    return hash === undefined ? record : { ...record, found: [hash] }
  })
  const keyFiles = journal.keyFiles.filter(({ path }) => path === keyFile?.path)
  return [
    ...oldKeys.map(({ path }): Step => ({ kind: 'remove', path })),
    journalStep({ ...journal, files: finalRecords, keyFiles }, journalPath(target.id, place)),
  ]
}

export const journalStep = (journal: Journal, path: string): WriteStep =>
  createPrivateWrite(path, journalContent(journal))

function fileSteps(file: NewFile): Step[] {
  const { start, copy, newFolders } = file
  return [
    ...(copy?.isNew
      ? [{ ...createPrivateWrite(copy.path, copy.content), mode: start.originalMode ?? PRIVATE_FILE, expect: null }]
      : []),
    ...(newFolders.length > 0 ? [{ kind: 'makeFolders' as const, paths: newFolders, mode: 0o777 }] : []),
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
  const expectedHash = isRestoredFirst
    ? existingRestoration.bytes
      ? new Content(existingRestoration.bytes).hash
      : null
    : (snapshot.hash ?? null)
  if (expectedHash === after.hash && snapshot.mode === mode) return []
  return [{ kind: 'write', path: snapshot.realPath, content: after, mode, expect: expectedHash, preserve: true }]
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

export const stampedJournal = (content: Content, at: string): Content =>
  journalContent({ ...JSON.parse(Buffer.from(content.bytes()).toString()), at })

const journalContent = (journal: Journal): Content => new Content(`${JSON.stringify(journal, null, 2)}\n`)
