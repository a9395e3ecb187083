import { dirname, join } from 'node:path'
import { Content, missingFolders, type Step } from '../core/files/files'
import type { ApplyDraft, NewFile } from './apply-draft'
import { type Journal, journalPath } from './journal'
import { findRemovableCopy, restoreFileSteps } from './restore'
import { backupFolder, backupName } from './tool-backup'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/** Order: undo data, files that settings refer to, then settings. The file with the address is written last. */
export async function buildSteps(application: ApplyDraft, journal: Journal): Promise<Step[]> {
  const { start, place, keyFile, target, files } = application
  const otherSteps = await Promise.all(files.map((file) => restoreOtherFiles(file, application)))
  const originalTexts = files.flatMap(({ original, edits }) => (original && edits.length > 0 ? [original] : []))
  const backupFiles = originalTexts.map((original) =>
    createPrivateWrite(join(backupFolder(place), backupName(original)), new Content(original)),
  )
  return [
    ...otherSteps.flat(),
    ...(await privateFolder(join(backupFolder(place), 'any'), application)),
    ...backupFiles,
    journalStep(journal, journalPath(target.id, place)),
    ...(keyFile
      ? [...(await privateFolder(keyFile.path, application)), createPrivateWrite(keyFile.path, keyFile.content)]
      : []),
    ...files.flatMap(fileSteps),
    ...(start.journal ? await buildRemovalSteps(application) : []),
  ]
}

/** Deletes files of an earlier apply that nothing refers to, then updates the journal. */
export function buildCleanupSteps(application: ApplyDraft, journal: Journal): Step[] {
  const { place, keyFile, target } = application
  const oldKeys = journal.keyFiles.flatMap(({ path }) => (path === keyFile?.path ? [] : [path]))
  return [
    ...oldKeys.map((path): Step => ({ kind: 'remove', path })),
    journalStep(tidyJournal(journal, application), journalPath(target.id, place)),
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

/** Undoes our changes at the old path of a settings file whose location has changed. */
async function restoreOtherFiles({ start }: NewFile, { place }: ApplyDraft): Promise<Step[]> {
  const { record, restorations, isElsewhere } = start
  if (!isElsewhere || record === undefined) return []
  return restoreFileSteps({ record, restorations, copy: await findRemovableCopy(record, restorations, place) })
}

/** Restores files that the new choice no longer needs. Settings that the user wants to keep stay. */
async function buildRemovalSteps({ files, place }: ApplyDraft): Promise<Step[]> {
  const removedFiles = files.filter(({ edits, start }) => edits.length === 0 && start.record && !start.isElsewhere)
  const steps = removedFiles.map(
    async ({ original: bytes, start: { record, restorations: oldRestorations, snapshot } }) => {
      const restorations = oldRestorations.map((restoration) =>
        restoration.snapshot.realPath === snapshot.realPath ? { ...restoration, bytes } : restoration,
      )
      return record === undefined
        ? []
        : restoreFileSteps({ record, restorations, copy: await findRemovableCopy(record, restorations, place) })
    },
  )
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
  const missingFolderPaths = await missingFolders(path, place.disk)
  const paths = missingFolderPaths.length === 0 ? [dirname(path)] : missingFolderPaths
  return [{ kind: 'makeFolders', paths, mode: PRIVATE_FOLDER }]
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

/** The journal after a completed apply. Omits hashes that are only needed if the apply is interrupted. */
function tidyJournal(journal: Journal, { files, keyFile }: ApplyDraft): Journal {
  const contents = new Map(files.map(({ start, after }) => [start.file.id, after?.hash]))
  return {
    ...journal,
    files: journal.files.map((record) => {
      const hash = contents.get(record.id)
      return hash === undefined ? record : { ...record, found: [hash] }
    }),
    keyFiles: journal.keyFiles.filter(({ path }) => path === keyFile?.path),
  }
}
