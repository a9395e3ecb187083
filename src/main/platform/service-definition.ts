import type { AddressKey } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { z } from 'zod'
import { type BadResponse, explainRefusal } from './explain'

/** The only verbs of the platform. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type CredentialKind = 'iam' | 'gateway' | 'inference'

/** Serialized by `String`. */
export type QueryValue = string | number | boolean

/** One thing that a service can be asked. */
export interface Operation {
  /** `service.resource.verb`, as callers name it. */
  readonly id: string
  readonly service: string
  /** Which base address of the connection the path follows. */
  readonly address: AddressKey
  readonly credential: CredentialKind
  readonly method: Method
  /** The path after the base, with `{name}` for each of `pathParams`. */
  readonly path: string
  readonly pathParams: readonly string[]
  /** Every query parameter the platform knows here, in the order they are written. */
  readonly query: readonly string[]
  readonly requiredQuery: readonly string[]
  /** Default values. A parameter listed here may be empty. */
  readonly defaultQuery: Readonly<Record<string, QueryValue>>
  readonly paging: Paging | undefined
  /** The rules that the spec gives for a body; unknown fields pass. */
  readonly body: z.ZodType | undefined
  /** Explains a status by the platform's or the gateway's table. */
  readonly explain: (refusal: BadResponse) => Failure
}

interface OperationDetails {
  /** Query parameters that must be there and not empty. */
  readonly query?: readonly string[]
  readonly optionalQuery?: readonly string[]
  /** Query parameters that must be there but may be empty; left out, they are sent as given here. */
  readonly defaultQuery?: Readonly<Record<string, QueryValue>>
  readonly body?: z.ZodType
}

/** An operation as a service file writes it. */
interface Draft extends OperationDetails {
  readonly method: Method
  readonly path: string
  readonly isPaged: boolean
}

type Builder = (path: string, details?: OperationDetails) => Draft

const builder = (method: Method, isPaged = false): Builder => {
  return (path, details = {}) => ({ ...details, method, path, isPaged })
}

/** A list in pages, with `page` and `size`. */
export const list = builder('GET', true)
export const get = builder('GET')
export const post = builder('POST')
export const put = builder('PUT')
export const patch = builder('PATCH')
export const del = builder('DELETE')

interface ServiceTraits<Key extends string = string> {
  readonly address: AddressKey
  readonly credential?: CredentialKind
  readonly paging?: Paging
  readonly explain?: (refusal: BadResponse) => Failure
  /** The cheapest call that shows that address and credential are right. */
  readonly test?: TestCall<Key>
}

/** A call that tests a service; a refusal with one of `provenBy` proves it as well. */
interface TestCall<Key extends string = string> {
  readonly operation: Key
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly provenBy?: readonly Failure['code'][]
}

/** A service as data; its type knows the name of every operation. */
export interface Service<Name extends string = string, Key extends string = string> {
  readonly name: Name
  readonly operations: readonly Operation[]
  readonly test: TestCall | undefined
  /** Only for types: which operations there are. */
  readonly drafts: Readonly<Record<Key, Draft>>
}

/** Makes a service out of what its file says. */
export function service<const Name extends string, const Key extends string>(
  name: Name,
  traits: ServiceTraits<NoInfer<Key>>,
  drafts: Readonly<Record<Key, Draft>>,
): Service<Name, Key> {
  const operations = Object.entries<Draft>(drafts).map(([key, draft]) => toOperation(name, key, { draft, traits }))
  return { name, operations, test: traits.test, drafts }
}

function toOperation(name: string, key: string, { draft, traits }: { draft: Draft; traits: ServiceTraits }): Operation {
  const { method, path, isPaged, query = [], optionalQuery = [], defaultQuery = {}, body } = draft
  const paging = isPaged ? traits.paging : undefined
  const pageQuery = paging === undefined ? {} : { page: paging.firstPage, size: DEFAULT_SIZE }
  return {
    id: `${name}.${key}`,
    service: name,
    address: traits.address,
    credential: traits.credential ?? 'iam',
    method,
    path,
    pathParams: [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param),
    query: [...query, ...Object.keys(defaultQuery), ...optionalQuery, ...Object.keys(pageQuery)],
    requiredQuery: [...query, ...Object.keys(defaultQuery)],
    defaultQuery: { ...defaultQuery, ...pageQuery },
    paging,
    body,
    explain: traits.explain ?? explainRefusal,
  }
}

/** Page numbering and field names of a service (spec, "Pagination envelopes"). */
export interface Paging {
  readonly firstPage: number
  readonly items: string
  readonly totalItems: string
  readonly totalPages: string
}

/** Default page size, the most common one in the spec's examples. */
const DEFAULT_SIZE = 20

/** A total that is not a whole number counts as absent. */
export interface PageContent {
  readonly items: readonly unknown[]
  readonly totalItems?: number
  readonly totalPages?: number
}

/** A count as servers write it; `Number` would make 0 of null and of an empty text. */
const Total = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])

/** The rows and totals of a list's answer, or undefined when it is no list; a bare array is one without totals. */
export function readPage(paging: Paging, data: unknown): PageContent | undefined {
  if (Array.isArray(data)) return { items: data }
  const envelope = z.looseObject({}).safeParse(data)
  if (!envelope.success) return undefined
  const { [paging.items]: rows, [paging.totalItems]: items, [paging.totalPages]: pages } = envelope.data
  const isEmpty = rows === null && items === 0
  if (!Array.isArray(rows) && !isEmpty) return undefined
  return {
    items: isEmpty ? [] : z.array(z.unknown()).parse(rows),
    ...total('totalItems', items),
    ...total('totalPages', pages),
  }
}

function total(name: 'totalItems' | 'totalPages', value: unknown): Partial<PageContent> {
  const read = Total.safeParse(value)
  return read.success ? { [name]: read.data } : {}
}
