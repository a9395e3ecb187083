import type { FileChange, ToolWarning } from '@shared/contract/tools'
import { diffLines } from './diff'
import { editors } from './editors'
import type { Format } from './editors/editor'
import { isReplaced, readSnapshot, type Snapshot, textOf } from './files'
import type { Place, Step } from './plan'

/** A file before and after, and whether it will hold the key itself. */
export type Comparison = {
  readonly snapshot: Snapshot
  readonly after: Uint8Array | undefined
  readonly holdsKey: boolean
  readonly format: Format
}

/** What a person sees of a change to a settings file: its lines, secrets masked. */
export function settingsChange({ snapshot, after, holdsKey, format }: Comparison): FileChange {
  const { path, realPath } = snapshot
  const action = actionOf(snapshot.bytes, after)
  const texts = { before: textOf(snapshot), after: textOf({ path, bytes: after }) }
  return {
    path,
    action,
    ...(realPath === path ? {} : { linkTarget: realPath }),
    holdsKey,
    lines: action === 'none' ? [] : diffLines(texts, editors[format].mask),
  }
}

/** What a person sees of a change to a file that holds nothing but the key: that it happens. */
export async function keyFileChange(path: string, after: Uint8Array | undefined, { disk }: Place): Promise<FileChange> {
  const { bytes } = await readSnapshot(path, disk)
  return { path, action: actionOf(bytes, after), holdsKey: true, lines: [] }
}

/** Files that steps cannot write into, so that their owner, hard links and attributes will be lost. */
export async function replacementWarnings(steps: readonly Step[], { disk }: Place): Promise<ToolWarning[]> {
  const warnings: ToolWarning[] = []
  for (const step of steps)
    if (step.kind === 'write' && step.preserve && (await isReplaced(step.path, step.mode, disk)))
      warnings.push({ code: 'fileReplaced', subject: step.path })
  return warnings
}

function actionOf(before: Uint8Array | undefined, after: Uint8Array | undefined): FileChange['action'] {
  if (before === undefined) return after === undefined ? 'none' : 'create'
  if (after === undefined) return 'delete'
  return Buffer.from(before).equals(after) ? 'none' : 'change'
}
