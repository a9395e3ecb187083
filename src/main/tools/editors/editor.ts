import { AppError, type Failure, type Result, toAppError } from '@shared/failure'
import { getLineNumber } from './text'

/** File formats of tool settings. `json` is strict: a single comment invalidates the file. */
export type Format = 'json' | 'jsonc' | 'yaml' | 'toml' | 'dotenv' | 'text'

/** Property names and values that a list element must have to match. */
export type Match = { readonly [name: string]: string }

/**
 * One setting to write, with its secret revealed. `path`: property names, or empty for a list at the root. `value`:
 * new value (undefined removes the setting). `member`: a text whose presence in an existing list is `present`.
 * `element`: matches one object in a list, which is created if needed. A new object becomes the first element if
 * `isFirst`, else the last.
 */
export type OpenEdit = {
  readonly path: readonly string[]
} & (
  | { readonly value: Json | undefined }
  | { readonly member: string; readonly present: boolean }
  | { readonly element: Match; readonly value: Json | undefined; readonly isFirst?: boolean }
)

/** A setting to restore: the value at `path`, a text in the list there, or the list element that matches `element`. */
export type OwnedPath = {
  readonly path: readonly string[]
  readonly member?: string | undefined
  readonly element?: Match | undefined
}

/**
 * Pure text editor for one format. Preserves comments, order, formatting and all foreign settings exactly, and
 * verifies this for each result. Ambiguous texts fail with `file.unparsable`, valid but unsupported ones with
 * `file.notEditable`. Failures have a 1-based line, never its content.
 */
export type Editor = {
  /** Parses the settings: an object, or an array for a list at the root. A blank text has no settings. */
  readonly parse: (text: string) => Result<Json & object, Failure>
  /** Returns the text with the edits applied. Throws an `AppError` if that is impossible. */
  readonly edit: (text: string, edits: readonly OpenEdit[]) => string
  /**
   * Restores our settings to their values in `original`. Removes parent objects that became empty, unless `original`
   * has them. Returns exactly `original` if nothing else differs.
   */
  readonly remove: (text: string, owned: readonly OwnedPath[], original: string | undefined) => string
  /** Whether a text has neither settings nor comments. */
  readonly isBlank: (text: string) => boolean
  /** Masks secrets as `[secret]` for display and keeps the number of lines. */
  readonly mask: (text: string) => string
  /** Removes comments and trailing commas, which the tool cannot parse. Only for strict formats. */
  readonly toStrict?: (text: string) => string
}

/** Value of a result. Throws its failure as an `AppError`. */
export function requireValue<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw toAppError(result.error)
}

const invalid = { code: 'file.unparsable', remedy: 'Correct it and try again.' } as const
const notEditable = {
  code: 'file.notEditable',
  remedy: "This app can't edit that. Write the line as a plain key and value, or enter the settings yourself.",
} as const

/** Error for a setting that cannot be changed, with its line. `isValid`: only this app cannot edit the text. */
export function createRefusal(
  text: string,
  path: readonly string[],
  offset: number,
  problem: string,
  isValid = false,
): AppError {
  const { code, remedy } = isValid ? notEditable : invalid
  const field = path.join('.')
  const line = getLineNumber(text, offset)
  const subject = field === '' ? 'The list' : `The setting ${field}`
  const details = { ...(field === '' ? {} : { field }), line }
  return new AppError(code, `${subject} ${problem} (line ${line}). ${remedy}`, details)
}

/** Failure of the check of an edited text. It shows a bug of this app. */
export const createEditMismatchError = (reason: string): AppError =>
  new AppError('internal.unexpected', `The file was not changed: ${reason}. This is a bug: report it.`)

/** Separates a byte order mark from the text after it. */
export function splitBom(source: string): { readonly bom: string; readonly text: string } {
  const bom = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  return { bom, text: source.slice(bom.length) }
}

/** `isLast`: applied after other edits at the same offset. */
export type TextEdit = {
  readonly offset: number
  readonly length: number
  readonly content: string
  readonly isLast?: boolean
}

/** Replaces a range of a text. Deletes it without a content. */
export const replaceRange = (start: number, end: number, content = ''): TextEdit => ({
  offset: start,
  length: end - start,
  content,
})

/** Applies text edits in one pass. Edits at the same offset are applied in their order. Edits must not overlap. */
export function splice(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text
  const parts: string[] = []
  let position = 0
  const sortedEdits = edits.toSorted(
    (a, b) => a.offset - b.offset || a.length - b.length || Number(a.isLast ?? false) - Number(b.isLast ?? false),
  )
  for (const { offset, length, content } of sortedEdits) {
    if (offset < position) throw new Error('Text edits must not overlap.')
    parts.push(text.slice(position, offset), content)
    position = offset + length
  }
  parts.push(text.slice(position))
  return parts.join('')
}

/** Merges overlapping and adjacent deletions among text edits. */
export function mergeDeletions(edits: readonly TextEdit[]): TextEdit[] {
  const deletions: { offset: number; length: number; content: string }[] = []
  const sortedDeletions = edits.filter(({ content }) => content === '').sort((a, b) => a.offset - b.offset)
  for (const { offset, length, content } of sortedDeletions) {
    const lastDeletion = deletions.at(-1)
    if (lastDeletion !== undefined && offset <= lastDeletion.offset + lastDeletion.length)
      lastDeletion.length = Math.max(lastDeletion.length, offset + length - lastDeletion.offset)
    else deletions.push({ offset, length, content })
  }
  return [...edits.filter(({ content }) => content !== ''), ...deletions]
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export function getValueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((parent, name) => {
    if (!isJsonObject(parent)) return undefined
    return Object.hasOwn(parent, name) ? parent[name] : undefined
  }, value)
}

/** Whether a value is an object with these texts. */
export function matches(value: Json, match: Match): boolean {
  return isJsonObject(value) && Object.entries(match).every(([name, wantedText]) => value[name] === wantedText)
}

export function isJsonObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text that is equal for equal values, whatever the order of their properties. */
export function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`)
  return `{${members.sort().join(',')}}`
}

/** Deep equality, ignoring property order. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameJson(item, b[index]))
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  )
}

/** Caches the results for the last two texts with weak references. One write parses the same megabytes many times. */
export function memoizeLatest<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  let latestEntries: readonly WeakRef<{ readonly text: string; readonly answer: Answer }>[] = []
  return (text) => {
    const latestEntry = latestEntries.map((cached) => cached.deref()).find((cached) => cached?.text === text)
    if (latestEntry !== undefined) return latestEntry.answer
    const newAnswer = { text, answer: answer(text) }
    latestEntries = [...latestEntries.slice(-1), new WeakRef(newAnswer)]
    return newAnswer.answer
  }
}

/** Caches the result of a function for each object passed to it. */
export function memoizeBySubject<Subject extends object, Answer>(
  answer: (subject: Subject) => Answer,
): (subject: Subject) => Answer {
  const entriesBySubject = new WeakMap<Subject, { readonly answer: Answer }>()
  return (subject) => {
    const cacheEntry = entriesBySubject.get(subject) ?? { answer: answer(subject) }
    entriesBySubject.set(subject, cacheEntry)
    return cacheEntry.answer
  }
}
