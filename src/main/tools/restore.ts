import type { FileChange, ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { Content, readSnapshot, type Snapshot, type Step } from '../core/files/files'
import {
  type ChangeSet,
  findOwnSecret,
  keyFileChange,
  type PlannedFile,
  replacementWarnings,
  toFileChange,
  toPrecondition,
  toUndoFile,
} from './change-set'
import { type OriginalContent, readOriginalContents } from './file-baseline'
import { type FileRecord, type Journal, journalPath, readJournal } from './journal'
import type { WrittenTarget } from './target'

type FileRestore = {
  readonly record: FileRecord
  readonly restorations: readonly OriginalContent[]
  /** Copy with the original comments of a file. Empty if this app may not remove the copy. */
  readonly copy: readonly Snapshot[]
}

/** Plans the removal of our settings from a tool's files. Throws `tool.notConfigured`. */
export async function prepareRestore(target: WrittenTarget, context: EngineContext): Promise<ChangeSet> {
  const { journal, hash } = await requireJournal(target, context, 'undo')
  // Restore the file with the address first, so that the tool never has the address without the credential.
  const fileRestores = await Promise.all(
    journal.files.toReversed().map(async (record) => {
      const restorations = await readOriginalContents({ target, journal, record }, context)
      return { record, restorations, copy: await findRemovableCopy(record, restorations, context) }
    }),
  )
  const record = journalPath(target.id, context)
  const folders = fileRestores.flatMap(({ record: { createdFolders } }) => createdFolders)
  const steps = [
    ...fileRestores.flatMap(restoreFileSteps),
    // Delete folders only after all files are restored, because several files may share a folder. Outermost first.
    { kind: 'pruneFolders' as const, paths: folders.sort((a, b) => a.length - b.length) },
  ]
  const { delivery } = journal.choice
  const isKeyInFile = delivery === 'plain' || delivery === 'envFile'
  const settingsFiles = fileRestores.flatMap(({ record: { owned, format }, restorations }) => {
    const holdsKey = isKeyInFile && owned.some(({ role }) => role === 'credential')
    return restorations.map((restoration, index) => ({ ...restoration, format, holdsKey, isWrittenPath: index === 0 }))
  })
  const copies = fileRestores.flatMap(({ record: { format }, copy }) =>
    copy.map((snapshot): PlannedFile => ({ snapshot, bytes: undefined, format })),
  )
  const writtenFiles = fileRestores.flatMap(({ record: { id }, restorations: [written] }) => {
    const file = target.files.find((candidate) => candidate.id === id)
    return file && written ? [{ file, snapshot: written.snapshot }] : []
  })
  const secret = findOwnSecret(writtenFiles, target, journal, context.environment)
  const undoFiles = [...settingsFiles.filter(({ touched }) => touched), ...copies]
  return {
    kind: 'restore',
    toolId: target.id,
    place: context,
    files: [
      ...settingsFiles.filter(({ touched, isWrittenPath }) => touched || isWrittenPath).map(toFileChange),
      ...(await listKeyFileChanges(journal, context)),
      ...copies.map(toFileChange),
    ],
    warnings: [
      ...(await replacementWarnings(steps, context)),
      ...listWarnings(target, fileRestores),
      ...(await sessionWarnings(target, context)),
    ],
    preconditions: [
      ...settingsFiles.map(({ snapshot }) => toPrecondition(snapshot)),
      { path: record, realPath: record, hash },
      ...copies.map(({ snapshot }) => toPrecondition(snapshot)),
    ],
    steps: [...steps, { kind: 'remove', path: record }],
    tidying: journal.keyFiles.map(({ path }) => ({ kind: 'remove', path })),
    past: {
      journal,
      next: undefined,
      files: undoFiles.map((file) => toUndoFile(file, secret)),
      newFolders: [],
      newKeyFiles: [],
    },
  }
}

async function requireJournal(target: WrittenTarget, context: EngineContext, action: string) {
  const { journal, hash } = await readJournal(target.id, context)
  if (journal) return { journal, hash }
  const message = `${target.name} is not configured by this app, so there is nothing to ${action}.`
  throw new AppError('tool.notConfigured', message)
}

export function restoreFileSteps({ record, restorations, copy }: FileRestore): Step[] {
  const { writtenMode, mode: originalMode } = record
  const steps = restorations
    .filter(({ touched }) => touched)
    .map(({ snapshot, bytes }): Step => {
      const { realPath: path, hash: expect = null, mode = writtenMode } = snapshot
      if (bytes === undefined) return { kind: 'remove', path, expect }
      const restoredMode = mode === writtenMode ? (originalMode ?? mode) : mode
      return { kind: 'write', path, content: new Content(bytes), mode: restoredMode, expect, preserve: true }
    })
  return [
    ...steps,
    { kind: 'pruneFolders', paths: record.createdFolders },
    ...copy.map(({ path, hash }): Step => ({ kind: 'remove', path, expect: hash ?? null })),
  ]
}

/** The copy with comments, if the original with its comments is restored and the copy is unchanged. */
export async function findRemovableCopy(
  { commentsCopy, realPath }: FileRecord,
  restorations: readonly OriginalContent[],
  { disk }: EngineContext,
): Promise<Snapshot[]> {
  const isOriginalRestored = restorations.some(
    ({ snapshot, exact }) => exact && snapshot.realPath === realPath && snapshot.bytes,
  )
  if (commentsCopy === undefined || !isOriginalRestored) return []
  const copy = await readSnapshot(commentsCopy.path, disk)
  return copy.hash === commentsCopy.hash ? [copy] : []
}

/** Key files that are deleted, and only those that exist. */
async function listKeyFileChanges({ keyFiles }: Journal, context: EngineContext): Promise<FileChange[]> {
  const changes = await Promise.all(keyFiles.map(({ path }) => keyFileChange(path, undefined, context)))
  return changes.filter(({ action }) => action !== 'none')
}

function listWarnings({ needsRestart }: WrittenTarget, fileRestores: readonly FileRestore[]): ToolWarning[] {
  const touched = fileRestores.flatMap(({ restorations }) => restorations.filter((restoration) => restoration.touched))
  return [
    ...touched
      .filter(({ exact }) => !exact)
      .map(({ snapshot }) => ({ code: 'fileChangedSince' as const, subject: snapshot.path })),
    ...touched.flatMap(({ snapshot: { path }, replaced = [] }) =>
      replaced.map((subject) => ({ code: 'laterValueReplaced' as const, subject, path })),
    ),
    ...(needsRestart && touched.length > 0 ? [{ code: 'restartNeeded' as const }] : []),
  ]
}

const maxNamedSessions = 10

async function sessionWarnings({ sessions }: WrittenTarget, { environment }: EngineContext): Promise<ToolWarning[]> {
  const ownSessions = (await sessions?.(environment))?.own ?? []
  if (ownSessions.length === 0) return []
  const moreText = ownSessions.length > maxNamedSessions ? [`+${ownSessions.length - maxNamedSessions}`] : []
  return [{ code: 'sessionsNeedProvider', subject: [...ownSessions.slice(-maxNamedSessions), ...moreText].join(', ') }]
}

/** Plans to stop managing a tool. Its files stay unchanged. */
export async function prepareUnmanage(target: WrittenTarget, context: EngineContext): Promise<ChangeSet> {
  const { journal, hash } = await requireJournal(target, context, 'stop managing')
  const snapshots = await Promise.all(journal.files.map(({ realPath }) => readSnapshot(realPath, context.disk)))
  const texts = snapshots.map(({ bytes }) => Buffer.from(bytes ?? '').toString())
  const isReferencedFile = (path: string): boolean =>
    texts.some((text) => text.includes(path) || text.includes(path.replaceAll('\\', '/')))
  const unusedKeyFiles = journal.keyFiles.filter(({ path }) => !isReferencedFile(path))
  const path = journalPath(target.id, context)
  return {
    kind: 'letGo',
    toolId: target.id,
    place: context,
    files: [],
    warnings: [],
    preconditions: [{ path, realPath: path, hash }, ...snapshots.map(toPrecondition)],
    steps: [{ kind: 'remove', path }],
    tidying: unusedKeyFiles.map((file): Step => ({ kind: 'remove', path: file.path })),
    past: { journal, next: undefined, files: [], newFolders: [], newKeyFiles: [] },
  }
}
