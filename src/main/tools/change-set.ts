import type { FileChange, ToolWarning } from '@shared/contract/tools'
import type { EngineContext } from '../core/environment'
import {
  type Content,
  computeHash,
  decodeText,
  isReplaced,
  readSnapshot,
  type Snapshot,
  type Step,
} from '../core/files/files'
import { editors } from './editors'
import { type Format, isJsonObject, type Json } from './editors/editor'
import { parseLeniently } from './file-baseline'
import {
  type Backup,
  computeDigest,
  createBackup,
  type Journal,
  journalPath,
  type OwnSecret,
  type PastTool,
  toKeyRef,
} from './journal'
import { diffLines } from './line-diff'
import type { WrittenTarget } from './target'

/** State of a file when the change was planned. The write fails if it differs. Null hash: there was no file. */
type Precondition = { readonly path: string; readonly realPath: string; readonly hash: string | null }

/** Planned changes of one tool in one scope (user, project or WSL). Nothing is written before `commit`. */
export type ChangeSet = {
  readonly kind: PastTool['kind']
  readonly toolId: string
  readonly place: EngineContext
  readonly files: readonly FileChange[]
  readonly warnings: readonly ToolWarning[]
  readonly base?: string | undefined
  readonly requestAddress?: string | undefined
  readonly preconditions: readonly Precondition[]
  /** File changes, in an order that allows an undo after a crash between any two of them. */
  readonly steps: readonly Step[]
  /** Cleanup after the file changes. A failure here does not affect the tool. */
  readonly tidying: readonly Step[]
  /** Undo data, saved in the history before the first step. */
  readonly past: PastTool
  readonly backups: readonly Backup[]
}

/** A file that a plan reads or changes. */
export type PlannedFile = {
  readonly snapshot: Snapshot
  /** New content of the file. Undefined when the file must not exist. */
  readonly bytes: Uint8Array | undefined
  readonly format: Format
  /** Whether the new content contains the key. */
  readonly holdsKey?: boolean
  /** Whether the plan writes or deletes the file. Default: true. */
  readonly touched?: boolean
  /** Whether the preview lists the file. Default: `touched`. */
  readonly isListed?: boolean
}

/** A change to plan. `createChangeSet` adds its preview, preconditions and undo data. */
type Plan = Pick<ChangeSet, 'kind' | 'place' | 'warnings' | 'steps' | 'base' | 'requestAddress'> & {
  readonly target: WrittenTarget
  readonly start: { readonly journal?: Journal | undefined; readonly hash: string | null }
  /** The journal after the change. Undefined if the tool is then no longer managed. */
  readonly next?: Journal | undefined
  /** Files in the order of the preview. The one with the address comes first. */
  readonly files: readonly PlannedFile[]
  readonly newFolders?: readonly string[]
  /** Key files that the steps write. */
  readonly keyFiles?: readonly { readonly path: string; readonly content: Content }[]
  /** Key files that nothing needs after the change. They are deleted after the last step. */
  readonly unusedKeyFiles: readonly string[]
  /** Further cleanup. */
  readonly tidying?: readonly Step[]
}

