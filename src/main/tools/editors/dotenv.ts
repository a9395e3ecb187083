import { AppError, err, type Failure, ok, toAppError } from '@shared/failure'
import { MASKED, maskSecretForms } from '../../core/secret'
import { maskValue } from '../secret-masking'
import {
  createEditMismatchError,
  type Editor,
  memoizeLatest,
  type OpenEdit,
  type OwnedPath,
  replaceRange,
  splice,
  splitBom,
  type TextEdit,
} from './editor'
import { buildUnparsableFailure, getLineNumber, type Span } from './text'

const COMMENTED_SETTING = /^(\s*#\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*)(\S.*)$/

/** Masks a `.env` text for display. Shows comments, and hides other lines that are not assignments. */
function maskDotenv(source: string): string {
  const { bom, text, assignments } = readDotenv(source)
  const parts: string[] = [bom]
  let position = 0
  for (const assignment of assignments) {
    const { name, value, raw, start, end } = assignment
    const rawText = text.slice(raw.start, raw.end)
    const lineEnds = rawText.match(/\r\n|\n|\r/g) ?? []
    const content = maskValue({ raw: rawText, value, names: [name], whole: MASKED + lineEnds.join('') })
    parts.push(maskTextLines(text.slice(position, start)), text.slice(start, raw.start), content)
    parts.push(maskSecretForms(text.slice(raw.end, end)))
    position = end
  }
  parts.push(maskTextLines(text.slice(position)))
  return parts.join('')
}

/** Masks lines that contain no assignment. */
const maskTextLines = (text: string): string =>
  text.replace(/[^\r\n]+/g, (line) => {
    const [, head, name, rest] = COMMENTED_SETTING.exec(line) ?? []
    if (head === undefined || name === undefined || rest === undefined)
      return /^\s*(?:#|$)/.test(line) ? maskSecretForms(line) : line.replace(/\S(?:.*\S)?/, MASKED)
    const value = rest.trimEnd()
    return head + maskValue({ raw: value, value, names: [name], whole: MASKED }) + rest.slice(value.length)
  })

type Assignment = Span & {
  readonly name: string
  readonly value: string
  readonly raw: Span
  /** Whether a quote is unclosed, or closed only by an escaped quote. Parsers disagree on where such a value ends. */
  readonly isOpen: boolean
}

/** A parsed `.env` text. Offsets start after the byte order mark. Lines without an assignment are omitted. */
type DotenvDocument = {
  readonly bom: string
  readonly text: string
  readonly assignments: readonly Assignment[]
  /** First name whose `=` is on a later line. Parsers disagree on such lines. */
  readonly torn?: Span
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
  const assignments: Assignment[] = []
  let unfinishedSpan: Span | undefined
  let start = 0
  while (start < text.length) {
    const assignment = readAssignment(text, start)
    const end = assignment?.end ?? nextLine(text, start)
    UNFINISHED_LINE.lastIndex = start
    if (assignment !== undefined) assignments.push(assignment)
    else if (text[start] !== '#' && UNFINISHED_LINE.test(text)) unfinishedSpan ??= { start, end }
    start = end
  }
  return { bom, text, assignments, ...(unfinishedSpan === undefined ? {} : { torn: unfinishedSpan }) }
})

/** Failure `file.unparsable` with a line number if parsers disagree on the text. It never contains the line's text. */
function findParseFailure(document: DotenvDocument): Failure | undefined {
  const openAssignment = document.assignments.find(({ isOpen }) => isOpen)
  if (openAssignment !== undefined)
    return createParseFailure(document, openAssignment, 'A quote is opened and not closed')
  return document.torn && createParseFailure(document, document.torn, 'A name stands on another line than its =')
}

const createParseFailure = ({ text }: DotenvDocument, { start }: Span, problem: string): Failure =>
  buildUnparsableFailure(problem, getLineNumber(text, start))

function requireDotenv(source: string): DotenvDocument {
  const document = readDotenv(source)
  const failure = findParseFailure(document)
  if (failure) throw toAppError(failure)
  return document
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
  return { name, value: expandEscapes(rawText, innerText), start, end: nextLine(text, raw.end), raw, isOpen }
}

/** Expands escapes like dotenv: only `\n` and `\r`, and only in double quotes. */
const expandEscapes = (rawText: string, value: string): string =>
  rawText.startsWith('"') ? value.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : value

function lineEnd(text: string, offset: number): number {
  let position = offset
  while (position < text.length && text[position] !== '\n' && text[position] !== '\r') position += 1
  return position
}

function nextLine(text: string, offset: number): number {
  const end = lineEnd(text, offset)
  return Math.min(text.length, end + (text.startsWith('\r\n', end) ? 2 : 1))
}

/** Editor for dotenv syntax. Updates in place, appends new names, rejects unclosed quotes and duplicates. */
export const dotenvEditor: Editor = {
  parse,
  edit: (text, edits) => applyWantedValues(requireDotenv(text), toWantedLines(edits)),
  remove,
  isBlank: (text) => text.trim() === '',
  mask: maskDotenv,
}

/** Raw text to write after `=`, by name. Undefined removes the line. */
type WantedLines = ReadonlyMap<
  string,
  { readonly value: string; readonly raw: string; readonly line?: string } | undefined
>

function parse(text: string): ReturnType<Editor['parse']> {
  const document = readDotenv(text)
  const failure = findParseFailure(document)
  return failure ? err(failure) : ok(Object.fromEntries(document.assignments.map(({ name, value }) => [name, value])))
}

const toWantedLines = (edits: readonly OpenEdit[]): WantedLines =>
  new Map(
    edits.map((edit) => {
      const name = edit.path[0] ?? ''
      const value = 'value' in edit ? edit.value : undefined
      return [name, typeof value === 'string' ? { value, raw: quoteValue(name, value) } : undefined]
    }),
  )

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const document = requireDotenv(text)
  const originalDocument = requireDotenv(original ?? '')
  const originalByName = new Map(originalDocument.assignments.map((assignment) => [assignment.name, assignment]))
  const names = owned.map(({ path: [name = ''] }) => name)
  const wantedLines: WantedLines = new Map(
    names.map((name) => {
      const assignment = originalByName.get(name)
      if (assignment === undefined) return [name, undefined]
      const { value, raw, start, end } = assignment
      const line = removeFinalNewline(originalDocument.text.slice(start, end))
      return [name, { value, raw: originalDocument.text.slice(raw.start, raw.end), line }]
    }),
  )
  const result = applyWantedValues(document, wantedLines)
  const isSameText =
    original !== undefined &&
    removeOwnedText(requireDotenv(result), wantedLines) === removeOwnedText(originalDocument, wantedLines)
  return isSameText ? original : result
}

