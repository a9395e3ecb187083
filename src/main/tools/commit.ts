import { join } from 'node:path'
import type { Recovery } from '@shared/contract/tools'
import { AppError, assertNever } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import type { Disk } from '../core/files/disk'
import {
  Content,
  computeHash,
  createChangedError,
  deleteTemporaries,
  findTemporaryFiles,
  isHalfWritten,
  makeFolders,
  missingFolders,
  pruneFolders,
  readSnapshot,
  removeFile,
  type Snapshot,
  type Step,
  writeFile,
} from '../core/files/files'
import { withProcessLockAsync } from '../core/sqlite/process-lock'
import type { ChangeSet } from './change-set'
import {
  beginChange,
  dropEntry,
  type Entry,
  type HistoryContext,
  pruneHistory,
  readHistory,
  writeEntry,
} from './history'
import { journalPath, journalStep, loadBackup, type PastTool, type RevealKey, stampedJournal } from './journal'

/** Applies plans all or nothing. `file.changed`: a file differs from its preview. A failed step rolls back. */
export function commit(plans: readonly ChangeSet[], home: HistoryContext): Promise<void> {
  return withToolsLock(home, () => executeAll(plans, home))
}

/**
 * Runs `work` while holding the tools lock, which all processes of this app share. It protects journals and backups
 * between the precondition check and the last write. Fails with `storage.*`.
 */
async function withToolsLock<T>(home: HistoryContext, work: () => Promise<T>): Promise<T> {
  const lock = join(home.dataDir, 'tools.lock')
  await makeFolders(await missingFolders(lock, home.disk), 0o700, home.disk)
  return withProcessLockAsync(lock, work)
}

async function executeAll(prepared: readonly ChangeSet[], home: HistoryContext): Promise<void> {
  const timestamp = home.clock().toISOString()
  const plans = prepared.map((plan) => setWriteTime(plan, timestamp))
  for (const { preconditions, place } of plans)
    for (const { path, realPath, hash } of preconditions) {
      const current = await readSnapshot(path, place.disk)
      if (current.realPath !== realPath || (current.hash ?? null) !== hash) throw createChangedError(path)
    }
  for (const { preconditions, steps, tidying, place } of plans) {
    const writtenPaths = [...steps, ...tidying].flatMap((step) => ('path' in step ? [step.path] : []))
    const paths = new Set([...preconditions.map(({ realPath }) => realPath), ...writtenPaths])
    for (const path of paths) await deleteTemporaries(path, place.disk)
  }
  const entry = await beginChange(plans, home)
  await executeChangeSets(plans, entry, home)
  await writeEntry({ ...entry, state: 'written' }, home)
  try {
    for (const { tidying, place } of plans) for (const step of tidying) await run(step, place.disk)
    await writeEntry({ ...entry, state: 'done' }, home)
    await pruneHistory(home)
  } catch {
    // The entry stays in state `written`, and the next start retries the cleanup.
  }
}

/** Replaces the time of the preview with the time of the write. */
function setWriteTime(plan: ChangeSet, timestamp: string): ChangeSet {
  const { kind, toolId, place, steps, tidying, past } = plan
  if (kind !== 'apply' || past.next === undefined) return plan
  const record = journalPath(toolId, place)
  const setJournalTime = (step: Step): Step =>
    step.kind === 'write' && step.path === record ? { ...step, content: stampedJournal(step.content, timestamp) } : step
  return {
    ...plan,
    steps: steps.map(setJournalTime),
    tidying: tidying.map(setJournalTime),
    past: { ...past, next: { ...past.next, at: timestamp } },
  }
}

async function executeChangeSets(plans: readonly ChangeSet[], entry: Entry, home: HistoryContext): Promise<void> {
  const completedSteps: { readonly undo: readonly Step[]; readonly disk: Disk }[] = []
  try {
    for (const { steps, place } of plans) {
      for (const step of steps) {
        const undoSteps = await buildUndo(step, place.disk)
        if (step.kind === 'makeFolders') completedSteps.push({ undo: undoSteps, disk: place.disk })
        await run(step, place.disk)
        if (step.kind !== 'makeFolders') completedSteps.push({ undo: undoSteps, disk: place.disk })
      }
    }
  } catch (error) {
    for (const { undo, disk } of completedSteps.reverse())
      for (const step of undo) await run(step, disk).catch(() => undefined)
    await dropEntry(entry, home).catch(() => undefined)
    await pruneHistory(home).catch(() => undefined)
    throw error
  }
}

async function run(step: Step, disk: Disk): Promise<void> {
  switch (step.kind) {
    case 'write':
      return writeFile(step, disk)
    case 'remove':
      return removeFile(step, disk)
    case 'makeFolders':
      return makeFolders(step.paths, step.mode, disk)
    case 'pruneFolders':
      return pruneFolders(step.paths, disk)
    default:
      return assertNever(step)
  }
}

