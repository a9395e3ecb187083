import { dirname } from 'node:path'
import type { Recovery } from '@shared/contract/tools'
import { journalStep } from './apply-steps'
import { whileAlone } from './commit'
import { type Content, hashOf } from './content'
import {
  isHalfWritten,
  makeFolders,
  missingFolders,
  pruneFolders,
  readSnapshot,
  removeFile,
  type Snapshot,
  sweepTemporaries,
  temporariesOf,
  writeFile,
} from './files'
import { type Entry, type Home, type PastTool, prune, readHistory, writeEntry } from './history'
import { journalPath } from './journal'
import { type RevealKey, readKept } from './kept'
import type { Place } from './plan'

/** What taking back has to work with: the disk of each site, and the keys. */
export type RecoveryTools = {
  readonly home: Home
  readonly placeOf: (site: Place['site']) => Promise<Place>
  readonly reveal: RevealKey
  readonly isRunning: (pid: number) => boolean
}

/**
 * Takes back every write that a kill cut off, or finishes one that was complete; only files that still are as that write
 * left them are touched. Nothing was cut off: nothing is written.
 */
export async function recover(tools: RecoveryTools): Promise<Recovery> {
  const isAnyOpen = (await openEntries(tools)).length > 0
  return isAnyOpen ? whileAlone(tools.home, () => recoverAlone(tools)) : { undone: [], left: [] }
}

const openEntries = async ({ home, isRunning }: RecoveryTools): Promise<Entry[]> =>
  (await readHistory(home)).filter(({ state, pid }) => isOpen(state) && !(pid !== process.pid && isRunning(pid)))

async function recoverAlone(tools: RecoveryTools): Promise<Recovery> {
  const { home } = tools
  const open = await openEntries(tools)
  const undone: Recovery['undone'] = []
  const left: string[] = []
  for (const entry of open) {
    const isWhole = entry.state === 'written' || (await isComplete(entry, tools))
    if (!isWhole) {
      for (const tool of [...entry.tools].reverse()) left.push(...(await takeBack(tool, tools)))
      undone.push(...entry.tools.map(({ toolId, site }) => ({ toolId, site, at: entry.at })))
    } else for (const tool of entry.tools) await finish(tool, tools)
    await writeEntry({ ...entry, state: isWhole ? 'done' : 'undone' }, home)
  }
  if (open.length > 0) await prune(home)
  return { undone, left }
}

const isOpen = (state: Entry['state']): boolean => state === 'begun' || state === 'written'

/** True when every step was carried out and only the word for it is missing. */
async function isComplete({ tools }: Entry, { placeOf }: RecoveryTools): Promise<boolean> {
  for (const { site, files, next, toolId } of tools) {
    const place = await placeOf(site)
    for (const { realPath, after } of files)
      if (((await readSnapshot(realPath, place.disk)).hash ?? null) !== after) return false
    const path = journalPath(toolId, place)
    const { hash } = await readSnapshot(path, place.disk)
    const step = next && journalStep(next, path)
    if ((step?.kind === 'write' ? step.content.hash : undefined) !== hash) return false
  }
  return true
}

async function finish({ remove, toolId, site, files }: PastTool, { home, placeOf }: RecoveryTools): Promise<void> {
  const place = await placeOf(site)
  for (const path of remove) await removeFile({ path }, home.disk)
  for (const { realPath } of files) await sweepTemporaries(realPath, place.disk)
  await sweepTemporaries(journalPath(toolId, place), home.disk)
}

/** Gives back the paths that somebody changed since. */
async function takeBack(tool: PastTool, { placeOf, reveal }: RecoveryTools): Promise<string[]> {
  const place = await placeOf(tool.site)
  const left: string[] = []
  for (const file of [...tool.files].reverse()) {
    if (!(await giveBack(file, { place, reveal }))) left.push(file.realPath)
    await sweepTemporaries(file.realPath, place.disk)
  }
  if (left.length > 0) return left
  await pruneFolders(tool.newFolders, place.disk)
  // What a write that was cut off left beside a key file holds the key.
  for (const { path } of tool.next?.keyFiles ?? []) await sweepTemporaries(path, place.disk)
  for (const path of tool.newKeyFiles) await removeFile({ path }, place.disk)
  await putJournalBack(tool, place)
  return []
}

type Giving = { readonly place: Place; readonly reveal: RevealKey }

async function giveBack(file: PastTool['files'][number], { place, reveal }: Giving): Promise<boolean> {
  const { realPath, before, after } = file
  const { disk } = place
  const now = await readSnapshot(realPath, disk)
  const hash = now.hash ?? null
  if (before === undefined) {
    if (hash === null) return true
    if (hash !== after) return false
    await removeFile({ path: realPath, expect: hash }, disk)
    return true
  }
  const isBefore = hash === before.hash
  // A write into a file begins with its mode; of other writes nothing is left beside the file but by a kill.
  if (isBefore && (now.mode === before.mode || (await temporariesOf(realPath, disk)).length === 0)) return true
  const content = await readKept(before, place, reveal).catch(() => undefined)
  if (content === undefined) return false
  if (!isBefore && hash !== after && !(await isCutOff(now, { file, before: content }, place))) return false
  await makeFolders(await missingFolders(realPath, disk), 0o777, disk)
  await writeFile({ path: realPath, content, mode: before.mode, expect: hash, preserve: true }, disk)
  return true
}

/** True when a kill left a write into the file half done: the new content then still lies beside it. */
async function isCutOff(
  { bytes }: Snapshot,
  { file, before }: { readonly file: PastTool['files'][number]; readonly before: Content },
  { disk }: Place,
): Promise<boolean> {
  for (const path of await temporariesOf(file.realPath, disk)) {
    const after = await disk.readFile(path)
    if (bytes !== undefined && hashOf(after) === file.after && isHalfWritten(bytes, before.bytes(), after)) return true
  }
  return false
}

async function putJournalBack({ journal, toolId }: PastTool, place: Place): Promise<void> {
  const path = journalPath(toolId, place)
  await sweepTemporaries(path, place.disk)
  const step = journal && journalStep(journal, path)
  if (step?.kind !== 'write') return removeFile({ path }, place.disk)
  await makeFolders(await missingFolders(dirname(path), place.disk), 0o700, place.disk)
  await writeFile(step, place.disk)
}