function applyWantedValues(document: DotenvDocument, wantedLines: WantedLines): string {
  const ownedAssignments = findOwnedAssignments(document, wantedLines)
  const edits = [...wantedLines].flatMap(([name, wantedValue]) => {
    const assignment = ownedAssignments.get(name)
    return assignment === undefined ? [] : toEdits(document.text, assignment, wantedValue)
  })
  const changedText = splice(document.text, edits)
  const addedLines = [...wantedLines].flatMap(([name, wantedValue]) =>
    wantedValue === undefined || ownedAssignments.has(name) ? [] : [wantedValue.line ?? `${name}=${wantedValue.raw}`],
  )
  const eol = /\r\n|\n|\r/.exec(document.text)?.[0] ?? '\n'
  const isLineOpen = addedLines.length > 0 && changedText !== '' && !/[\r\n]$/.test(changedText)
  const result = changedText + (isLineOpen ? eol : '') + addedLines.map((line) => line + eol).join('')
  verifyEdit(document, readDotenv(document.bom + result), wantedLines)
  return document.bom + result
}

type WantedValue = NonNullable<ReturnType<WantedLines['get']>>

function findOwnedAssignments(document: DotenvDocument, names: WantedLines): Map<string, Assignment> {
  const ownedAssignments = new Map<string, Assignment>()
  for (const assignment of document.assignments) {
    if (!names.has(assignment.name)) continue
    if (ownedAssignments.has(assignment.name))
      throw toAppError(createParseFailure(document, assignment, `${assignment.name} is given a value twice`))
    ownedAssignments.set(assignment.name, assignment)
  }
  return ownedAssignments
}

function toEdits(
  text: string,
  { start, end, raw, value }: Assignment,
  wantedValue: WantedValue | undefined,
): TextEdit[] {
  if (wantedValue === undefined) return [replaceRange(start, end, '')]
  if (wantedValue.value === value) return []
  const spaceBeforeComment = text[raw.end] === '#' ? ' ' : ''
  return [replaceRange(raw.start, raw.end, wantedValue.raw + spaceBeforeComment)]
}

const removeFinalNewline = (text: string): string => text.replace(/(?:\r\n|\n|\r)$/, '')

function removeOwnedText({ text, assignments }: DotenvDocument, names: WantedLines): string {
  const ownAssignments = assignments.filter(({ name }) => names.has(name))
  const edits = ownAssignments.map(({ start, end }) => replaceRange(start, end, ''))
  return removeFinalNewline(splice(text, edits))
}

/** Exact text around the values of these names. Used to check that an edit changes only the values. */
function listFrames({ text, assignments }: DotenvDocument, names: ReadonlySet<string>): string {
  return assignments
    .filter(({ name }) => names.has(name))
    .map(
      ({ start, end, raw }) =>
        `${text.slice(start, raw.start)}\0${removeFinalNewline(text.slice(raw.end, end)).trimStart()}`,
    )
    .join('\0')
}

/** Throws unless the owned names have their new values and all other text is unchanged. */
function verifyEdit(currentDocument: DotenvDocument, editedDocument: DotenvDocument, wantedLines: WantedLines): void {
  const valueByName = new Map(editedDocument.assignments.map(({ name, value }) => [name, value]))
  const isDone = [...wantedLines].every(([name, wantedValue]) => valueByName.get(name) === wantedValue?.value)
  const keptNames = new Set(
    currentDocument.assignments.map(({ name }) => name).filter((name) => wantedLines.get(name) !== undefined),
  )
  const hasSameText = removeOwnedText(currentDocument, wantedLines) === removeOwnedText(editedDocument, wantedLines)
  const hasSameFrames = listFrames(currentDocument, keptNames) === listFrames(editedDocument, keptNames)
  if (!isDone || !hasSameText || !hasSameFrames) throw createEditMismatchError('the edit would change more')
}

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
