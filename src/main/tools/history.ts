import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import type { EngineContext } from '../core/environment'
import {
  Content,
  makeFolders,
  missingFolders,
  readSnapshot,
  removeFile,
  type Step,
  writeFile,
} from '../core/files/files'
import { type ChangeSet, createChangeSet, type PlannedFile } from './change-set'
import { readOriginalContents } from './file-baseline'
import {
  backupFolder,
  computeDigest,
  type Journal,
  journalPath,
  journalStep,
  listDamagedJournals,
  loadBackup,
  PastTool,
  type RevealKey,
  readAllJournals,
  readJournal,
  toKeyRef,
} from './journal'
import { restoreFileSteps } from './restore'
import type { WrittenTarget } from './target'

/** Record of one write. `begun`: maybe partly applied. `written`: cleanup is pending. `undone`: at a later start. */
const Entry = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  at: z.iso.datetime(),
  state: z.enum(['begun', 'written', 'done', 'undone']),
  pid: z.number().int(),
  tools: z.array(PastTool),
})
export type Entry = z.infer<typeof Entry>

export type HistoryContext = Pick<EngineContext, 'dataDir' | 'disk' | 'clock'>

const maxEntries = 200

/** Starts a history entry: saves the backups, then the entry. */
export async function beginChange(plans: readonly ChangeSet[], home: HistoryContext): Promise<Entry> {
  const at = home.clock().toISOString()
  // The monotonic clock orders writes of the same millisecond across processes.
  const id = `${at.replace(/[^0-9]/g, '')}-${process.hrtime.bigint().toString().padStart(20, '0')}`
  const exampleBackupPath = join(backupFolder(home), 'any')
  await makeFolders(await missingFolders(exampleBackupPath, home.disk), 0o700, home.disk)
  for (const { record, content } of plans.flatMap(({ backups }) => backups))
    await writeFile({ path: join(backupFolder(home), record.file), content, mode: 0o600 }, home.disk)
  const tools = plans.map(({ past }) => past)
  const entry: Entry = { version: 1, id, at, state: 'begun', pid: process.pid, tools }
  await writeEntry(entry, home)
  return entry
}

export async function writeEntry(entry: Entry, home: HistoryContext): Promise<void> {
  const path = entryPath(entry.id, home)
  await makeFolders(await missingFolders(path, home.disk), 0o700, home.disk)
  await writeFile({ path, content: new Content(`${JSON.stringify(entry)}\n`), mode: 0o600 }, home.disk)
}

/** Removes the history entry of a write that never started. */
export const dropEntry = ({ id }: Entry, home: HistoryContext): Promise<void> =>
  removeFile({ path: entryPath(id, home) }, home.disk)

type HistoryFolder = Pick<HistoryContext, 'dataDir' | 'disk'>

/** Reads the history, newest first, without damaged entries. */
export async function readHistory(home: HistoryFolder): Promise<Entry[]> {
  const names = await home.disk.readdir(historyFolder(home)).catch(() => [])
  const ids = names.filter((name) => /^[\w-]+\.json$/.test(name)).map((name) => name.slice(0, -'.json'.length))
  const entries = await Promise.all(ids.sort().map((id) => readEntry(id, home)))
  return entries.flatMap((entry) => entry ?? []).reverse()
}

export async function findEntry(id: string, home: HistoryFolder): Promise<Entry> {
  const entry = /^[\w-]+$/.test(id) ? await readEntry(id, home) : undefined
  if (entry) return entry
  throw new AppError('history.notFound', `There is no write ${id} in the history.`)
}

async function readEntry(id: string, home: HistoryFolder): Promise<Entry | undefined> {
  const { bytes } = await readSnapshot(entryPath(id, home), home.disk)
  return Entry.safeParse(parseJson(Buffer.from(bytes ?? '').toString())).data
}

/** Removes entries above the maximum number, oldest first, and backups that no entry refers to. */
export async function pruneHistory(home: HistoryContext): Promise<void> {
  const entries = await readHistory(home)
  for (const oldEntry of entries.slice(maxEntries)) await dropEntry(oldEntry, home)
  // If any record is damaged, keep all backups, because a manual recovery may need them.
  if (listDamagedJournals(home.dataDir).length > 0) return
  const pastTools = entries.slice(0, maxEntries).flatMap(({ tools }) => tools)
  const pastJournals = pastTools.flatMap(({ journal, next }) => [journal, next])
  const neededBackups = new Set([
    ...pastTools.flatMap(({ files }) => files.flatMap(({ before }) => before?.file ?? [])),
    ...[...pastJournals, ...readAllJournals(home.dataDir)].flatMap((journal) =>
      (journal?.files ?? []).flatMap(({ backup }) => backup?.file ?? []),
    ),
  ])
  const folder = backupFolder(home)
  const names = await home.disk.readdir(folder).catch(() => [])
  for (const name of names) if (!neededBackups.has(name)) await removeFile({ path: join(folder, name) }, home.disk)
}

