import { assertNever } from '@shared/result'
import { Content } from './content'
import type { Disk } from './disk'
import { changed } from './file-errors'
import {
  makeFolders,
  pruneFolders,
  readSnapshot,
  removeFile,
  type Snapshot,
  sweepTemporaries,
  writeFile,
} from './files'
import type { Precondition, Step, ToolPlan } from './plan'

/**
 * Carries out a plan. `file.changed`: something is not as the preview showed it, and nothing was written. When a step of
 * applying fails, what was done is taken back; when a step of restoring fails, restoring again goes on from there.
 */
export async function commit(plan: ToolPlan, disk: Disk): Promise<void> {
  for (const precondition of plan.preconditions) await requireAsPlanned(precondition, disk)
  for (const path of pathsOf(plan)) await sweepTemporaries(path, disk)
  const done: Step[][] = []
  try {
    for (const step of plan.steps) {
      const undo = plan.kind === 'apply' ? await undoOf(step, disk) : []
      if (step.kind === 'makeFolders') done.push(undo)
      await run(step, disk)
      if (step.kind !== 'makeFolders') done.push(undo)
    }
  } catch (error) {
    for (const step of done.reverse().flat()) await run(step, disk).catch(() => undefined)
    throw error
  }
  for (const step of plan.tidying) await run(step, disk).catch(() => undefined)
}

function pathsOf({ preconditions, steps, tidying }: ToolPlan): Set<string> {
  const written = [...steps, ...tidying].flatMap((step) => ('path' in step ? [step.path] : []))
  return new Set([...preconditions.map(({ realPath }) => realPath), ...written])
}

async function requireAsPlanned({ path, realPath, hash }: Precondition, disk: Disk): Promise<void> {
  const now = await readSnapshot(path, disk)
  if (now.realPath !== realPath || (now.hash ?? null) !== hash) throw changed(path)
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

/** The steps that bring back what a step is about to change. */
async function undoOf(step: Step, disk: Disk): Promise<Step[]> {
  switch (step.kind) {
    case 'write':
    case 'remove':
      return [rewriteOf(await readSnapshot(step.path, disk))]
    case 'makeFolders':
      return [{ kind: 'pruneFolders', paths: step.paths }]
    case 'pruneFolders':
      return [{ kind: 'makeFolders', paths: step.paths, mode: 0o777 }]
    default:
      return assertNever(step)
  }
}

function rewriteOf({ realPath, bytes, mode }: Snapshot): Step {
  if (bytes === undefined) return { kind: 'remove', path: realPath }
  return { kind: 'write', path: realPath, content: new Content(bytes), mode: mode ?? 0o600 }
}
