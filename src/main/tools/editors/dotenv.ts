import { AppError, err, type Failure, ok, type Result } from '@shared/failure'
import { MASKED, maskSecretForms } from '../../core/secret'
import { RawText, type RenderableValue } from './changes'
import { type Editor, memoizeLatest, replaceRange, splitBom, type TextEdit } from './editor'
import { lineBreaksIn, maskText, maskValue } from './masking'
import {
  buildUnparsableFailure,
  findWhitespaceEnd,
  getLineNumber,
  isFirstInLine,
  lineEnd,
  nextLine,
  type Span,
} from './text'
import { type Collection, createScalar, type Entry, type Key, type ScalarNode, type TreeDocument } from './tree'
import { createTreeEditor, type NewEntry, type Position } from './tree-editor'

const COMMENTED_SETTING = /^(\s*#\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*)(\S.*)$/

/** Masks a `.env` text for display. Shows comments, and hides other lines that are not assignments. */
function maskDotenv(source: string): string {
  const document = readDotenv(source)
  return maskText(source, ok(document), {
    describe: ({ value }, raw) => ({ value, whole: MASKED + lineBreaksIn(raw) }),
    maskComment: (raw, { start }) => (isFirstInLine(document.text, start) ? maskTextLine(raw) : maskSecretForms(raw)),
  })
}

/** Masks a line that contains no assignment. */
function maskTextLine(line: string): string {
  const [, head, name, rest] = COMMENTED_SETTING.exec(line) ?? []
  if (head === undefined || name === undefined || rest === undefined)
    return /^\s*(?:#|$)/.test(line) ? maskSecretForms(line) : line.replace(/\S(?:.*\S)?/, MASKED)
  const value = rest.trimEnd()
  return head + maskValue({ raw: value, value, names: [name], whole: MASKED }) + rest.slice(value.length)
}

/** An assignment. `isOpen`: a quote is unclosed, or closed only by an escaped quote. Parsers disagree on its end. */
type Assignment = Omit<Entry, 'key' | 'value'> & {
  readonly key: Key
  readonly value: ScalarNode
  readonly isOpen: boolean
}

/**
 * A parsed `.env` text. `comments`: lines without an assignment, and texts after one. `torn`: the first name whose `=` is
 * on a later line. Parsers disagree on such lines.
 */
type DotenvDocument = Omit<TreeDocument, 'root'> & {
  readonly root: Omit<Collection, 'entries'> & { readonly entries: readonly Assignment[] }
  readonly torn: Span | undefined
}

const BLANK = String.raw`[^\S\r\n]`

/** A quoted text up to its last possible closing quote, which may have a backslash before it. */
const quotedBy = (quote: string): string => String.raw`${quote}[^${quote}\\]*(?:\\${quote}?[^${quote}\\]*)*${quote}`

/** An assignment up to its value. Only blanks and a comment may follow a quoted value on its line. */
const ASSIGNMENT = new RegExp(
  String.raw`(?<head>${BLANK}*(?:export${BLANK}+)?(?<name>[\w.-]+)(?:${BLANK}*=|:${BLANK}))(?<blanks>${BLANK}*)` +
    String.raw`(?:(?<quoted>${[`"`, `'`, '`'].map(quotedBy).join('|')})(?=${BLANK}*(?:[#\r\n]|$))|(?<plain>[^#\r\n]*))`,
  'y',
)
const UNFINISHED_LINE = /[^\S\r\n]*(?:export\s+)?[\w.-]+[^\S\r\n]*[\r\n]\s*=/y

/** Parses like dotenv: quoted values may span lines, unquoted ones end at `#`, and lines without `=` have no effect. */
const readDotenv = memoizeLatest((source: string): DotenvDocument => {
  const { bom, text } = splitBom(source)
  const entries: Assignment[] = []
  const comments: Span[] = []
  let torn: Span | undefined
  let start = 0
  while (start < text.length) {
    const assignment = readAssignment(text, start)
    const restStart = assignment === undefined ? start : findWhitespaceEnd(text, assignment.end)
    const rest = { start: restStart, end: lineEnd(text, restStart) }
    UNFINISHED_LINE.lastIndex = start
    if (assignment !== undefined) entries.push(assignment)
    else if (text[start] !== '#' && UNFINISHED_LINE.test(text)) torn ??= rest
    if (assignment === undefined || rest.end > rest.start) comments.push(rest)
    start = nextLine(text, restStart)
  }
  const root = { kind: 'map', flow: false, outer: 0, start: 0, end: text.length, entries } as const
  return { bom, text, root, comments, torn }
})

/** Fails with `file.unparsable` and a line number if parsers disagree on the text. It never contains the line's text. */
function parseDotenv(source: string): Result<DotenvDocument, Failure> {
  const document = readDotenv(source)
  const createFailure = (problem: string, { start }: Span) =>
    err(buildUnparsableFailure(problem, getLineNumber(document.text, start)))
  const openAssignment = document.root.entries.find(({ isOpen }) => isOpen)
  if (openAssignment !== undefined) return createFailure('A quote is opened and not closed', openAssignment)
  if (document.torn !== undefined) return createFailure('A name stands on another line than its =', document.torn)
  return ok(document)
}

function readAssignment(text: string, start: number): Assignment | undefined {
  ASSIGNMENT.lastIndex = start
  const groups = ASSIGNMENT.exec(text)?.groups
  if (groups === undefined) return undefined
  const { head = '', name = '', blanks = '', quoted, plain = '' } = groups
  const rawText = quoted ?? plain.trimEnd()
  const valueStart = start + head.length + blanks.length
  // An empty value starts before the blanks that precede a comment.
  const rawStart = rawText === '' ? start + head.length : valueStart
  const raw = { start: rawStart, end: rawStart + rawText.length }
  const line = text.slice(valueStart, lineEnd(text, valueStart))
  const isOpen = quoted === undefined ? /^(["'`])(?!.*\1)/s.test(line) : quoted.at(-2) === '\\'
  const innerText = quoted?.slice(1, -1).replace(/\r\n?/g, '\n') ?? rawText.replace(/^(["'`])(.*)\1$/s, '$2')
  const node = createScalar(name, { start, end: rawStart })
  const key = { name, node, colon: rawStart, isExplicit: false, isMerge: false }
  const value = createScalar(expandEscapes(rawText, innerText), raw)
  return { start, end: raw.end, own: [{ start, end: nextLine(text, raw.end) }], key, value, isOpen }
}

/** Expands escapes like dotenv: only `\n` and `\r`, and only in double quotes. */
const expandEscapes = (rawText: string, value: string): string =>
  rawText.startsWith('"') ? value.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : value

/** Editor for dotenv syntax. Updates in place, appends new names, rejects unclosed quotes and duplicates. */
export const dotenvEditor: Editor = {
  ...createTreeEditor({ parse: parseDotenv, replace, insert }),
  isBlank: (text) => text.trim() === '',
  mask: maskDotenv,
}

function replace(
  { text }: DotenvDocument,
  _position: Position,
  entry: Entry,
  wantedValue: RenderableValue,
): TextEdit[] {
  const { value, key } = entry
  const spaceBeforeComment = text[value.end] === '#' ? ' ' : ''
  return [replaceRange(value.start, value.end, formatValue(key?.name ?? '', wantedValue) + spaceBeforeComment)]
}

function insert(
  { text }: DotenvDocument,
  _position: Position,
  _index: number | 'last',
  entries: readonly NewEntry[],
): TextEdit[] {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const isLineOpen = text !== '' && !/[\r\n]$/.test(text)
  const lines = entries.map(({ name = '', value }) =>
    value instanceof RawText ? value.parts.own?.replace(/(?:\r\n|\n|\r)$/, '') : `${name}=${formatValue(name, value)}`,
  )
  return [replaceRange(text.length, text.length, (isLineOpen ? eol : '') + lines.map((line) => line + eol).join(''))]
}

const formatValue = (name: string, value: RenderableValue): string =>
  value instanceof RawText ? value.parts.text : quoteValue(name, String(value))

/** Values that need no quotes in any parser. */
const PLAIN_VALUE = /^[\w./:@%+,=-]+$/

/**
 * Formats a value, plain or quoted, so that dotenv, python-dotenv and dotenvy read the same. Fails with
 * `input.invalid` and the name if that is impossible: for line breaks, or for both quotes and escapes.
 */
function quoteValue(name: string, value: string): string {
  if (PLAIN_VALUE.test(value)) return value
  const hasLines = /[\r\n]/.test(value) || value.includes('\0')
  const isLiteral = !value.includes("'") && !value.includes('\\\\') && !value.endsWith('\\') && !value.includes('${')
  if (!hasLines && isLiteral) return `'${value}'`
  if (!hasLines && !/["\\$]/.test(value)) return `"${value}"`
  const message = `The value of ${name} cannot be written to a .env file so that every tool reads the same. Use another one.`
  throw new AppError('input.invalid', message, { field: name })
}
