import type { ToolWarning } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { Content, readSnapshot, type Snapshot, type Step } from '../core/files/files'
import { type ChangeSet, createChangeSet, type PlannedFile } from './change-set'
import { type OriginalContent, readOriginalContents } from './file-baseline'
import { type FileRecord, journalPath, readJournal } from './journal'
import type { WrittenTarget } from './target'

type FileRestore = {
  readonly record: FileRecord
  readonly restorations: readonly OriginalContent[]
  /** Copy with the original comments of a file. Empty if this app may not remove the copy. */
  readonly copy: readonly Snapshot[]
}

/** Plans the removal of our settings from a tool's files. Throws `tool.notConfigured`. */
export async function prepareRestore(target: WrittenTarget, context: EngineContext): Promise<ChangeSet> {
  const start = await requireJournal(target, context, 'undo')
  const { journal } = start
  // Restore the file with the address first, so that the tool never has the address without the credential.
  const fileRestores = await Promise.all(
    journal.files.toReversed().map(async (record) => {
      const restorations = await readOriginalContents({ target, journal, record }, context)
      return { record, restorations, copy: await findRemovableCopy(record, restorations, context) }
    }),
  )
  const folders = fileRestores.flatMap(({ record: { createdFolders } }) => createdFolders)
  const { delivery } = journal.choice
  const isKeyInFile = delivery === 'plain' || delivery === 'envFile'
  const settingsFiles = fileRestores.flatMap(({ record: { owned, format }, restorations }) => {
    const holdsKey = isKeyInFile && owned.some(({ role }) => role === 'credential')
    return restorations.map((file, index) => ({ ...file, format, holdsKey, isListed: file.touched || index === 0 }))
  })
  const copies = fileRestores.flatMap(({ record: { format }, copy }) =>
    copy.map((snapshot): PlannedFile => ({ snapshot, bytes: undefined, format })),
  )
  return createChangeSet({
    kind: 'restore',
    target,
    place: context,
    start,
    files: [...settingsFiles, ...copies],
    unusedKeyFiles: journal.keyFiles.map(({ path }) => path),
    warnings: [...listWarnings(target, fileRestores), ...(await sessionWarnings(target, context))],
    steps: [
      ...fileRestores.flatMap(restoreFileSteps),
      // Delete folders only after all files are restored, because several files may share a folder. Outermost first.
      { kind: 'pruneFolders', paths: folders.sort((a, b) => a.length - b.length) },
      { kind: 'remove', path: journalPath(target.id, context) },
    ],
  })
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
  const start = await requireJournal(target, context, 'stop managing')
  const { files, keyFiles } = start.journal
  const snapshots = await Promise.all(files.map(({ realPath }) => readSnapshot(realPath, context.disk)))
  const texts = snapshots.map(({ bytes }) => Buffer.from(bytes ?? '').toString())
  const isReferencedFile = (path: string): boolean =>
    texts.some((text) => text.includes(path) || text.includes(path.replaceAll('\\', '/')))
  return createChangeSet({
    kind: 'letGo',
    target,
    place: context,
    start,
    files: snapshots.map((snapshot) => ({ snapshot, bytes: snapshot.bytes, format: 'text', touched: false })),
    unusedKeyFiles: keyFiles.map(({ path }) => path).filter((path) => !isReferencedFile(path)),
    warnings: [],
    steps: [{ kind: 'remove', path: journalPath(target.id, context) }],
  })
}
