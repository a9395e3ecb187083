import type { Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { JsonFault, type ParsedJson, readJson } from './json-parse'
import { blanksEnd, commentEnd } from './json-scan'
import type { Span } from './json-tree'
import { rememberingLast } from './remembered'

/** A JSON text taken apart. Offsets count from behind the byte order mark; `root` is missing in a blank text. */
export type JsonDocument = ParsedJson & { readonly bom: string; readonly text: string }

/** What stands between two values: commas and comments, never whitespace. */
export type GapToken = Span & { readonly kind: 'comma' | 'line-comment' | 'block-comment' }

/**
 * How a file's own parser reads it: `strict` takes neither comments nor trailing commas, and only with `lists` may the
 * root be a list.
 */
export type Strictness = { readonly strict: boolean; readonly lists?: true }

const BOM = '\uFEFF'

/** The text taken apart, or `file.unparsable` or `file.notStrict` with the line at fault and never its content. */
export function parseDocument(source: string, { strict, lists }: Strictness): Result<JsonDocument, Failure> {
  const document = takenApart(source)
  if (!document.ok) return document
  const { root, text } = document.value
  if (root?.type === 'literal' || (root?.type === 'list' && !lists))
    return err(unparsable('It does not hold a JSON object', lineAt(text, root.start)))
  return strict ? requireStrict(document.value) : document
}

const takenApart = rememberingLast((source: string): Result<JsonDocument, Failure> => {
  const bom = source.startsWith(BOM) ? BOM : ''
  const text = source.slice(bom.length)
  try {
    return ok({ bom, text, ...readJson(text) })
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const what = error.reason === 'depth' ? 'It is nested too deeply' : 'It is not valid JSON'
    return err(unparsable(what, lineAt(text, error.offset)))
  }
})

/** `file.unparsable` with its line. */
export const unparsable = (what: string, line: number): Failure => ({
  code: 'file.unparsable',
  message: `${what} (line ${line}). Correct that line and try again.`,
  line,
})

/** The 1-based number of the line that holds this offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = 0; at < offset; at += 1) {
    const character = text[at]
    if (character === '\n' || (character === '\r' && (text[at + 1] !== '\n' || at + 1 === offset))) line += 1
  }
  return line
}

/** Where the line that holds this offset begins. */
export function lineStart(text: string, offset: number): number {
  let start = offset
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1
  return start
}

/** Where the blanks before this offset begin; they may span lines or not. */
export function blanksBefore(text: string, offset: number, blanks = ' \t'): number {
  let start = offset
  while (start > 0 && blanks.includes(text[start - 1] ?? '|')) start -= 1
  return start
}

/** Where the blanks behind this offset end. */
export function blanksBehind(text: string, offset: number): number {
  let end = offset
  while (text[end] === ' ' || text[end] === '\t') end += 1
  return end
}

/** True when nothing but blanks stands before this offset on its line. */
export function startsItsLine(text: string, offset: number): boolean {
  const start = blanksBefore(text, offset)
  return start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r'
}

/** True when a line ends within this stretch. */
export function hasLineBreak(text: string, { start, end }: Span): boolean {
  return /[\r\n]/.test(text.slice(start, end))
}

/** The commas and comments of a stretch that holds nothing else but whitespace. */
export function gapTokens(text: string, { start, end }: Span): GapToken[] {
  const tokens: GapToken[] = []
  let at = blanksEnd(text, start)
  while (at < end) {
    const kind = text[at] === ',' ? 'comma' : text[at + 1] === '*' ? 'block-comment' : 'line-comment'
    const tokenEnd = commentEnd(text, at) ?? at + 1
    tokens.push({ kind, start: at, end: tokenEnd })
    at = blanksEnd(text, tokenEnd)
  }
  return tokens
}

function requireStrict(document: JsonDocument): Result<JsonDocument, Failure> {
  const { text, comments, trailingCommas } = document
  const extras = [comments[0], trailingCommas[0]].flatMap((first) => (first === undefined ? [] : [first.start]))
  return extras.length === 0 ? ok(document) : err(notStrict(lineAt(text, Math.min(...extras))))
}

const notStrict = (line: number): Failure => ({
  code: 'file.notStrict',
  message: `Its tool reads strict JSON, and there is a comment or a trailing comma in line ${line}.`,
  line,
})
