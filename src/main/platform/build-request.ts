import type { AddressKey } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { z } from 'zod'
import { refuseRequestAddress } from '../core/net/address'
import type { Operation, QueryValue } from './service-definition'

/** The values of one call, by the names that the operation's table gives them. */
export interface CallArguments {
  readonly path?: Readonly<Record<string, string | number>>
  /** Parameters the table does not name are sent as well, after those it does; `undefined` counts as absent. */
  readonly query?: Readonly<Record<string, QueryValue | undefined>>
  /** Sent as JSON, untouched. */
  readonly body?: unknown
}

/** The base addresses of a connection; a missing or an empty one is "not configured". */
export type Addresses = Readonly<Partial<Record<AddressKey, string>>>

/** A request that passed the local rules. */
export interface PreparedRequest {
  readonly url: string
  readonly body?: string
}

/** The request of a call, or why it is not made: `input.invalid` with its `field`, `api.notConfigured`, `address.*`. */
export function prepare(operation: Operation, args: CallArguments, addresses: Addresses): PreparedRequest {
  const path = fillPath(operation, args.path ?? {})
  const query = queryText(operation, args.query ?? {})
  const body = bodyText(operation, args.body)
  return { url: joinAddress(requireBase(operation, addresses), path) + query, ...(body === undefined ? {} : { body }) }
}

/** A base, with or without a path or slashes at its end, and the path that follows it. */
export function joinAddress(base: string, path: string): string {
  const { origin, pathname } = new URL(base)
  return origin + pathname.replace(/\/+$/, '') + path
}

/** A value as one segment of a path or one value of a query: everything but letters, digits and `-._~` is encoded. */
export function encode(value: string | number | boolean): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

const invalid = (field: string, says: string): AppError => new AppError('input.invalid', `${field} ${says}.`, { field })

function requireBase({ address, service }: Operation, addresses: Addresses): string {
  const base = addresses[address]?.trim() ?? ''
  if (base === '') {
    const message = `The connection has no address for ${service}. Add its ${address}.`
    throw new AppError('api.notConfigured', message, { field: address })
  }
  const refused = refuseRequestAddress(base)
  if (refused !== undefined) throw new AppError(refused.code, refused.message, { field: address })
  return base
}

function fillPath({ path, pathParams }: Operation, values: Readonly<Record<string, string | number>>): string {
  const unknown = Object.keys(values).find((name) => !pathParams.includes(name))
  if (unknown !== undefined) throw invalid(unknown, 'is no part of the path of this operation')
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]))
}

/** Servers and proxies resolve `.` and `..` even when encoded, and an empty segment asks for the whole list. */
function segment(name: string, value: string | number | undefined): string {
  const text = String(value ?? '')
  if (text === '') throw invalid(name, 'is required')
  if (text === '.' || text === '..') throw invalid(name, 'cannot be a dot or two dots')
  return encoded(name, text)
}

function encoded(name: string, value: QueryValue): string {
  try {
    return encode(value)
  } catch {
    throw invalid(name, 'holds half of a character')
  }
}

function queryText(operation: Operation, given: Readonly<Record<string, QueryValue | undefined>>): string {
  const values = Object.entries(given).filter((entry): entry is [string, QueryValue] => entry[1] !== undefined)
  const all = new Map<string, QueryValue>([...Object.entries(operation.defaultQuery), ...values])
  for (const name of operation.requiredQuery) {
    const mayBeEmpty = name in operation.defaultQuery
    if (!mayBeEmpty && (all.get(name) ?? '') === '') throw invalid(name, 'is required')
  }
  checkPage(operation, all.get('page'))
  const names = new Set([...operation.query, ...all.keys()])
  const pairs = [...names].flatMap((name) => {
    const value = all.get(name)
    return value === undefined ? [] : [`${encoded(name, name)}=${encoded(name, value)}`]
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function checkPage({ paging }: Operation, page: QueryValue | undefined): void {
  if (paging === undefined || page === undefined) return
  const isIndex = /^\d{1,15}$/.test(String(page)) && Number(page) >= paging.firstPage
  if (!isIndex) throw invalid('page', `must be a whole number from ${paging.firstPage}`)
}

function bodyText({ method, body: rules }: Operation, body: unknown): string | undefined {
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(method)
  if (body !== undefined && !takesBody) throw invalid('body', `is not sent with ${method}`)
  // A rule for a field that must be there refuses a missing body as well.
  const checked = takesBody ? rules?.safeParse(body === undefined ? {} : body) : undefined
  if (checked?.success === false) throw brokenRule(checked.error)
  return body === undefined ? undefined : JSON.stringify(body)
}

function brokenRule({ issues }: z.ZodError): AppError {
  const [issue] = issues
  return invalid(issue?.path.join('.') || 'body', issue?.message ?? 'breaks a rule')
}
