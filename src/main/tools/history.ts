import { join } from 'node:path'
import { Site } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { ChangeSet } from './change-set'
import type { EngineContext } from './environment'
import { Content, makeFolders, missingFolders, readSnapshot, removeFile, writeFile } from './files'
import { allJournals, damagedJournals, JournalRecord, keptByJournal } from './journal'
import { BackupRecord, backupFolder, backupStep } from './tool-backup'

const PastFileRecord = z.strictObject({
  path: z.string(),
  realPath: z.string(),
  format: z.enum(['json', 'jsonc', 'yaml', 'toml', 'dotenv', 'text']),
  before: BackupRecord.optional(),
  after: z.string().nullable(),
})

const PastTool = z.strictObject({
  toolId: z.string(),
  site: Site,
  kind: z.enum(['apply', 'restore', 'rewind', 'letGo']),
  journal: JournalRecord.optional(),
  next: JournalRecord.optional(),
  files: z.array(PastFileRecord),
  newFolders: z.array(z.string()),
  newKeyFiles: z.array(z.string()),
  /** Key files to remove once everything is written. */
  remove: z.array(z.string()),
})
export type PastTool = z.infer<typeof PastTool>

/**
 * One write of this app. `begun`: its steps may be half done; `written`: all are, and what nothing needs any more may still
 * be there; `done`; `undone`: taken back at a later start.
 */
const Entry = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  at: z.iso.datetime(),
  state: z.enum(['begun', 'written', 'done', 'undone']),
  /** The process that writes. */
  pid: z.number().int(),
  tools: z.array(PastTool),
})
export type Entry = z.infer<typeof Entry>

/** Where the history is and what it is written with. */
export type Home = Pick<EngineContext, 'dataDir' | 'disk' | 'clock'>

const mostEntries = 200

/** A new entry of plans that are about to be carried out. */
export function entryOf(plans: readonly ChangeSet[], { clock }: Home): Entry {
  const at = clock().toISOString()
  // The machine's running time keeps writes of one millisecond, of whatever process, in their order.
  const id = `${at.replace(/[^0-9]/g, '')}-${process.hrtime.bigint().toString().padStart(20, '0')}`
  return { version: 1, id, at, state: 'begun', pid: process.pid, tools: plans.map(pastToolOf) }
}

function pastToolOf({ toolId, place, kind, past, tidying }: ChangeSet): PastTool {
  return {
    toolId,
    site: place.site,
    kind,
    ...(past.journal ? { journal: past.journal } : {}),
    ...(past.next ? { next: past.next } : {}),
    files: past.files.map(({ before, ...file }) => ({ ...file, ...(before ? { before: before.record } : {}) })),
    newFolders: [...past.newFolders],
    newKeyFiles: [...past.newKeyFiles],
    remove: tidying.flatMap((step) => (step.kind === 'remove' ? [step.path] : [])),
  }
}

/** Keeps what the plans will change, and then the entry. */
export async function begin(entry: Entry, plans: readonly ChangeSet[], home: Home): Promise<void> {
  const any = join(backupFolder(home), 'any')
  await makeFolders(await missingFolders(any, home.disk), 0o700, home.disk)
  for (const { before } of plans.flatMap(({ past }) => past.files)) {
    const step = before && backupStep(before, home)
    if (step?.kind === 'write') await writeFile(step, home.disk)
  }
  await writeEntry(entry, home)
}

/** Writes an entry as it is now. */
export async function writeEntry(entry: Entry, home: Home): Promise<void> {
  const path = entryPath(entry.id, home)
  await makeFolders(await missingFolders(path, home.disk), 0o700, home.disk)
  await writeFile({ path, content: new Content(`${JSON.stringify(entry)}\n`), mode: 0o600 }, home.disk)
}

/** Takes an entry out, as if nothing had been begun. */
export async function dropEntry({ id }: Entry, home: Home): Promise<void> {
  await removeFile({ path: entryPath(id, home) }, home.disk)
}

/** Every entry, newest first; damaged ones do not count. */
export async function readHistory(home: Pick<Home, 'dataDir' | 'disk'>): Promise<Entry[]> {
  const names = await home.disk.readdir(historyFolder(home)).catch(() => [])
  const ids = names.filter((name) => /^[\w-]+\.json$/.test(name)).map((name) => name.slice(0, -'.json'.length))
  const entries = await Promise.all(ids.sort().map((id) => readEntry(id, home)))
  return entries.flatMap((entry) => entry ?? []).reverse()
}

/** One entry. Fails with `history.notFound`. */
export async function findEntry(id: string, home: Pick<Home, 'dataDir' | 'disk'>): Promise<Entry> {
  const entry = /^[\w-]+$/.test(id) ? await readEntry(id, home) : undefined
  if (entry) return entry
  throw new AppError('history.notFound', `There is no write ${id} in the history.`)
}

async function readEntry(id: string, home: Pick<Home, 'dataDir' | 'disk'>): Promise<Entry | undefined> {
  const { bytes } = await readSnapshot(entryPath(id, home), home.disk)
  try {
    return Entry.safeParse(JSON.parse(Buffer.from(bytes ?? '').toString())).data
  } catch {
    return undefined
  }
}

/** Forgets the oldest entries above the limit, and every kept content that nothing needs. */
export async function prune(home: Home): Promise<void> {
  const entries = await readHistory(home)
  for (const old of entries.slice(mostEntries)) await dropEntry(old, home)
  // Which originals a damaged record needs is not known: nothing is forgotten that a person may have to put back by hand.
  if (damagedJournals(home.dataDir).length > 0) return
  const kept = entries.slice(0, mostEntries)
  const journals = kept.flatMap(({ tools }) => tools.flatMap(({ journal, next }) => [journal, next]))
  const needed = new Set([
    ...kept.flatMap(({ tools }) => tools.flatMap(({ files }) => files.flatMap(({ before }) => before?.file ?? []))),
    ...[...journals, ...allJournals(home.dataDir)].flatMap(keptByJournal),
  ])
  const folder = backupFolder(home)
  const names = await home.disk.readdir(folder).catch(() => [])
  for (const name of names) if (!needed.has(name)) await removeFile({ path: join(folder, name) }, home.disk)
}

const historyFolder = ({ dataDir }: Pick<Home, 'dataDir'>): string => join(dataDir, 'tools', 'history')

const entryPath = (id: string, home: Pick<Home, 'dataDir'>): string => join(historyFolder(home), `${id}.json`)
