import { cleanName, withVisibleControls } from '@shared/hidden-characters'
import { useTranslation } from 'react-i18next'
import type { Identifier, Json, Resource } from './resource'

type Fields = { readonly [name: string]: Json }

/** Whether a value is a JSON object. */
export const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is a text, a number or a yes or no. */
export const isPlain = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** `created_at`, `created-at` and `createdAt` are one name. */
export const bareName = (name: string): string => name.replaceAll(/[\s_-]/g, '').toLowerCase()

function own(fields: Fields, name: string): readonly [string, Json] | undefined {
  const exact = fields[name]
  if (Object.hasOwn(fields, name) && exact !== undefined && exact !== null) return [name, exact]
  const bare = bareName(name)
  return Object.entries(fields).find(([fieldName, value]) => value !== null && bareName(fieldName) === bare)
}

/** The first field with one of these names that has a value, and that value. A name with dots leads into objects. */
export function foundField(row: Json | undefined, names: readonly string[]): readonly [string, Json] | undefined {
  if (!isObject(row)) return undefined
  for (const name of names) {
    const [first = '', ...rest] = name.split('.')
    const found = own(row, first)
    const inner = found && rest.length > 0 ? foundField(found[1], [rest.join('.')]) : found
    if (inner) return inner
  }
  return undefined
}

/** The value of the first of these fields. */
export const readField = (row: Json | undefined, names: readonly string[]): Json | undefined =>
  foundField(row, names)?.[1]

/** A value in one line of text. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (isPlain(value)) return String(value)
  if (Array.isArray(value) && value.every(isPlain)) return value.join(', ')
  return JSON.stringify(value)
}

/** What an answer speaks of: the answer itself, or what it holds when it is an envelope around one object. */
export function unwrapEnvelope(data: Json | undefined): Json | undefined {
  if (!isObject(data)) return data
  const values = Object.values(data)
  const [only] = values
  return values.length === 1 && isObject(only) ? only : data
}

/** The identifier of a row for a path: the first of the declared fields it has, or the row itself when it is a text. */
export function findIdentifier(row: Json, { names }: Identifier): string | undefined {
  if (isPlain(row)) return String(row)
  const value = readField(row, names)
  return isPlain(value) && value !== '' ? String(value) : undefined
}

const firstText = (row: Json): string | undefined =>
  isObject(row)
    ? Object.values(row).find((value): value is string => typeof value === 'string' && value !== '')
    : undefined

/** What a row is called, to be read: by its declared fields, its identifier, or the first text it has. */
export function readName(row: Json, { naming, identifier }: Pick<Resource, 'naming' | 'identifier'>): string {
  const named = toText(readField(row, naming))
  return cleanName(named === '' ? (findIdentifier(row, identifier) ?? firstText(row) ?? '') : named)
}

/** The rows of an answer without pages: the answer itself, or the first list in it. */
export function listRows(data: Json | undefined): readonly Json[] {
  if (Array.isArray(data)) return data
  if (!isObject(data)) return []
  return Object.values(data).find((value): value is Json[] => Array.isArray(value)) ?? []
}

function toSearchText(value: Json): string {
  if (Array.isArray(value)) return value.map(toSearchText).join(' ')
  return isObject(value) ? Object.values(value).map(toSearchText).join(' ') : toText(value)
}

/** Tests whether a row has every word of a text in any of its values, ignoring case. */
export function rowMatcher(text: string): (row: Json) => boolean {
  const wanted = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return (row) => {
    if (wanted.length === 0) return true
    const all = toSearchText(row).toLocaleLowerCase()
    return wanted.every((word) => all.includes(word))
  }
}

/** The rows that have every word of a text in any of their values, ignoring case. */
export const searchedRows = (rows: readonly Json[], text: string): readonly Json[] => rows.filter(rowMatcher(text))

/** A field's name as words: `lastUsedAt` is `Last used at`, `image_tag` is `Image tag`; what is no such name stays. */
export function inWords(name: string): string {
  if (!/^[a-z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*$/.test(name)) return name
  const toSearchText = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^(id|url|uri|api|ip|cpu|ram|sha)$/i.test(word) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ')
  return toSearchText.charAt(0).toUpperCase() + toSearchText.slice(1)
}

/** What a field of an answer is called: words for those that many answers have, its own name in words otherwise. */
export function useFieldNames(): (name: string) => string {
  const { t } = useTranslation('resources')
  const known: Readonly<Record<string, string>> = t('fieldNames', { returnObjects: true })
  return (name) => (Object.hasOwn(known, name) ? (known[name] ?? name) : withVisibleControls(inWords(name)))
}
