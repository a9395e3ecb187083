import { join } from 'node:path'
import type { FileChange, ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { Content } from './content'
import { readSnapshot, type Snapshot } from './files'
import { backupFolder, type Journal, journalPath, readJournal } from './journal'
import type { Place, Precondition, Step, ToolPlan } from './plan'
import { type Restoration, restorationsOf } from './restoration'
import type { Target } from './target'
import { keyFileChange, settingsChange } from './views'

/** Reads and decides how a tool's files become what they would be without us; `tool.notConfigured` when nothing was done. */
export async function planRestore(target: Target, place: Place): Promise<ToolPlan> {
  const { journal, hash } = await readJournal(target.id, place)
  if (journal === undefined)
    throw new AppError(
      'tool.notConfigured',
      `${target.name} is not configured by this app, so there is nothing to undo.`,
    )
  const restorations = await restorationsOf(target, journal, place)
  const copy = await copyToRemove(journal, restorations, place)
  const touched = restorations.filter((restoration) => restoration.touched)
  return {
    kind: 'restore',
    toolId: target.id,
    files: await changesOf({ journal, restorations, copy }, place),
    warnings: warningsOf(target, touched),
    preconditions: [
      ...restorations.map(({ snapshot }) => preconditionOf(snapshot)),
      { ...preconditionOf({ path: journalPath(target.id, place), realPath: journalPath(target.id, place) }), hash },
      ...copy.map(preconditionOf),
    ],
    steps: restoreSteps({ journal, restorations, copy }, place),
    tidying: backupPaths(journal, place).map((path) => ({ kind: 'remove', path })),
  }
}

/** What restoring has to go on. */
export type Undoing = {
  readonly journal: Journal
  readonly restorations: readonly Restoration[]
  /** The commented copy, when it is ours to remove. */
  readonly copy: readonly Snapshot[]
}

/** Settings first, with address and credential in one write, then the key that they pointed at, then our record. */
export function restoreSteps({ journal, restorations, copy }: Undoing, place: Place): Step[] {
  return [
    ...restorations.filter(({ touched }) => touched).map((restoration) => settingsStep(restoration, journal)),
    { kind: 'pruneFolders', paths: journal.createdFolders },
    ...journal.keyFiles.map(({ path }): Step => ({ kind: 'remove', path })),
    ...copy.map(({ path, hash }): Step => ({ kind: 'remove', path, expect: hash ?? null })),
    { kind: 'remove', path: journalPath(journal.toolId, place) },
  ]
}

/** The commented copy goes when the commented original itself comes back and nobody changed the copy. */
export async function copyToRemove(
  { commentsCopy, realPath }: Journal,
  restorations: readonly Restoration[],
  { disk }: Place,
): Promise<Snapshot[]> {
  const isBack = restorations.some(({ snapshot, exact }) => exact && snapshot.realPath === realPath && snapshot.bytes)
  if (commentsCopy === undefined || !isBack) return []
  const copy = await readSnapshot(commentsCopy.path, disk)
  return copy.hash === commentsCopy.hash ? [copy] : []
}

/** Where the original is kept. */
export function backupPaths({ backup }: Journal, place: Place): string[] {
  return backup === undefined ? [] : [join(backupFolder(place), backup.file)]
}

/** That a file must still be as it was read. */
export function preconditionOf({ path, realPath, hash }: Snapshot): Precondition {
  return { path, realPath, hash: hash ?? null }
}

function settingsStep({ snapshot, bytes }: Restoration, { mode: originalMode, writtenMode }: Journal): Step {
  const { realPath: path, hash: expect = null, mode = writtenMode } = snapshot
  if (bytes === undefined) return { kind: 'remove', path, expect }
  const isOurMode = mode === writtenMode && originalMode !== undefined
  return { kind: 'write', path, content: new Content(bytes), mode: isOurMode ? originalMode : mode, expect }
}

async function changesOf({ journal, restorations, copy }: Undoing, place: Place): Promise<FileChange[]> {
  const [first, ...others] = restorations
  const holdsKey = journal.choice.delivery === 'plain'
  const settings = [...(first ? [first] : []), ...others.filter(({ touched }) => touched)]
  const keyFiles = await Promise.all(journal.keyFiles.map(({ path }) => keyFileChange(path, undefined, place)))
  return [
    ...settings.map(({ snapshot, bytes }) => settingsChange({ snapshot, after: bytes, holdsKey })),
    ...keyFiles.filter(({ action }) => action !== 'none'),
    ...copy.map((snapshot) => settingsChange({ snapshot, after: undefined, holdsKey: false })),
  ]
}

function warningsOf({ needsRestart }: Target, touched: readonly Restoration[]): ToolWarning[] {
  return [
    ...touched
      .filter(({ exact }) => !exact)
      .map(({ snapshot }) => ({ code: 'fileChangedSince' as const, subject: snapshot.path })),
    ...(needsRestart && touched.length > 0 ? [{ code: 'restartNeeded' as const }] : []),
  ]
}
