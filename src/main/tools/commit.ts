import { join } from 'node:path'
import { assertNever } from '@shared/failure'
import type { Disk } from '../core/files/disk'
import {
  Content,
  createChangedError,
  deleteTemporaries,
  makeFolders,
  missingFolders,
  pruneFolders,
  readSnapshot,
  removeFile,
  type Step,
  writeFile,
} from '../core/files/files'
import { withProcessLockAsync } from '../core/sqlite/process-lock'
import type { ChangeSet } from './change-set'
import { stampedJournal } from './change-steps'
import {
  beginChange,
  dropEntry,
  type Entry,
  type HistoryContext,
  pruneHistory,
  toHistoryEntry,
  writeEntry,
} from './history'
import { journalPath } from './journal'

/** Applies plans all or nothing. `file.changed`: a file differs from its preview. A failed step rolls back. */
export function commit(plans: readonly ChangeSet[], home: HistoryContext): Promise<void> {
  return withToolsLock(home, () => executeAll(plans, home))
}

/**
 * Runs `work` while holding the tools lock, which all processes of this app share. It protects journals and backups
 * between the precondition check and the last write. Fails with `storage.*`.
 */
export async function withToolsLock<T>(home: HistoryContext, work: () => Promise<T>): Promise<T> {
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
  const entry = toHistoryEntry(plans, home)
  await beginChange(entry, plans, home)
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