export async function createChangeSet(plan: Plan): Promise<ChangeSet> {
  const { kind, target, place, start, files, steps, keyFiles = [], unusedKeyFiles, tidying = [] } = plan
  const { journal, hash } = start
  const record = journalPath(target.id, place)
  const secret = findOwnSecret(files, journal)
  const touchedFiles = files.filter(({ touched = true }) => touched)
  // In the order of the steps: an apply writes the file with the address last.
  const pastFiles = (kind === 'apply' ? touchedFiles.toReversed() : touchedFiles).map(({ snapshot, bytes, format }) => {
    const { path, realPath } = snapshot
    const backup = createBackup(snapshot, secret)
    const after = bytes ? computeHash(bytes) : null
    return { backup, file: { path, realPath, format, before: backup?.record, after } }
  })
  return {
    kind,
    toolId: target.id,
    place,
    files: [
      ...files.filter(({ touched = true, isListed = touched }) => isListed).map(toFileChange),
      ...(await listKeyFileChanges(plan)),
    ],
    warnings: [...(await replacementWarnings(steps, place)), ...plan.warnings],
    base: plan.base,
    requestAddress: plan.requestAddress,
    preconditions: [
      ...files.map(({ snapshot: { path, realPath, hash = null } }) => ({ path, realPath, hash })),
      { path: record, realPath: record, hash },
    ],
    steps,
    tidying: [...unusedKeyFiles.map((path) => ({ kind: 'remove' as const, path })), ...tidying],
    past: {
      toolId: target.id,
      site: place.site,
      kind,
      journal,
      next: plan.next,
      files: pastFiles.map(({ file }) => file),
      newFolders: [...(plan.newFolders ?? [])],
      newKeyFiles: keyFiles
        .map(({ path }) => path)
        .filter((path) => !journal?.keyFiles.some((keyFile) => keyFile.path === path)),
      remove: [...unusedKeyFiles],
    },
    backups: pastFiles.flatMap(({ backup }) => backup ?? []),
  }
}

/** Finds the plain-text key that we wrote, to omit it from backups. */
function findOwnSecret(files: readonly PlannedFile[], journal: Journal | undefined): OwnSecret | undefined {
  if (journal?.keyDigest === undefined) return undefined
  for (const { format, snapshot } of files) {
    const text = findOwnKey(parseLeniently(format, snapshot.bytes), journal)
    if (text !== undefined) return { text, ref: toKeyRef(journal) }
  }
  return undefined
}

/** Finds the plain-text key that we wrote in a value, by its digest. */
export function findOwnKey(value: Json | undefined, journal: Journal | undefined): string | undefined {
  const { keyDigest, salt } = journal ?? {}
  if (keyDigest === undefined || salt === undefined || value === undefined) return undefined
  return listTexts(value).find((text) => computeDigest(computeHash(text), salt) === keyDigest)
}

function listTexts(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(listTexts)
  return isJsonObject(value) ? Object.values(value).flatMap(listTexts) : []
}

function toFileChange({ snapshot, bytes, format, holdsKey = false }: PlannedFile): FileChange {
  const { path, realPath } = snapshot
  const action = toAction(snapshot.hash, bytes && computeHash(bytes))
  const texts = [decodeText(snapshot), decodeText({ path, bytes })] as const
  const lines = action === 'none' ? [] : diffLines(...texts, editors[format].mask)
  return { path, action, ...(realPath === path ? {} : { linkTarget: realPath }), holdsKey, lines }
}

/** Key files that are written, and those that exist and are deleted. */
async function listKeyFileChanges({ keyFiles = [], unusedKeyFiles, place }: Plan): Promise<FileChange[]> {
  const toChange = async (path: string, content?: Content): Promise<FileChange[]> => {
    const { hash } = await readSnapshot(path, place.disk)
    const isListed = content !== undefined || hash !== undefined
    return isListed ? [{ path, action: toAction(hash, content?.hash), holdsKey: true, lines: [] }] : []
  }
  const writtenFiles = keyFiles.map(({ path, content }) => toChange(path, content))
  return (await Promise.all([...writtenFiles, ...unusedKeyFiles.map((path) => toChange(path))])).flat()
}

/** Warns of files that cannot be written in place. Replacing a file loses its owner, hard links and attributes. */
async function replacementWarnings(steps: readonly Step[], { disk }: EngineContext): Promise<ToolWarning[]> {
  const warnings: ToolWarning[] = []
  for (const step of steps)
    if (step.kind === 'write' && step.preserve && (await isReplaced(step.path, step.mode, disk)))
      warnings.push({ code: 'fileReplaced', subject: step.path })
  return warnings
}

/** Compares the hashes of a file before and after a write. A missing file has none. */
export function toAction(oldHash: string | null = null, newHash: string | null = null): FileChange['action'] {
  if (oldHash === newHash) return 'none'
  if (oldHash === null) return 'create'
  return newHash === null ? 'delete' : 'change'
}
