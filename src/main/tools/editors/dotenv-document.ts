import { AppError } from '@shared/failure'
import { lineAt, unparsable } from './json-document'
import type { Span } from './json-tree'
import { rememberingLast } from './remembered'

/** One line of a `.env` file that gives a name a value, from the line's start to behind its line end. */
export type Assignment = Span & {
  readonly name: string
  readonly value: string
  /** The value as it is written, with its quotes; where one goes, when there is none. */
  readonly raw: Span
  /** True when a quote is opened and not closed, or only behind a `\`: readers differ about where the value ends. */
  readonly isOpen: boolean
}

/** A `.env` text taken apart. Offsets count from behind the byte order mark; other lines are comments or mean nothing. */
export type DotenvDocument = {
  readonly bom: string
  readonly text: string
  readonly assignments: readonly Assignment[]
  /** The first name whose sign stands on a later line, which some readers join and others do not. */
  readonly torn?: Span
}

const BOM = '\uFEFF'
const HEAD = /[^\S\r\n]*(?:export[^\S\r\n]+)?([\w.-]+)(?:[^\S\r\n]*=|:(?=[^\S\r\n]))[^\S\r\n]*/y
const TORN = /[^\S\r\n]*(?:export\s+)?[\w.-]+[^\S\r\n]*[\r\n]\s*=/y
const BLANKS = /[^\S\r\n]*/y

/**
 * Takes a text apart as dotenv does: a value in quotes may span lines, one without them ends at a `#`, and a line without
 * `=` means nothing. A value stands on the line of its name.
 */
export const readDotenv = rememberingLast((source: string): DotenvDocument => {
  const bom = source.startsWith(BOM) ? BOM : ''
  const text = source.slice(bom.length)
  const assignments: Assignment[] = []
  let torn: Span | undefined
  let start = 0
  while (start < text.length) {
    const assignment = assignmentAt(text, start)
    const end = assignment?.end ?? nextLine(text, start)
    if (assignment !== undefined) assignments.push(assignment)
    else if (isTornAt(text, start)) torn ??= { start, end }
    start = end
  }
  return { bom, text, assignments, ...(torn === undefined ? {} : { torn }) }
})

/** As `readDotenv`, but `file.unparsable`, with the line, where readers differ: an open quote, a name torn from its sign. */
export function requireDotenv(source: string): DotenvDocument {
  const document = readDotenv(source)
  const open = document.assignments.find(({ isOpen }) => isOpen)
  if (open !== undefined) throw refusalAt(document, open, 'A quote is opened and not closed')
  if (document.torn !== undefined) throw refusalAt(document, document.torn, 'A name stands on another line than its =')
  return document
}

/** `file.unparsable` for this line; never with what stands there. */
export function refusalAt({ text }: DotenvDocument, { start }: Span, what: string): AppError {
  const { code, message, ...details } = unparsable(what, lineAt(text, start))
  return new AppError(code, message, details)
}

function assignmentAt(text: string, start: number): Assignment | undefined {
  if (text[start] === '#') return undefined
  HEAD.lastIndex = start
  const name = HEAD.exec(text)?.[1]
  if (name === undefined) return undefined
  const valueStart = HEAD.lastIndex
  const closer = closerOf(text, valueStart)
  return closer === undefined
    ? withoutQuotes(text, { name, start, valueStart })
    : withQuotes(text, { name, start, valueStart, closer })
}

function isTornAt(text: string, start: number): boolean {
  TORN.lastIndex = start
  return text[start] !== '#' && TORN.test(text)
}

type Found = { readonly name: string; readonly start: number; readonly valueStart: number }

function withoutQuotes(text: string, { name, start, valueStart }: Found): Assignment {
  const line = text.slice(valueStart, lineEnd(text, valueStart))
  const written = line.replace(/#.*$/s, '').trimEnd()
  const isOpen = /^(["'`])(?!.*\1)/s.test(line)
  const value = expanded(written, written.replace(/^(["'`])(.*)\1$/s, '$2'))
  const at = written === '' ? startOfBlanks(text, valueStart) : valueStart
  const raw = { start: at, end: at + written.length }
  return { name, value, start, end: nextLine(text, valueStart), raw, isOpen }
}

function withQuotes(text: string, { name, start, valueStart, closer }: Found & { closer: number }): Assignment {
  const inner = text.slice(valueStart + 1, closer)
  const value = expanded(text[valueStart] ?? '', inner.includes('\r') ? inner.replace(/\r\n?/g, '\n') : inner)
  const raw = { start: valueStart, end: closer + 1 }
  return { name, value, start, end: nextLine(text, raw.end), raw, isOpen: text[closer - 1] === '\\' }
}

/** The quote that closes the one at this offset: the last that can, as dotenv looks for it. */
function closerOf(text: string, start: number): number | undefined {
  const quote = text[start]
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  let closer: number | undefined
  for (let at = text.indexOf(quote, start + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (endsLine(text, at + 1)) closer = at
    if (text[at - 1] !== '\\') break
  }
  return closer
}

/** True when nothing but blanks and a comment follow on the line. */
function endsLine(text: string, offset: number): boolean {
  BLANKS.lastIndex = offset
  BLANKS.test(text)
  const next = text[BLANKS.lastIndex]
  return next === undefined || next === '\n' || next === '\r' || next === '#'
}

/** dotenv reads two escapes, and only behind a double quote. */
const expanded = (written: string, value: string): string =>
  written.startsWith('"') ? value.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : value

/** Where the line that holds this offset ends, without its line end. */
function lineEnd(text: string, offset: number): number {
  let at = offset
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}

/** Where the line behind the one that holds this offset begins. */
function nextLine(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  return Math.min(text.length, end + (text.startsWith('\r\n', end) ? 2 : 1))
}

/** An empty value goes right behind the sign, before the blanks of a comment. */
function startOfBlanks(text: string, offset: number): number {
  let start = offset
  while (text[start - 1] !== '=' && text[start - 2] !== ':') start -= 1
  return start
}
