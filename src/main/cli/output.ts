import type { CheckView, DiffLine, FileChange, PreviewView } from '@shared/contract'
import { assertNever } from '@shared/result'

/** Where the command line writes; apart from the process so that tests can read it. */
export interface Output {
  out(text: string): void
  err(text: string): void
  readonly isJson: boolean
  readonly hasColour: boolean
}

/** Prints `value` as JSON when asked to, else the lines a person reads. */
export function print(output: Output, value: unknown, lines: () => readonly string[]): void {
  if (output.isJson) output.out(`${JSON.stringify(value)}\n`)
  else for (const line of lines()) output.out(`${line}\n`)
}

/** A text of the platform's as part of a line: what would break the line or steer the terminal is left out. */
export const inLine = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_C}]/gu, '')

/** Rows under headings, columns aligned. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows].map((row) => row.map(inLine))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A preview as a unified diff with the final request address below. */
export function previewLines(preview: PreviewView, hasColour: boolean): string[] {
  const files = preview.files.filter(({ action }) => action !== 'none')
  const nothing = files.length === 0 ? ['Nothing to change.'] : []
  const asks = preview.requestAddress ? [`It will call ${preview.requestAddress}`] : []
  const warnings = preview.warnings.map(
    ({ code, subject }) => `note: ${warningText[code]}${subject ? ` (${subject})` : ''}`,
  )
  return [...nothing, ...files.flatMap((file) => fileLines(file, hasColour)), ...asks, ...warnings]
}

function fileLines(file: FileChange, hasColour: boolean): string[] {
  const link = file.linkTarget ? ` -> ${file.linkTarget}` : ''
  const head = `${file.action} ${file.path}${link}${file.holdsKey ? ' (holds the key; mode 0600)' : ''}`
  return [head, ...file.lines.map((line) => diffLine(line, hasColour))]
}

function diffLine(line: DiffLine, hasColour: boolean): string {
  const paint = (code: number, text: string): string => (hasColour ? `\u001B[${code}m${text}\u001B[0m` : text)
  switch (line.kind) {
    case 'same':
      return `  ${line.text}`
    case 'added':
      return paint(32, `+ ${line.text}`)
    case 'removed':
      return paint(31, `- ${line.text}`)
    case 'gap':
      return paint(90, `  ... ${line.count} unchanged ${line.count === 1 ? 'line' : 'lines'}`)
    default:
      return assertNever(line)
  }
}

/** The outcome of a real request in words. */
export function checkLines(check: CheckView): string[] {
  const asked = `POST ${check.requestAddress}`
  if (!check.ok) return [`failed: ${asked}`, check.failure.message]
  const answer = check.modelCode
    ? `${check.modelCode} answered: ${check.answer ?? ''}`
    : 'The key and the plan are accepted.'
  const tokens =
    check.inputTokens === undefined ? '' : `, ${check.inputTokens} tokens in, ${check.outputTokens ?? '?'} out`
  return [`ok: ${asked} (${Math.round(check.durationMs)} ms${tokens})`, answer]
}

const warningText: Readonly<Record<PreviewView['warnings'][number]['code'], string>> = {
  plainText: 'the key is written into this file in plain text',
  keyFile: 'the key lies in a file that only you can read; the settings point at it',
  commentsMoved: 'comments are not allowed here; the commented original stays beside it',
  otherProviderSwitch: 'this setting sends the tool to another provider',
  overridesExisting: 'a value that was set before is replaced',
  modelSetting: 'the tool has a model setting of its own',
  shellVariable: 'this shell variable may win over the file',
  sessionVault: 'there is no keychain: the key is gone when the app quits',
  restartNeeded: 'restart the tool to see the change',
  fileChangedSince: 'the file was changed since it was configured; those changes stay',
}
