import { AppError, type Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { type Assignment, type DotenvDocument, readDotenv, refusalAt, requireDotenv } from './dotenv-document'
import { maskDotenv } from './dotenv-mask'
import { written } from './dotenv-value'
import type { Editor, OpenEdit, OwnedPath } from './editor'
import type { Json } from './json-value'
import { rememberingEach } from './remembered'
import { splice, type TextEdit } from './splice'

/**
 * `.env` files as dotenv reads them. A value replaces that of the one line that gives the name one; a new name goes to the
 * end. Refused are a quote that is opened and not closed, and an owned name that is given a value twice.
 */
export const dotenvEditor: Editor = {
  parse,
  edit: (text, edits) => carryOut(requireDotenv(text), wantedBy(edits)),
  remove,
  isBlank: (text) => text.trim() === '',
  mask: maskDotenv,
}

/** By name: what is to stand behind the `=`, to the letter; undefined: the line goes. */
type Wanted = ReadonlyMap<string, { readonly value: string; readonly raw: string; readonly line?: string } | undefined>

function parse(text: string): Result<Json & object, Failure> {
  try {
    return ok(settingsOf(requireDotenv(text)))
  } catch (error) {
    if (error instanceof AppError) return err(error.failure)
    throw error
  }
}

const settingsOf = rememberingEach(({ assignments }: DotenvDocument) =>
  Object.fromEntries(assignments.map(({ name, value }) => [name, value])),
)

function wantedBy(edits: readonly OpenEdit[]): Wanted {
  const wanted = new Map<string, { value: string; raw: string } | undefined>()
  for (const edit of edits) {
    const name = nameOf(edit.path)
    if (!('value' in edit) || 'element' in edit || wanted.has(name)) throw new Error(`No edit of a variable: ${name}`)
    const { value } = edit
    if (value !== undefined && typeof value !== 'string') throw new Error(`No text for the variable ${name}`)
    wanted.set(name, value === undefined ? undefined : { value, raw: written(name, value) })
  }
  return wanted
}

function nameOf(path: readonly string[]): string {
  const [name = '', ...more] = path
  if (more.length > 0 || !/^[\w.-]+$/.test(name)) throw new Error(`No name of a variable: ${path.join('.')}`)
  return name
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const document = requireDotenv(text)
  const old = requireDotenv(original ?? '')
  const past = new Map(old.assignments.map((assignment) => [assignment.name, assignment]))
  const names = owned.map(({ path }) => nameOf(path))
  const wanted: Wanted = new Map(names.map((name) => [name, asIn(old.text, past.get(name))]))
  const result = carryOut(document, wanted)
  const isSame = original !== undefined && othersOf(requireDotenv(result), wanted) === othersOf(old, wanted)
  return isSame ? original : result
}

function asIn(text: string, found: Assignment | undefined): ReturnType<Wanted['get']> {
  if (found === undefined) return undefined
  const { value, raw, start, end } = found
  return { value, raw: text.slice(raw.start, raw.end), line: withoutEnd(text.slice(start, end)) }
}

function carryOut(document: DotenvDocument, wanted: Wanted): string {
  const found = ownedIn(document, wanted)
  const edits = [...wanted].flatMap(([name, want]) => {
    const assignment = found.get(name)
    return assignment === undefined ? [] : changeOf(document.text, assignment, want)
  })
  const changed = splice(document.text, edits)
  const added = [...wanted].flatMap(([name, want]) => (want === undefined || found.has(name) ? [] : lineOf(name, want)))
  const eol = /\r\n|\n|\r/.exec(document.text)?.[0] ?? '\n'
  const result = added.length === 0 ? changed : withEnd(changed, eol) + added.map((line) => line + eol).join('')
  prove(document, readDotenv(document.bom + result), wanted)
  return document.bom + result
}

type Want = NonNullable<ReturnType<Wanted['get']>>

const lineOf = (name: string, { raw, line }: Want): string => line ?? `${name}=${raw}`

function ownedIn(document: DotenvDocument, names: Wanted): Map<string, Assignment> {
  const found = new Map<string, Assignment>()
  for (const assignment of document.assignments) {
    if (!names.has(assignment.name)) continue
    if (found.has(assignment.name)) throw refusalAt(document, assignment, `${assignment.name} is given a value twice`)
    found.set(assignment.name, assignment)
  }
  return found
}

function changeOf(text: string, { start, end, raw, value }: Assignment, want: Want | undefined): TextEdit[] {
  if (want === undefined) return [{ offset: start, length: end - start, content: '' }]
  if (want.value === value) return []
  const blank = text[raw.end] === '#' ? ' ' : ''
  return [{ offset: raw.start, length: raw.end - raw.start, content: want.raw + blank }]
}

const withoutEnd = (text: string): string => text.replace(/(?:\r\n|\n|\r)$/, '')

/** The text with a line end at its end, as lines can be added to it. */
const withEnd = (text: string, eol: string): string => (text === '' || /[\r\n]$/.test(text) ? text : text + eol)

/** All lines but those of these names, to the letter but for the last line end, which a file may lack. */
function othersOf({ text, assignments }: DotenvDocument, names: Wanted): string {
  const owned = assignments.filter(({ name }) => names.has(name))
  const left = splice(
    text,
    owned.map(({ start, end }) => ({ offset: start, length: end - start, content: '' })),
  )
  return withoutEnd(left)
}

/** What stands around the values of the names that keep their lines, to the letter but for a blank. */
function framesOf({ text, assignments }: DotenvDocument, names: ReadonlySet<string>): string {
  return assignments
    .filter(({ name }) => names.has(name))
    .map(
      ({ start, end, raw }) => `${text.slice(start, raw.start)}\0${withoutEnd(text.slice(raw.end, end)).trimStart()}`,
    )
    .join('\0')
}

/** Throws unless every owned name has its value and everything else is as it was, to the letter. */
function prove(before: DotenvDocument, after: DotenvDocument, wanted: Wanted): void {
  const owned = new Map(after.assignments.map(({ name, value }) => [name, value]))
  const isDone = [...wanted].every(([name, want]) => owned.get(name) === want?.value)
  const kept = new Set(before.assignments.map(({ name }) => name).filter((name) => wanted.get(name) !== undefined))
  const isSame = othersOf(before, wanted) === othersOf(after, wanted)
  if (isDone && isSame && framesOf(before, kept) === framesOf(after, kept)) return
  throw new AppError(
    'internal.unexpected',
    'The file was left alone: the edit would change more. This is a bug: report it.',
  )
}