async function buildUndo(step: Step, disk: Disk): Promise<Step[]> {
  switch (step.kind) {
    case 'write':
    case 'remove': {
      const { realPath: path, bytes, mode = 0o600 } = await readSnapshot(step.path, disk)
      if (bytes === undefined) return [{ kind: 'remove', path }]
      return [{ kind: 'write', path, content: new Content(bytes), mode, preserve: true }]
    }
    case 'makeFolders':
      return [{ kind: 'pruneFolders', paths: step.paths }]
    case 'pruneFolders':
      return [{ kind: 'makeFolders', paths: step.paths, mode: 0o777 }]
    default:
      return assertNever(step)
  }
}

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
  const undone: Recovery['undone'] = []
  const left: string[] = []
  const waiting: string[] = []
  for (const entry of unfinishedEntries) {
    const isFinished = entry.state === 'written' || (await isComplete(entry, tools))
    if (isFinished) for (const tool of entry.tools) await finishRecovery(tool, tools)
    else {
      const outcomes: RollbackResult[] = []
      for (const tool of entry.tools.toReversed()) outcomes.push(await rollBackTool(tool, tools))
      left.push(...outcomes.flatMap((outcome) => outcome.left))
      waiting.push(...outcomes.flatMap((outcome) => outcome.waiting))
      if (outcomes.some((outcome) => outcome.waiting.length > 0)) continue
      undone.push(...entry.tools.map(({ toolId, site }) => ({ toolId, site, at: entry.at })))
    }
    await writeEntry({ ...entry, state: isFinished ? 'done' : 'undone' }, home)
  }
  if (unfinishedEntries.length > 0) await pruneHistory(home)
  return { undone, left, ...(waiting.length > 0 ? { waiting } : {}) }
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

async function finishRecovery(tool: PastTool, { home, findContext }: RecoveryTools): Promise<void> {
  const { remove, toolId, site, files } = tool
  const context = await findContext(site)
  for (const path of remove) await removeFile({ path }, home.disk)
  for (const { realPath } of files) await deleteTemporaries(realPath, context.disk)
  await deleteTemporaries(journalPath(toolId, context), home.disk)
}

/** Paths of files that were not restored. `left`: permanently. `waiting`: until the keychain returns a key. */
type RollbackResult = { readonly left: readonly string[]; readonly waiting: readonly string[] }

async function rollBackTool(tool: PastTool, { findContext, reveal }: RecoveryTools): Promise<RollbackResult> {
  const context = await findContext(tool.site)
  const { disk } = context
  const left: string[] = []
  const waiting: string[] = []
  for (const file of tool.files.toReversed()) {
    const outcome = await restoreFile(file, context, reveal)
    if (outcome === 'left') left.push(file.realPath)
    if (outcome === 'waiting') waiting.push(file.realPath)
    // Keep the temporary file of a waiting file. The next start uses it to detect a half-written file.
    else await deleteTemporaries(file.realPath, disk)
  }
  if (left.length > 0 || waiting.length > 0) return { left, waiting }
  await pruneFolders(tool.newFolders, disk)
  // Delete temporary files of key files, because they contain the key.
  for (const { path } of tool.next?.keyFiles ?? []) await deleteTemporaries(path, disk)
  for (const path of tool.newKeyFiles) await removeFile({ path }, disk)
  const path = journalPath(tool.toolId, context)
  await deleteTemporaries(path, disk)
  if (tool.journal) {
    await makeFolders(await missingFolders(path, disk), 0o700, disk)
    await writeFile(journalStep(tool.journal, path), disk)
  } else await removeFile({ path }, disk)
  return { left, waiting }
}

async function restoreFile(
  file: PastTool['files'][number],
  context: EngineContext,
  reveal: RevealKey,
): Promise<'given' | 'left' | 'waiting'> {
  const { realPath, before, after } = file
  const { disk } = context
  const current = await readSnapshot(realPath, disk)
  const hash = current.hash ?? null
  if (before === undefined) {
    if (hash === null) return 'given'
    if (hash !== after) return 'left'
    await removeFile({ path: realPath, expect: hash }, disk)
    return 'given'
  }
  const hasContentBefore = hash === before.hash
  // In-place writes change the mode first. Other writes leave only a temporary file when they are interrupted.
  if (hasContentBefore && (current.mode === before.mode || (await findTemporaryFiles(realPath, disk)).length === 0))
    return 'given'
  const content = await loadBackup(before, context, reveal).catch((error: unknown) =>
    error instanceof AppError && error.failure.code === 'vault.unavailable' ? 'waiting' : 'left',
  )
  if (typeof content === 'string') return content
  if (!hasContentBefore && hash !== after && !(await isInterruptedWrite(current, file, content, context))) return 'left'
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
