import type { FileChange, ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { Content, readSnapshot, type Snapshot, type Step } from '../core/files/files'
import { buildRestoreUndo, type ChangeSet, type FileRestore, type Precondition } from './change-set'
import { type OriginalContent, readOriginalContents } from './file-baseline'
import { type FileRecord, type Journal, journalPath, readJournal } from './journal'
import type { WrittenTarget } from './target'
import { keyFileChange, replacementWarnings, settingsChange } from './views'

/** Plans the removal of our settings from a tool's files. Throws `tool.notConfigured`. */
export async function prepareRestore(target: WrittenTarget, context: EngineContext): Promise<ChangeSet> {
  const { journal, hash } = await readJournal(target.id, context)
  if (journal === undefined)
    throw new AppError(
      'tool.notConfigured',
      `${target.name} is not configured by this app, so there is nothing to undo.`,
    )
  const restoresInWriteOrder = await Promise.all(
    journal.files.map(async (record) => {
      const restorations = await readOriginalContents({ target, journal, record }, context)
      return { record, restorations, copy: await findRemovableCopy(record, restorations, context) }
    }),
  )
  // Restore the file with the address first, so that the tool never has the address without the credential.
  const fileRestores = restoresInWriteOrder.reverse()
  const touchedRestorations = fileRestores.flatMap(({ restorations }) =>
    restorations.filter((restoration) => restoration.touched),
  )
  const record = journalPath(target.id, context)
  const folders = fileRestores.flatMap(({ record: { createdFolders } }) => createdFolders)
  const steps = [
    ...fileRestores.flatMap(restoreFileSteps),
    // Delete folders only after all files are restored, because several files may share a folder. Outermost first.
    { kind: 'pruneFolders' as const, paths: folders.sort((a, b) => a.length - b.length) },
  ]
  return {
    kind: 'restore',
    toolId: target.id,
    place: context,
    files: await listChanges(journal, fileRestores, context),
    warnings: [
      ...(await replacementWarnings(steps, context)),
      ...listWarnings(target, touchedRestorations),
      ...(await sessionWarnings(target, context)),
    ],
    preconditions: [
      ...fileRestores.flatMap(({ restorations }) => restorations.map(({ snapshot }) => toPrecondition(snapshot))),
      { path: record, realPath: record, hash },
      ...fileRestores.flatMap(({ copy }) => copy.map(toPrecondition)),
    ],
    steps: [...steps, { kind: 'remove', path: record }],
    tidying: journal.keyFiles.map(({ path }) => ({ kind: 'remove', path })),
    past: buildRestoreUndo(target, journal, fileRestores, context.environment),
  }
}

export function restoreFileSteps({ record, restorations, copy }: FileRestore): Step[] {
  return [
    ...restorations.filter(({ touched }) => touched).map((restoration) => settingsStep(restoration, record)),
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

export function toPrecondition({ path, realPath, hash }: Snapshot): Precondition {
  return { path, realPath, hash: hash ?? null }
}

function settingsStep({ snapshot, bytes }: OriginalContent, { mode: originalMode, writtenMode }: FileRecord): Step {
  const { realPath: path, hash: expect = null, mode = writtenMode } = snapshot
  if (bytes === undefined) return { kind: 'remove', path, expect }
  const isOurMode = mode === writtenMode && originalMode !== undefined
  return {
    kind: 'write',
    path,
    content: new Content(bytes),
    mode: isOurMode ? originalMode : mode,
    expect,
    preserve: true,
  }
}

async function listChanges(
  journal: Journal,
  undoings: readonly FileRestore[],
  context: EngineContext,
): Promise<FileChange[]> {
  const keyFiles = await Promise.all(journal.keyFiles.map(({ path }) => keyFileChange(path, undefined, context)))
  return [
    ...undoings.flatMap((undoing) => settingsChanges(undoing, journal)),
    ...keyFiles.filter(({ action }) => action !== 'none'),
    ...undoings.flatMap(({ copy, record: { format } }) =>
      copy.map((snapshot) => settingsChange(snapshot, undefined, false, format)),
    ),
  ]
}

function settingsChanges({ record, restorations }: FileRestore, { choice }: Journal): FileChange[] {
  const [firstRestoration, ...otherRestorations] = restorations
  const isKeyInFile = choice.delivery === 'plain' || choice.delivery === 'envFile'
  const holdsKey = isKeyInFile && record.owned.some(({ role }) => role === 'credential')
  const shownFiles = [
    ...(firstRestoration ? [firstRestoration] : []),
    ...otherRestorations.filter(({ touched }) => touched),
  ]
  return shownFiles.map(({ snapshot, bytes }) => settingsChange(snapshot, bytes, holdsKey, record.format))
}

function listWarnings({ needsRestart }: WrittenTarget, touched: readonly OriginalContent[]): ToolWarning[] {
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
  const { journal, hash } = await readJournal(target.id, context)
  if (journal === undefined)
    throw new AppError(
      'tool.notConfigured',
      `${target.name} is not configured by this app, so there is nothing to stop managing.`,
    )
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
