import type { AddressKey } from '@shared/contract'
import { AppError } from '@shared/failure'
import { refuseRequestAddress } from '../core/net/address'
import type { Operation, QueryValue } from './services'

/** Arguments of one call, by the names in the operation's table. */
export interface CallArguments {
  readonly path?: Readonly<Record<string, string | number>> | undefined
  /** Unknown parameters are sent after the known ones. `undefined` counts as missing. */
  readonly query?: Readonly<Record<string, QueryValue | undefined>> | undefined
  /** Request body, sent as JSON without changes. */
  readonly body?: unknown
}

/** Base addresses of a connection. A missing or empty one means "not configured". */
export type Addresses = Readonly<Partial<Record<AddressKey, string>>>

export interface PreparedRequest {
  readonly url: string
  readonly body?: string
}

/** Validates a call. Fails with `input.invalid` and its `field`, `api.notConfigured` or `address.*`. */
export function prepare(operation: Operation, args: CallArguments, addresses: Addresses): PreparedRequest {
  const path = fillPath(operation, args.path ?? {})
  const query = queryText(operation, args.query ?? {})
  const body = bodyText(operation, args.body)
  const url = joinAddress(requireServiceUrl(operation, addresses), path) + query
  return body === undefined ? { url } : { url, body }
}

/** Joins a base URL and a path. The base URL may have a path and trailing slashes. */
export function joinAddress(base: string, path: string): string {
  const { origin, pathname } = new URL(base)
  return origin + pathname.replace(/\/+$/, '') + path
}

const inputError = (field: string, problem: string): AppError =>
  new AppError('input.invalid', `${field} ${problem}.`, { field })

function requireServiceUrl({ address, service }: Operation, addresses: Addresses): string {
  const baseUrl = addresses[address]?.trim() ?? ''
  if (baseUrl === '') {
    const message = `The connection has no address for ${service}. Add its ${address}.`
    throw new AppError('api.notConfigured', message, { field: address })
  }
  const addressFailure = refuseRequestAddress(baseUrl)
  if (addressFailure !== undefined) throw new AppError(addressFailure.code, addressFailure.message, { field: address })
  return baseUrl
}

function fillPath({ path, pathParams }: Operation, values: Readonly<Record<string, string | number>>): string {
  const unknownName = Object.keys(values).find((name) => !pathParams.includes(name))
  if (unknownName !== undefined) throw inputError(unknownName, 'is not a path parameter of this operation')
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]))
}

/**
 * Encodes a path value. Rejects an empty value, `.` and `..`. Servers and proxies resolve dots even when encoded, and
 * an empty value requests the whole list.
 */
function segment(name: string, value: string | number | undefined): string {
  const text = String(value ?? '')
  if (text === '') throw inputError(name, 'is required')
  if (text === '.' || text === '..') throw inputError(name, 'cannot be a dot or two dots')
  return encodeValue(name, text)
}

/** Percent-encodes everything except letters, digits and `-._~`. */
function encodeValue(name: string, value: QueryValue): string {
  try {
    return encodeURIComponent(value).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  } catch {
    throw inputError(name, 'contains half of a surrogate pair')
  }
}

function queryText(operation: Operation, parameters: Readonly<Record<string, QueryValue | undefined>>): string {
  const values = Object.entries(parameters).filter((entry): entry is [string, QueryValue] => entry[1] !== undefined)
  const allParameters = new Map<string, QueryValue>([...Object.entries(operation.defaultQuery), ...values])
  for (const name of operation.requiredQuery) {
    const canBeEmpty = name in operation.defaultQuery
    if (!canBeEmpty && (allParameters.get(name) ?? '') === '') throw inputError(name, 'is required')
  }
  const { paging } = operation
  const page = allParameters.get('page')
  const isPageValid = /^\d{1,15}$/.test(String(page)) && Number(page) >= (paging?.firstPage ?? 0)
  if (paging !== undefined && !isPageValid) throw inputError('page', `must be a whole number from ${paging.firstPage}`)
  const names = new Set([...operation.query, ...allParameters.keys()])
  const pairs = [...names].flatMap((name) => {
    const value = allParameters.get(name)
    return value === undefined ? [] : [`${encodeValue(name, name)}=${encodeValue(name, value)}`]
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function bodyText({ method, body: rules }: Operation, body: unknown): string | undefined {
  const hasRequestBody = ['POST', 'PUT', 'PATCH'].includes(method)
  if (body !== undefined && !hasRequestBody) throw inputError('body', `is not sent with ${method}`)
  // Check the rules even without a body, because a field may be required.
  const parsedBody = hasRequestBody ? rules?.safeParse(body === undefined ? {} : body) : undefined
  if (parsedBody?.success === false) {
    const [issue] = parsedBody.error.issues
    throw inputError(issue?.path.join('.') || 'body', issue?.message ?? 'breaks a rule')
  }
  return body === undefined ? undefined : JSON.stringify(body)
}
