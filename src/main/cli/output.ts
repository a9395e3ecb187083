import type { CheckView } from '@shared/contract'
import { withEscapedHidden, withoutHidden } from '@shared/hidden-characters'

/** Where the command line writes; apart from the process so that tests can read it. */
export interface Output {
  out(text: string): void
  err(text: string): void
  readonly isJson: boolean
  readonly hasColour: boolean
}

/** Prints `value` as JSON when asked to, else the lines a person reads. */
export function print(output: Output, value: unknown, lines: () => readonly string[]): void {
  if (output.isJson) output.out(`${jsonText(value)}\n`)
  else for (const line of lines()) output.out(`${line}\n`)
}

/** A value as JSON that can be shown in a terminal, whoever wrote the texts in it. */
export const jsonText = (value: unknown, indent = 0): string =>
  withEscapedHidden(JSON.stringify(value, undefined, indent) ?? 'null')

/** A text of the platform's as part of a line: what would break the line or steer the terminal is left out. */
export const inLine = (text: string): string => withoutHidden(text)

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
