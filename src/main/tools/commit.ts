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
  type Snapshot,
  type Step,
  writeFile,
} from '../core/files/files'
import { withProcessLockAsync } from '../core/sqlite/process-lock'
import type { ChangeSet, Precondition } from './change-set'
import { stampedJournal } from './change-steps'
import { begin, dropEntry, type Entry, type Home, prune, toHistoryEntry, writeEntry } from './history'
import { journalPath } from './journal'

/**
 * Applies plans all or nothing. `file.changed`: a file differs from the preview, and nothing was written. A failed
 * step rolls back; `recover` does so after a kill.
 */
export function commit(plans: readonly ChangeSet[], home: Home): Promise<void> {
  return withToolsLock(home, () => executeAll(plans, home))
}

/**
 * Runs `work` while holding the tools lock, which all processes of this app share. It protects journals and backups
 * between the precondition check and the last write. Fails with `storage.*`.
 */
export async function withToolsLock<T>(home: Home, work: () => Promise<T>): Promise<T> {
  const lock = join(home.dataDir, 'tools.lock')
  await makeFolders(await missingFolders(lock, home.disk), 0o700, home.disk)
  return withProcessLockAsync(lock, work)
}

async function executeAll(prepared: readonly ChangeSet[], home: Home): Promise<void> {
  const timestamp = home.clock().toISOString()
  const plans = prepared.map((plan) => writtenAt(plan, timestamp))
  for (const { preconditions, place } of plans)
    for (const precondition of preconditions) await requireAsPlanned(precondition, place.disk)
  for (const plan of plans) for (const path of listPaths(plan)) await deleteTemporaries(path, plan.place.disk)
  const entry = toHistoryEntry(plans, home)
  await begin(entry, plans, home)
  await execute(plans, entry, home)
  await writeEntry({ ...entry, state: 'written' }, home)
  await tidy(plans, entry, home)
}

/** Replaces the time of the preview with the time of the write. */
function writtenAt(plan: ChangeSet, timestamp: string): ChangeSet {
  const { kind, toolId, place, steps, tidying, past } = plan
  if (kind !== 'apply' || past.next === undefined) return plan
  const record = journalPath(toolId, place)
  const stamp = (step: Step): Step =>
    step.kind === 'write' && step.path === record ? { ...step, content: stampedJournal(step.content, timestamp) } : step
  return {
    ...plan,
    steps: steps.map(stamp),
    tidying: tidying.map(stamp),
    past: { ...past, next: { ...past.next, at: timestamp } },
  }
}

async function execute(plans: readonly ChangeSet[], entry: Entry, home: Home): Promise<void> {
  const doneSteps: { readonly undo: readonly Step[]; readonly disk: Disk }[] = []
  try {
    for (const { steps, place } of plans) {
      for (const step of steps) {
        const undo = await buildUndo(step, place.disk)
        if (step.kind === 'makeFolders') doneSteps.push({ undo, disk: place.disk })
        await run(step, place.disk)
        if (step.kind !== 'makeFolders') doneSteps.push({ undo, disk: place.disk })
      }
    }
  } catch (error) {
    for (const { undo, disk } of doneSteps.reverse())
      for (const step of undo) await run(step, disk).catch(() => undefined)
    await dropEntry(entry, home).catch(() => undefined)
    await prune(home).catch(() => undefined)
    throw error
  }
}

/** If cleanup fails, the history entry stays in state `written`, and the next start retries it. */
async function tidy(plans: readonly ChangeSet[], entry: Entry, home: Home): Promise<void> {
  try {
    for (const { tidying, place } of plans) for (const step of tidying) await run(step, place.disk)
    await writeEntry({ ...entry, state: 'done' }, home)
    await prune(home)
  } catch {
    return
  }
}

function listPaths({ preconditions, steps, tidying }: ChangeSet): Set<string> {
  const writtenPaths = [...steps, ...tidying].flatMap((step) => ('path' in step ? [step.path] : []))
  return new Set([...preconditions.map(({ realPath }) => realPath), ...writtenPaths])
}

async function requireAsPlanned({ path, realPath, hash }: Precondition, disk: Disk): Promise<void> {
  const current = await readSnapshot(path, disk)
  if (current.realPath !== realPath || (current.hash ?? null) !== hash) throw createChangedError(path)
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
    case 'remove':
      return [toRewriteStep(await readSnapshot(step.path, disk))]
    case 'makeFolders':
      return [{ kind: 'pruneFolders', paths: step.paths }]
    case 'pruneFolders':
      return [{ kind: 'makeFolders', paths: step.paths, mode: 0o777 }]
    default:
      return assertNever(step)
  }
}

function toRewriteStep({ realPath, bytes, mode }: Snapshot): Step {
  if (bytes === undefined) return { kind: 'remove', path: realPath }
  return { kind: 'write', path: realPath, content: new Content(bytes), mode: mode ?? 0o600, preserve: true }
}
