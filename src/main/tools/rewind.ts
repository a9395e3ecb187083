import { AppError } from '@shared/failure'
import type { ChangeSet, UndoFile } from './change-set'
import { journalStep } from './change-steps'
import type { EngineContext } from './environment'
import { readOriginalContents } from './file-baseline'
import { Content, missingFolders, readSnapshot, type Step } from './files'
import type { PastTool } from './history'
import { digestOf, type Journal, journalPath, keyRefOf, readJournal } from './journal'
import { preconditionOf, restoreFileSteps } from './restore'
import type { WrittenTarget } from './target'
import { loadBackup, type RevealKey } from './tool-backup'
import { fileOf, ownSecretIn } from './undo-data'
import { replacementWarnings, settingsChange } from './views'

/** What going back has to work with. */
export type RewindTools = { readonly target: WrittenTarget; readonly place: EngineContext; readonly reveal: RevealKey }

/** Reads and decides how one tool's files become what they were right before a write; nothing is written. */
export async function prepareRewind(tool: PastTool, tools: RewindTools): Promise<ChangeSet> {
  const { target, place } = tools
  const { journal, hash } = await readJournal(target.id, place)
  const files = await Promise.all(tool.files.map((file) => rewoundFile(file, { ...tools, journal })))
  const others = await otherFiles(journal, tool, tools)
  const path = journalPath(target.id, place)
  const kept = tool.journal?.keyFiles.map((file) => file.path) ?? []
  const steps = [...files, ...others].flatMap((file) => file.steps)
  const oldKeys = (journal?.keyFiles ?? []).filter((file) => !kept.includes(file.path))
  return {
    kind: 'rewind',
    toolId: target.id,
    place,
    files: [...files.map(({ change }) => change), ...others.map(({ change }) => change)],
    warnings: [
      ...(await replacementWarnings(steps, place)),
      ...(target.needsRestart ? [{ code: 'restartNeeded' as const }] : []),
    ],
    preconditions: [
      ...[...files, ...others].map(({ snapshot }) => preconditionOf(snapshot)),
      { path, realPath: path, hash },
    ],
    steps: [
      ...(await keyFileSteps(tool.journal, tools)),
      tool.journal ? journalStep(tool.journal, path) : { kind: 'remove', path },
      ...steps,
    ],
    tidying: oldKeys.map((file) => ({ kind: 'remove', path: file.path })),
    past: {
      journal,
      next: tool.journal,
      files: [...files, ...others].map(({ past }) => past),
      newFolders: [],
      newKeyFiles: [],
    },
  }
}

type Rewound = {
  readonly snapshot: Awaited<ReturnType<typeof readSnapshot>>
  readonly change: ChangeSet['files'][number]
  readonly steps: readonly Step[]
  readonly past: UndoFile
}

async function rewoundFile(
  { realPath, path, before, format }: PastTool['files'][number],
  { target, place, reveal, journal }: RewindTools & { readonly journal: Journal | undefined },
): Promise<Rewound> {
  const snapshot = { ...(await readSnapshot(realPath, place.disk)), path }
  const content = before && (await loadBackup(before, place, reveal))
  const after = content?.bytes()
  const folders = await missingFolders(realPath, place.disk)
  const expect = snapshot.hash ?? null
  const steps: Step[] =
    content === undefined || before === undefined
      ? [
          { kind: 'remove', path: realPath, expect },
          { kind: 'pruneFolders', paths: foldersOf(journal, realPath) },
        ]
      : [
          ...(folders.length > 0 ? [{ kind: 'makeFolders' as const, paths: folders, mode: 0o777 }] : []),
          { kind: 'write', path: realPath, content, mode: before.mode, expect, preserve: true },
        ]
  const secret = secretIn(snapshot, { target, journal, place })
  return {
    snapshot,
    change: settingsChange({ snapshot, after, holdsKey: before?.key !== undefined, format }),
    steps: expect === (before?.hash ?? null) ? [] : steps,
    past: fileOf(snapshot, { after: content?.hash ?? null, secret, format }),
  }
}

function foldersOf(journal: Journal | undefined, realPath: string): string[] {
  return journal?.files.find((file) => file.realPath === realPath)?.createdFolders ?? []
}

type Ground = { readonly target: WrittenTarget; readonly journal: Journal | undefined; readonly place: EngineContext }

function secretIn(snapshot: Rewound['snapshot'], { target, journal, place }: Ground) {
  const record = journal?.files.find(({ realPath }) => realPath === snapshot.realPath)
  const file = target.files.find(({ id }) => id === record?.id)
  return file && ownSecretIn([{ file, snapshot }], { target, journal, environment: place.environment })
}

/** Files that hold our settings now and did not then: they become what they would be without us. */
async function otherFiles(
  journal: Journal | undefined,
  tool: PastTool,
  { target, place }: RewindTools,
): Promise<Rewound[]> {
  const known = tool.files.map(({ realPath }) => realPath)
  const records = (journal?.files ?? []).filter(({ realPath }) => !known.includes(realPath))
  const rewound = records.map(async (record) => {
    const restorations = journal ? await readOriginalContents({ target, journal, record }, place) : []
    return restorations
      .filter(({ touched }) => touched)
      .map((restoration) => {
        const { snapshot, bytes } = restoration
        const { format } = record
        const after = bytes === undefined ? null : new Content(bytes).hash
        return {
          snapshot,
          change: settingsChange({ snapshot, after: bytes, holdsKey: false, format }),
          steps: restoreFileSteps({ record, restorations: [restoration], copy: [] }),
          past: fileOf(snapshot, { after, secret: secretIn(snapshot, { target, journal, place }), format }),
        }
      })
  })
  return (await Promise.all(rewound)).flat()
}

/** The key files that the settings of then point at, made anew where they are gone. */
async function keyFileSteps(journal: Journal | undefined, { place, reveal }: RewindTools): Promise<Step[]> {
  if (journal === undefined) return []
  const ref = keyRefOf(journal)
  const steps = journal.keyFiles.map(async ({ path, digest }): Promise<Step[]> => {
    const { hash } = await readSnapshot(path, place.disk)
    if (digest === undefined || (hash !== undefined && digestOf(hash, journal.salt) === digest)) return []
    const content = new Content(await reveal(ref))
    if (digestOf(content.hash, journal.salt) !== digest) throw otherKey()
    const folders = await missingFolders(path, place.disk)
    return [
      { kind: 'makeFolders', paths: folders, mode: 0o700 },
      { kind: 'write', path, content, mode: 0o600 },
    ]
  })
  return (await Promise.all(steps)).flat()
}

const otherKey = (): AppError =>
  new AppError('vault.keyMissing', 'The key that the tool used then is not the one kept now. Nothing was written.')
