import type { Failure } from '@shared/failure'

/** Range of a text. */
export type Span = { readonly start: number; readonly end: number }

export const buildUnparsableFailure = (problem: string, line: number): Failure => ({
  code: 'file.unparsable',
  message: `${problem} (line ${line}). Correct that line and try again.`,
  line,
})

/** A problem at an offset that makes a text unparsable. */
export class ParseFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

export function getLineNumber(text: string, offset: number): number {
  let line = 1
  for (let position = 0; position < offset; position += 1) {
    const character = text[position]
    if (character === '\n' || (character === '\r' && (text[position + 1] !== '\n' || position + 1 === offset)))
      line += 1
  }
  return line
}

/** End of the line before its line break (`\n`, `\r\n` or `\r`). */
export function lineEnd(text: string, offset: number): number {
  let end = offset
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1
  return text[end] === '\n' && text[end - 1] === '\r' ? end - 1 : end
}

export function nextLine(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  return Math.min(text.length, end + (text.startsWith('\r\n', end) ? 2 : 1))
}

export function lineStart(text: string, offset: number): number {
  let start = offset
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1
  return start
}

/** The blanks at the start of the line, up to an offset. */
export const getIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** Offset where the blanks before another offset start. `blanks`: characters that count as blanks. */
export function findWhitespaceStart(text: string, offset: number, blanks = ' \t'): number {
  let start = offset
  while (start > 0 && blanks.includes(text[start - 1] ?? '|')) start -= 1
  return start
}

export function findWhitespaceEnd(text: string, offset: number): number {
  let end = offset
  while (text[end] === ' ' || text[end] === '\t') end += 1
  return end
}

export function isFirstInLine(text: string, offset: number): boolean {
  const start = findWhitespaceStart(text, offset)
  return start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r'
}
