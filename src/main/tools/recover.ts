import { dirname } from 'node:path'
import type { Recovery } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import {
  type Content,
  computeHash,
  deleteTemporaries,
  findTemporaryFiles,
  isHalfWritten,
  makeFolders,
  missingFolders,
  pruneFolders,
  readSnapshot,
  removeFile,
  type Snapshot,
  writeFile,
} from '../core/files/files'
import { journalStep } from './change-steps'
import { withToolsLock } from './commit'
import { type Entry, type HistoryContext, type PastTool, pruneHistory, readHistory, writeEntry } from './history'
import { journalPath } from './journal'
import { loadBackup, type RevealKey } from './tool-backup'

type RecoveryTools = {
  readonly home: HistoryContext
  readonly findContext: (site: EngineContext['site']) => Promise<EngineContext>
  readonly reveal: RevealKey
}

/**
 * Handles writes that a crash interrupted. Rolls back each one, or completes it if all its steps are done. Touches
 * only files that still match that write. If a file contained a key that the keychain does not return, the rollback
 * waits for the next start.
 */
export async function recover(tools: RecoveryTools): Promise<Recovery> {
  const hasOpenEntries = (await openEntries(tools)).length > 0
  return hasOpenEntries ? withToolsLock(tools.home, () => recoverUnderLock(tools)) : { undone: [], left: [] }
}

/** Writers hold the lock until their entry is done. Under the lock, open entries are therefore interrupted writes. */
const openEntries = async ({ home }: RecoveryTools): Promise<Entry[]> =>
  (await readHistory(home)).filter(({ state }) => state === 'begun' || state === 'written')

async function recoverUnderLock(tools: RecoveryTools): Promise<Recovery> {
  const { home } = tools
  const unfinishedEntries = await openEntries(tools)
  const undoneTools: Recovery['undone'] = []
  const unrestoredPaths: string[] = []
  const waitingTools: string[] = []
  for (const entry of unfinishedEntries) {
    const isFinished = entry.state === 'written' || (await isComplete(entry, tools))
    if (isFinished) for (const tool of entry.tools) await finishRecovery(tool, tools)
    else {
      const outcomes: RollbackResult[] = []
      for (const tool of [...entry.tools].reverse()) outcomes.push(await rollBackTool(tool, tools))
      unrestoredPaths.push(...outcomes.flatMap((outcome) => outcome.left))
      const waitingToolNames = outcomes.flatMap((outcome) => outcome.waiting)
      waitingTools.push(...waitingToolNames)
      if (waitingToolNames.length > 0) continue
      undoneTools.push(...entry.tools.map(({ toolId, site }) => ({ toolId, site, at: entry.at })))
    }
    await writeEntry({ ...entry, state: isFinished ? 'done' : 'undone' }, home)
  }
  if (unfinishedEntries.length > 0) await pruneHistory(home)
  return { undone: undoneTools, left: unrestoredPaths, ...(waitingTools.length > 0 ? { waiting: waitingTools } : {}) }
}

/** Whether every step of a write is done and only its final journal is missing. */
async function isComplete({ tools }: Entry, { findContext }: RecoveryTools): Promise<boolean> {
  for (const { site, files, next, toolId } of tools) {
    const context = await findContext(site)
    for (const { realPath, after } of files)
      if (((await readSnapshot(realPath, context.disk)).hash ?? null) !== after) return false
    const path = journalPath(toolId, context)
    const { hash } = await readSnapshot(path, context.disk)
    if ((next && journalStep(next, path).content.hash) !== hash) return false
  }
  return true
}

async function finishRecovery(
  { remove, toolId, site, files }: PastTool,
  { home, findContext }: RecoveryTools,
): Promise<void> {
  const context = await findContext(site)
  for (const path of remove) await removeFile({ path }, home.disk)
  for (const { realPath } of files) await deleteTemporaries(realPath, context.disk)
  await deleteTemporaries(journalPath(toolId, context), home.disk)
}

/** Paths of files that were not restored. `left`: permanently. `waiting`: until the keychain returns a key. */
type RollbackResult = { readonly left: readonly string[]; readonly waiting: readonly string[] }

async function rollBackTool(tool: PastTool, { findContext, reveal }: RecoveryTools): Promise<RollbackResult> {
  const context = await findContext(tool.site)
  const unrestoredPaths: string[] = []
  const waitingTools: string[] = []
  for (const file of [...tool.files].reverse()) {
    const outcome = await restoreFile(file, context, reveal)
    if (outcome === 'left') unrestoredPaths.push(file.realPath)
    if (outcome === 'waiting') waitingTools.push(file.realPath)
    // Keep the temporary file of a waiting file. The next start uses it to detect a half-written file.
    else await deleteTemporaries(file.realPath, context.disk)
  }
  if (unrestoredPaths.length > 0 || waitingTools.length > 0) return { left: unrestoredPaths, waiting: waitingTools }
  await pruneFolders(tool.newFolders, context.disk)
  // Delete temporary files of key files, because they contain the key.
  for (const { path } of tool.next?.keyFiles ?? []) await deleteTemporaries(path, context.disk)
  for (const path of tool.newKeyFiles) await removeFile({ path }, context.disk)
  await restoreJournal(tool, context)
  return { left: unrestoredPaths, waiting: waitingTools }
}

async function restoreFile(
  file: PastTool['files'][number],
  context: EngineContext,
  reveal: RevealKey,
): Promise<'given' | 'left' | 'waiting'> {
  const { realPath, before, after } = file
  const { disk } = context
  const currentSnapshot = await readSnapshot(realPath, disk)
  const hash = currentSnapshot.hash ?? null
  if (before === undefined) {
    if (hash === null) return 'given'
    if (hash !== after) return 'left'
    await removeFile({ path: realPath, expect: hash }, disk)
    return 'given'
  }
  const hasContentBefore = hash === before.hash
  // In-place writes change the mode first. Other writes leave only a temporary file when they are interrupted.
  if (
    hasContentBefore &&
    (currentSnapshot.mode === before.mode || (await findTemporaryFiles(realPath, disk)).length === 0)
  )
    return 'given'
  const content = await loadBackup(before, context, reveal).catch((error: unknown) =>
    error instanceof AppError && error.failure.code === 'vault.unavailable' ? 'waiting' : 'left',
  )
  if (typeof content === 'string') return content
  if (!hasContentBefore && hash !== after && !(await isInterruptedWrite(currentSnapshot, file, content, context)))
    return 'left'
  await makeFolders(await missingFolders(realPath, disk), 0o777, disk)
  await writeFile({ path: realPath, content, mode: before.mode, expect: hash, preserve: true }, disk)
  return 'given'
}

/** Whether a file is half-written, which its temporary file with the complete content shows. */
async function isInterruptedWrite(
  { bytes }: Snapshot,
  file: PastTool['files'][number],
  before: Content,
  { disk }: EngineContext,
): Promise<boolean> {
  for (const path of await findTemporaryFiles(file.realPath, disk)) {
    const temporaryBytes = await disk.readFile(path)
    if (
      bytes !== undefined &&
      computeHash(temporaryBytes) === file.after &&
      isHalfWritten(bytes, before.bytes(), temporaryBytes)
    )
      return true
  }
  return false
}

async function restoreJournal({ journal, toolId }: PastTool, context: EngineContext): Promise<void> {
  const path = journalPath(toolId, context)
  await deleteTemporaries(path, context.disk)
  if (!journal) return removeFile({ path }, context.disk)
  await makeFolders(await missingFolders(dirname(path), context.disk), 0o700, context.disk)
  await writeFile(journalStep(journal, path), context.disk)
}