const historyFolder = ({ dataDir }: Pick<HistoryContext, 'dataDir'>): string => join(dataDir, 'tools', 'history')

const entryPath = (id: string, home: Pick<HistoryContext, 'dataDir'>): string => join(historyFolder(home), `${id}.json`)

type RewindTools = { readonly target: WrittenTarget; readonly place: EngineContext; readonly reveal: RevealKey }

/** Plans to restore a tool's files to their state before a write. Writes nothing. */
export async function prepareRewind(tool: PastTool, tools: RewindTools): Promise<ChangeSet> {
  const { target, place } = tools
  const start = await readJournal(target.id, place)
  const { journal } = start
  const ownFiles = await Promise.all(tool.files.map((file) => prepareFileRewind(file, { ...tools, journal })))
  const files = [...ownFiles, ...(await otherFiles(journal, tool, tools))]
  const path = journalPath(target.id, place)
  const keyFilePaths = tool.journal?.keyFiles.map((file) => file.path) ?? []
  const keyFiles = await listMissingKeyFiles(tool.journal, tools)
  return createChangeSet({
    kind: 'rewind',
    target,
    place,
    start,
    next: tool.journal,
    files,
    warnings: target.needsRestart ? [{ code: 'restartNeeded' }] : [],
    keyFiles,
    unusedKeyFiles: (journal?.keyFiles ?? []).map((file) => file.path).filter((item) => !keyFilePaths.includes(item)),
    steps: [
      ...keyFiles.flatMap(({ path, content, folders }): Step[] => [
        { kind: 'makeFolders', paths: folders, mode: 0o700 },
        { kind: 'write', path, content, mode: 0o600 },
      ]),
      tool.journal ? journalStep(tool.journal, path) : { kind: 'remove', path },
      ...files.flatMap((file) => file.steps),
    ],
  })
}

type FileRewind = PlannedFile & { readonly steps: readonly Step[] }

async function prepareFileRewind(
  { realPath, path, before, format }: PastTool['files'][number],
  { place, reveal, journal }: Omit<RewindTools, 'target'> & { readonly journal: Journal | undefined },
): Promise<FileRewind> {
  const snapshot = { ...(await readSnapshot(realPath, place.disk)), path }
  const { hash: expect = null } = snapshot
  const content = before && (await loadBackup(before, place, reveal))
  const file = { snapshot, bytes: content?.bytes(), format, holdsKey: before?.key !== undefined }
  if (expect === (before?.hash ?? null)) return { ...file, steps: [] }
  if (before === undefined || content === undefined) {
    const paths = journal?.files.find((record) => record.realPath === realPath)?.createdFolders ?? []
    const steps: Step[] = [
      { kind: 'remove', path: realPath, expect },
      { kind: 'pruneFolders', paths },
    ]
    return { ...file, steps }
  }
  const steps: Step[] = [
    { kind: 'makeFolders', paths: await missingFolders(realPath, place.disk), mode: 0o777 },
    { kind: 'write', path: realPath, content, mode: before.mode, expect, preserve: true },
  ]
  return { ...file, steps }
}

/** Restores files that contain our settings now but did not contain them before the write. */
async function otherFiles(
  journal: Journal | undefined,
  tool: PastTool,
  { target, place }: RewindTools,
): Promise<FileRewind[]> {
  if (journal === undefined) return []
  const knownPaths = tool.files.map(({ realPath }) => realPath)
  const records = journal.files.filter(({ realPath }) => !knownPaths.includes(realPath))
  const fileRewinds = records.map(async (record) => {
    const restorations = await readOriginalContents({ target, journal, record }, place)
    return restorations
      .filter(({ touched }) => touched)
      .map((restoration) => ({
        ...restoration,
        format: record.format,
        steps: restoreFileSteps({ record, restorations: [restoration], copy: [] }),
      }))
  })
  return (await Promise.all(fileRewinds)).flat()
}

/** Key files that the earlier settings refer to and that are missing or have another key. */
async function listMissingKeyFiles(journal: Journal | undefined, { place, reveal }: RewindTools) {
  if (journal === undefined) return []
  const ref = toKeyRef(journal)
  const keyFiles = journal.keyFiles.map(async ({ path, digest }) => {
    const { hash } = await readSnapshot(path, place.disk)
    if (digest === undefined || (hash !== undefined && computeDigest(hash, journal.salt) === digest)) return []
    const content = new Content(await reveal(ref))
    if (computeDigest(content.hash, journal.salt) !== digest)
      throw new AppError('vault.keyMissing', 'The key that the tool used is no longer saved. Nothing was written.')
    return [{ path, content, folders: await missingFolders(path, place.disk) }]
  })
  return (await Promise.all(keyFiles)).flat()
}
