import type { Failure, Result } from '@shared/failure'

/** The kinds of files that tools keep their settings in. `json`: its parser is strict, and one comment voids the file. */
export type Format = 'json' | 'jsonc' | 'yaml' | 'toml' | 'dotenv' | 'text'

/** What tells one element of a list from the others: its properties of these names have these values. */
export type Match = { readonly [name: string]: string }

/**
 * One owned setting with its secret laid open. `value`: what stands at the path (undefined removes it). `member`: whether
 * a list holds a text; the list is never created. `element`: the one object in a list that matches (undefined removes it);
 * the list is created, and a new element goes to its front when `isFirst`, else to its end. `path` is made of property
 * names; an empty one is the document itself, for a list at the root.
 */
export type OpenEdit = {
  readonly path: readonly string[]
} & (
  | { readonly value: Json | undefined }
  | { readonly member: string; readonly present: boolean }
  | { readonly element: Match; readonly value: Json | undefined; readonly isFirst?: boolean }
)

/** What a removal gives back: a setting by its path, the membership of a list, or the element of a list that matches. */
export type OwnedPath = {
  readonly path: readonly string[]
  readonly member?: string | undefined
  readonly element?: Match | undefined
}

/**
 * Edits one format: text in, text out, pure. Comments, order, indentation, line ends, the byte order mark and everything
 * not owned stay to the letter, and each result is proven so before it is given back. A text that cannot be edited without
 * guessing is refused with `file.unparsable`, or `file.notEditable` where it is valid, and the 1-based line, never with the
 * line's content.
 */
export type Editor = {
  /** The settings in a text (none in a blank one), an object or, for a list at the root, an array. */
  readonly parse: (text: string) => Result<Json & object, Failure>
  /** The text with the edits made. Throws an `AppError` and then nothing is lost. */
  readonly edit: (text: string, edits: readonly OpenEdit[]) => string
  /**
   * The text with every owned setting as `original` had it, and without the parents that only held owned settings and that
   * `original` had not. Where nothing else differs from `original`, the result is `original` to the letter.
   */
  readonly remove: (text: string, owned: readonly OwnedPath[], original: string | undefined) => string
  /** True when a text holds no setting and no comment. */
  readonly isBlank: (text: string) => boolean
  /** The text as it may be shown: each secret as `[secret]`, the same number of lines. */
  readonly mask: (text: string) => string
  /** For a strict format: the text without what its tool cannot read. */
  readonly toStrict?: (text: string) => string
}

/** One stretch of a text replaced by other text. */
export type TextEdit = { readonly offset: number; readonly length: number; readonly content: string }

/** The text with all edits made, in one pass; those at one place in their order. They may not overlap. */
export function splice(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text
  const parts: string[] = []
  let position = 0
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset || a.length - b.length)) {
    if (offset < position) throw new Error('Two edits of one text overlap')
    parts.push(text.slice(position, offset), content)
    position = offset + length
  }
  parts.push(text.slice(position))
  return parts.join('')
}

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** The value at a path of property names, or undefined. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => {
    if (!isJsonObject(at)) return undefined
    return Object.hasOwn(at, name) ? at[name] : undefined
  }, value)
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One text per value, whatever the order of its properties. */
export function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`)
  return `{${members.sort().join(',')}}`
}

/** True when both are the same value, whatever the order of properties. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]))
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  )
}

/**
 * The same function of a text, which knows its last two answers (a text before and after) while the memory is not wanted
 * for something else: planning one write asks about them many times, and megabytes take long to take apart.
 */
export function rememberingLast<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  let known: readonly WeakRef<{ readonly text: string; readonly answer: Answer }>[] = []
  return (text) => {
    const found = known.map((each) => each.deref()).find((each) => each?.text === text)
    if (found !== undefined) return found.answer
    const made = { text, answer: answer(text) }
    known = [...known.slice(-1), new WeakRef(made)]
    return made.answer
  }
}

/** The same function of an object, which is asked once about each. */
export function rememberingEach<Subject extends object, Answer>(
  answer: (subject: Subject) => Answer,
): (subject: Subject) => Answer {
  const known = new WeakMap<Subject, { readonly answer: Answer }>()
  return (subject) => {
    const found = known.get(subject) ?? { answer: answer(subject) }
    known.set(subject, found)
    return found.answer
  }
}
