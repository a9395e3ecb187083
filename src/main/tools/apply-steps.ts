import { dirname, join } from 'node:path'
import type { Application } from './application'
import { Content } from './content'
import { missingFolders } from './files'
import { backupFolder, backupName, type Journal, journalPath } from './journal'
import { tidyJournal } from './new-journal'
import type { Step } from './plan'
import { backupPaths, copyToRemove, restoreSteps } from './restore'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/**
 * Everything that undoing needs comes first, then what the settings point at, then the settings in one write: until
 * that write the tool is as before, from it on it is wholly configured.
 */
export async function stepsOf(application: Application, journal: Journal): Promise<Step[]> {
  const { start, place, original, keyFile, copy, target } = application
  const record = journalPath(target.id, place)
  const backup = join(backupFolder(place), backupName(target.id, original ?? new Uint8Array()))
  return [
    ...(start.isElsewhere && start.journal ? await restoreElsewhere(application, start.journal) : []),
    ...(await privateFolder(backup, application)),
    ...(original ? [privateFile(backup, new Content(original))] : []),
    privateFile(record, journalContent(journal)),
    ...(keyFile
      ? [...(await privateFolder(keyFile.path, application)), privateFile(keyFile.path, keyFile.content)]
      : []),
    ...(copy?.isNew
      ? [{ ...privateFile(copy.path, copy.content), mode: start.originalMode ?? PRIVATE_FILE, expect: null }]
      : []),
    { kind: 'makeFolders', paths: application.newFolders, mode: 0o777 },
    ...settingsStep(application),
  ]
}

/** What an earlier apply left and nothing points at any more, and then the record without it. */
export function tidyingOf(application: Application, journal: Journal): Step[] {
  const { start, place, keyFile, target } = application
  const tidy = tidyJournal(journal, application)
  const earlier = start.journal
  const oldBackups = earlier && earlier.backup?.file !== journal.backup?.file ? backupPaths(earlier, place) : []
  const oldKeys = journal.keyFiles.flatMap(({ path }) => (path === keyFile?.path ? [] : [path]))
  return [
    ...[...oldKeys, ...oldBackups].map((path): Step => ({ kind: 'remove', path })),
    privateFile(journalPath(target.id, place), journalContent(tidy)),
  ]
}

/** A settings file that moved: undo wholly where it was, then start anew where it is. */
async function restoreElsewhere({ start, place }: Application, journal: Journal): Promise<Step[]> {
  const { restorations } = start
  return restoreSteps({ journal, restorations, copy: await copyToRemove(journal, restorations, place) }, place)
}

function settingsStep({ start, after, mode }: Application): Step[] {
  const { snapshot, restorations, isElsewhere } = start
  const here = restorations.find((restoration) => restoration.snapshot.realPath === snapshot.realPath)
  const isRestoredFirst = isElsewhere && here?.touched === true
  const expect = isRestoredFirst ? (here.bytes ? new Content(here.bytes).hash : null) : (snapshot.hash ?? null)
  if (expect === after.hash && snapshot.mode === mode) return []
  return [{ kind: 'write', path: snapshot.realPath, content: after, mode, expect }]
}

async function privateFolder(path: string, { place }: Application): Promise<Step[]> {
  const missing = await missingFolders(path, place.disk)
  return [{ kind: 'makeFolders', paths: missing.length === 0 ? [dirname(path)] : missing, mode: PRIVATE_FOLDER }]
}

const privateFile = (path: string, content: Content): Step & { kind: 'write' } => ({
  kind: 'write',
  path,
  content,
  mode: PRIVATE_FILE,
})

const journalContent = (journal: Journal): Content => new Content(`${JSON.stringify(journal, null, 2)}\n`)
