import type { DiffLine, FileChange, ToolWarning } from '@shared/contract/tools'
import { collapseUnchangedLines } from '@shared/diff-lines'
import { diffArrays } from 'diff'
import type { EngineContext } from '../core/environment'
import { decodeText, isReplaced, readSnapshot, type Snapshot, type Step } from '../core/files/files'
import { editors } from './editors'
import type { Format } from './editors/editor'

export function settingsChange(
  snapshot: Snapshot,
  after: Uint8Array | undefined,
  holdsKey: boolean,
  format: Format,
): FileChange {
  const { path, realPath } = snapshot
  const action = toAction(snapshot.bytes, after)
  const texts = [decodeText(snapshot), decodeText({ path, bytes: after })] as const
  const lines = action === 'none' ? [] : diffLines(...texts, editors[format].mask)
  return { path, action, ...(realPath === path ? {} : { linkTarget: realPath }), holdsKey, lines }
}

export async function keyFileChange(
  path: string,
  newBytes: Uint8Array | undefined,
  { disk }: EngineContext,
): Promise<FileChange> {
  const { bytes } = await readSnapshot(path, disk)
  return { path, action: toAction(bytes, newBytes), holdsKey: true, lines: [] }
}

/** Warns of files that cannot be written in place. Replacing a file loses its owner, hard links and attributes. */
export async function replacementWarnings(steps: readonly Step[], { disk }: EngineContext): Promise<ToolWarning[]> {
  const warnings: ToolWarning[] = []
  for (const step of steps)
    if (step.kind === 'write' && step.preserve && (await isReplaced(step.path, step.mode, disk)))
      warnings.push({ code: 'fileReplaced', subject: step.path })
  return warnings
}

function toAction(oldBytes: Uint8Array | undefined, newBytes: Uint8Array | undefined): FileChange['action'] {
  if (oldBytes === undefined) return newBytes === undefined ? 'none' : 'create'
  if (newBytes === undefined) return 'delete'
  return Buffer.from(oldBytes).equals(newBytes) ? 'none' : 'change'
}

/** Line diff with three lines of context and secrets masked. Compares unmasked lines. `mask` keeps the line count. */
export function diffLines(before = '', after = '', mask: (text: string) => string): DiffLine[] {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)]
  const maskedLines = { old: splitLines(mask(before)), new: splitLines(mask(after)) }
  let oldLine = 1
  let newLine = 1
  const lines: DiffLine[] = []
  for (const { count, added, removed } of diffArrays(oldLines, newLines)) {
    for (let index = 0; index < count; index += 1) {
      const newText = trimLineEnd(maskedLines.new[newLine - 1])
      if (removed) lines.push({ kind: 'removed', text: trimLineEnd(maskedLines.old[oldLine - 1]), oldLine })
      else if (added) lines.push({ kind: 'added', text: newText, newLine })
      else lines.push({ kind: 'same', text: newText, oldLine, newLine })
      if (!added) oldLine += 1
      if (!removed) newLine += 1
    }
  }
  return collapseUnchangedLines(lines)
}

const splitLines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

const trimLineEnd = (line = ''): string => line.replace(/[\r\n]+$/, '').replace('\uFEFF', '')
