import { cleanName, withVisibleControls } from '@shared/hidden-characters'
import i18next from 'i18next'
import { generatePath } from 'react-router'
import { type Json, type Resource, type ResourceSubject, type Scope, statusColumn } from './resource'

const t = i18next.getFixedT(null, 'resources')

export const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isPrimitive = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Treats `created_at`, `created-at` and `createdAt` as the same name. */
export const normalizeName = (name: string): string => name.replaceAll(/[\s_-]/g, '').toLowerCase()

function findOwnField(fields: { readonly [name: string]: Json }, name: string): readonly [string, Json] | undefined {
  const exactValue = fields[name]
  if (Object.hasOwn(fields, name) && exactValue !== undefined && exactValue !== null) return [name, exactValue]
  const wantedName = normalizeName(name)
  return Object.entries(fields).find(([fieldName, value]) => value !== null && normalizeName(fieldName) === wantedName)
}

/** First field with one of these names that is not empty. A name with dots addresses a nested object. */
export function findField(row: Json | undefined, names: readonly string[]): readonly [string, Json] | undefined {
  if (!isObject(row)) return undefined
  for (const name of names) {
    const [firstKey = '', ...rest] = name.split('.')
    const matchedEntry = findOwnField(row, firstKey)
    const innerEntry = matchedEntry && rest.length > 0 ? findField(matchedEntry[1], [rest.join('.')]) : matchedEntry
    if (innerEntry) return innerEntry
  }
  return undefined
}

export const readField = (row: Json | undefined, names: readonly string[]): Json | undefined =>
  findField(row, names)?.[1]

export const readStatus = (row: Json | undefined): Json | undefined => readField(row, statusColumn.names)

/** Whether the status of a row means that the platform is still changing the resource. */
export const isChanging = (row: Json | undefined): boolean =>
  /^(?:creat|updat|delet|pend|provision|start|stopp|deploy)ing$/i.test(toText(readStatus(row)))

/** Poll interval of changing resources in ms. */
export const changeVisibleMs = 2000

const maxSecondsTimestamp = 100_000_000_000

/** Parses a time: ISO 8601, or seconds or milliseconds as a number. Returns ms since 1970, or undefined. */
export function parseTime(value: Json | undefined): number | undefined {
  if (!isPrimitive(value) || typeof value === 'boolean' || value === '') return undefined
  const number = Number(value)
  if (!Number.isFinite(number)) return Date.parse(String(value)) || undefined
  const timeMs = number < maxSecondsTimestamp ? number * 1000 : number
  return Number.isNaN(new Date(timeMs).getTime()) ? undefined : timeMs
}

/** Formats any value as text on a single line. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (isPrimitive(value)) return String(value)
  if (Array.isArray(value) && value.every(isPrimitive)) return value.join(', ')
  return JSON.stringify(value)
}

/** Content of a response. If it only wraps a single object, returns that object. */
export function unwrapEnvelope(data: Json | undefined): Json | undefined {
  if (!isObject(data)) return data
  const values = Object.values(data)
  const [only] = values
  return values.length === 1 && isObject(only) ? only : data
}

/** Identifier of a row: the first of these fields, or the row itself if it is a plain value. */
export function findIdentifier(row: Json, names: readonly string[]): string | undefined {
  if (isPrimitive(row)) return String(row)
  const value = readField(row, names)
  return isPrimitive(value) && value !== '' ? String(value) : undefined
}

/** Name of a row for display: a declared name field, else its identifier, else its first text. */
export function readName(row: Json, { naming, identifier }: Pick<Resource, 'naming' | 'identifier'>): string {
  const name = toText(readField(row, naming)) || findIdentifier(row, identifier.names)
  const firstText = isObject(row) && Object.values(row).find((value) => typeof value === 'string' && value !== '')
  return cleanName(name ?? toText(firstText || ''))
}

export const toSubject = (resource: Resource, row: Json, scope: Scope): ResourceSubject => ({
  row,
  name: readName(row, resource),
  id: findIdentifier(row, resource.identifier.names),
  scope,
})

export interface Target {
  readonly path: Scope
  readonly query: Readonly<Record<string, string>>
}

/** Parameters that identify a resource in an API call. Without an id, only the parameters of its parent. */
export function toTargetParameters(
  { identifier }: Resource,
  { id, scope }: Pick<ResourceSubject, 'id' | 'scope'>,
): Target {
  const idParameter = id === undefined ? {} : { [identifier.param]: id }
  return identifier.to === 'query'
    ? { path: scope, query: idParameter }
    : { path: { ...scope, ...idParameter }, query: {} }
}

/** Path of a row's detail page. That requires an identifier, and an operation that reads a single resource. */
export const findPagePath = ({ get, at }: Resource, { id, scope }: ResourceSubject): string | undefined =>
  get && id !== undefined ? `${generatePath(at, scope)}/${encodeURIComponent(id)}` : undefined

/** Rows of a response without pages: the response itself if it is an array, or else the first array in it. */
export function listRows(data: Json | undefined): readonly Json[] {
  if (Array.isArray(data)) return data
  if (!isObject(data)) return []
  return Object.values(data).find((value): value is Json[] => Array.isArray(value)) ?? []
}

const toSearchText = (value: Json): string =>
  typeof value === 'object' && value !== null ? Object.values(value).map(toSearchText).join(' ') : toText(value)

/** Matches all words in any value, ignoring case. */
export function rowMatcher(text: string): (row: Json) => boolean {
  const searchTerms = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return (row) => {
    if (searchTerms.length === 0) return true
    const rowText = toSearchText(row).toLocaleLowerCase()
    return searchTerms.every((word) => rowText.includes(word))
  }
}

export const searchedRows = (rows: readonly Json[], text: string): readonly Json[] => rows.filter(rowMatcher(text))

/** Splits a field name into words: `lastUsedAt` becomes `Last used at`. Other texts stay unchanged. */
export function formatFieldName(name: string): string {
  if (!/^[a-z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*$/.test(name)) return name
  const text = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^(id|url|uri|api|ip|cpu|ram|sha)$/i.test(word) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Label of a field: a translation for common fields, or else the words of its name. */
export function getFieldLabel(name: string): string {
  const knownNames: Readonly<Record<string, string>> = t('fieldNames', { returnObjects: true })
  return Object.hasOwn(knownNames, name) ? (knownNames[name] ?? name) : withVisibleControls(formatFieldName(name))
}
