import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkPreview, DiffLine, ToolChanges, ToolWarning } from '@shared/contract'
import { AppError, assertNever } from '@shared/failure'
import type { ToolFeatures } from '../compose/tools'
import type { CommandContext } from './context'
import { toSingleLine } from './output'

export function changeLines(
  changes: Pick<ToolChanges, 'files' | 'requestAddress' | 'warnings'>,
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
    ...changes.warnings.map(({ code, subject, path, text }) => {
      const warningSubject = [subject, path].filter((part) => part !== undefined).join(', ')
      return `note: ${warningText[code]}${warningSubject ? ` (${warningSubject})` : ''}${text ? `: ${text}` : ''}`
    }),
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

const warningText: Readonly<Record<ToolWarning['code'], string>> = {
  plainText: 'the key is written into this file in plain text',
  toolWritesKey: 'the tool writes the key to this file in plain text when you change settings in its window',
  keyFile: 'the key is in a private file (mode 0600) that the settings refer to',
  envFileHoldsKey: "the key is written to the tool's .env file (mode 0600)",
  variableNeeded: 'add this line to your shell profile',
  keyInTool: 'enter the key in the tool (print it with "companion key print --plan PLAN")',
  commentsMoved: 'this file allows no comments, a copy with comments is saved beside it',
  otherProviderSwitch: 'this setting selects another provider (--take-out removes it)',
  toolStops: 'the tool does not start with this setting (--take-out removes it)',
  overridesExisting: 'an existing value is replaced',
  modelSetting: 'the tool has its own model setting (--take-out removes it)',
  modelRefused: 'the tool does not accept this model code',
  shellVariable: 'this environment variable overrides the file',
  rivalFile: 'this setting in another file overrides it',
  keySentElsewhere: "this setting sends requests, with the plan's key, to another address",
  foreignCredential: "this setting sends another service's credential to the plan's gateway",
  agentModel: 'this agent, mode or command has its own model, which the plan does not have',
  modelNotInPlan: 'the plan does not list this model',
  laterValueReplaced: 'this value was changed after it was configured and is replaced',
  keyInRepository: 'Git tracks this file, or does not ignore it, so the key may be committed',
  sessionsKeepProvider: 'sessions that began with another provider resume with it, and with its account',
  sessionsNeedProvider: "these sessions need the plan's provider and can't be resumed after this",
  restartNeeded: 'restart the tool to apply the change',
  fileChangedSince: 'the file was changed after it was configured, those changes are kept',
  fileReplaced: 'the file belongs to another user: your copy replaces it without its owner, hard links and attributes',
  notTried: 'not tested with this tool yet',
  remoteMaker: "requests come from the vendor's servers, which can't reach this address",
  relayNeeded: 'the relay is not running (start the app or "companion relay")',
  notCopied: 'this setting is not copied, the tool has nothing like it',
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
