import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkPreview, DiffLine, ToolChanges, ToolWarning } from '@shared/contract'
import { AppError, assertNever } from '@shared/failure'
import words from '../../renderer/locales/en/tools.json'
import type { ToolFeatures } from '../compose/tools'
import type { CommandContext } from './context'
import { toSingleLine } from './output'

export function changeLines(
  changes: Pick<ToolChanges, 'toolId' | 'files' | 'requestAddress' | 'warnings'>,
  hasColour: boolean,
): string[] {
  const files = changes.files.filter(({ action }) => action !== 'none')
  return [
    ...(files.length === 0 ? ['Nothing to change.'] : []),
    ...files.flatMap(({ action, path, linkTarget, holdsKey, lines }) => [
      `${action} ${path}${linkTarget ? ` -> ${linkTarget}` : ''}${holdsKey ? ' (contains the key, mode 0600)' : ''}`,
      ...lines.map((line) => diffLine(line, hasColour)),
    ]),
    ...(changes.requestAddress ? [`Requests go to ${changes.requestAddress}`] : []),
    ...changes.warnings.map((warning) => formatWarning(warning, changes.toolId)),
  ]
}

/** Formats the changes of several tools, each after its id, and the tools that cannot be changed. */
export function manyLines({ tools, left }: BulkPreview, hasColour: boolean): string[] {
  return [
    ...tools.flatMap((changes) => [`${changes.toolId}:`, ...changeLines(changes, hasColour)]),
    ...left.map(({ toolId, failure }) => `Can't configure ${toolId}: ${failure.message}`),
  ]
}

function diffLine(line: DiffLine, hasColour: boolean): string {
  const colourText = (code: number, text: string): string => (hasColour ? `\u001B[${code}m${text}\u001B[0m` : text)
  switch (line.kind) {
    case 'same':
      return `  ${line.text}`
    case 'added':
      return colourText(32, `+ ${line.text}`)
    case 'removed':
      return colourText(31, `- ${line.text}`)
    case 'gap':
      return colourText(90, `  ... ${line.count} unchanged ${line.count === 1 ? 'line' : 'lines'}`)
    default:
      return assertNever(line)
  }
}

/** Window texts that do not fit a terminal. */
const terminalTexts: Partial<Record<ToolWarning['code'], string>> = {
  keyInTool: 'Enter the key in {{tool}} (print it with "companion key print --plan PLAN").',
  relayNeeded: 'The relay is not running (start the app or "companion relay").',
}

/** A warning in the words of the window. */
function formatWarning({ code, subject, path, text, fix }: ToolWarning, tool: string): string {
  const warningSubject = subject ?? path ?? words.warnings.subjects.settings
  const sentence = (terminalTexts[code] ?? words.warnings[code])
    .replaceAll('{{subject}}', () => warningSubject)
    .replaceAll('{{tool}}', () => tool)
  const details = [
    ...(path === undefined || path === warningSubject ? [] : [` (${path})`]),
    ...(fix === 'takeOut' ? [' --take-out removes it.'] : []),
    ...(text ? [` ${text}`] : []),
  ]
  return `note: ${sentence}${details.join('')}`
}

/** Throws the failure of the first tool that cannot be changed. */
export function requireAllToolsChanged({ left: [unchangedTool] }: Pick<BulkPreview, 'left'>): void {
  if (!unchangedTool) return
  const { toolId, failure } = unchangedTool
  throw new AppError(failure.code, `${toolId}: ${failure.message} Nothing was written.`)
}

/** Loads the coding tools. Rolls back interrupted writes first and reports that on standard error. */
export async function loadRecoveredTools({ core, output }: CommandContext): Promise<ToolFeatures> {
  const features = await core.loadTools()
  const { undone, left, waiting = [] } = await features.tools.tellRecovery()
  const printLine = (line: string): void => output.err(`companion: ${toSingleLine(line)}\n`)
  if (undone.length > 0) {
    const names = [...new Set(undone.map(({ toolId }) => toolId))].join(', ')
    printLine(`The last change was interrupted and rolled back: ${names}.`)
  }
  for (const path of left) printLine(`Changed by another program since then, not rolled back: ${path}`)
  for (const path of waiting)
    printLine(
      `Not restored yet, because its key is in the locked keychain. Unlock the keychain and run this again: ${path}`,
    )
  return features
}

/** Sets the exit code if some tools could not be changed. */
export function setExitCodeIfSkipped({ left }: Pick<BulkPreview, 'left'>): void {
  if (left.length > 0) process.exitCode = 1
}

const maxTries = 3
const retryDelayMs = 200

/** Previews and applies a change. Repeats if a file changed in between: the app may be finishing its own write. */
export async function previewAndWrite<P extends { readonly previewId: string }>(
  preview: () => Promise<P>,
  write: (previewId: string) => Promise<unknown>,
  { dryRun = false }: { readonly dryRun?: boolean | undefined },
): Promise<P> {
  for (let tryCount = 1; ; tryCount += 1) {
    const currentPreview = await preview()
    try {
      if (!dryRun) await write(currentPreview.previewId)
      return currentPreview
    } catch (error) {
      const isChanged = error instanceof AppError && error.failure.code === 'file.changed'
      if (!isChanged || tryCount === maxTries) throw error
      await sleep(retryDelayMs)
    }
  }
}
