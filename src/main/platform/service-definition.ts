import type { AddressKey } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { z } from 'zod'
import { type ErrorResponse, explainRefusal } from './explain'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type CredentialKind = 'iam' | 'gateway' | 'inference'

export type QueryValue = string | number | boolean

export interface Operation {
  /** Id of the operation, as `service.resource.verb`. */
  readonly id: string
  readonly service: string
  /** Short description, from the specification. Those of the console are ours, because the specification omits it. */
  readonly purpose: string
  readonly address: AddressKey
  readonly credential: CredentialKind
  readonly method: Method
  /** Path with `{name}` for each of `pathParams`. */
  readonly path: string
  readonly pathParams: readonly string[]
  /** Known query parameters in the order of sending. */
  readonly query: readonly string[]
  readonly requiredQuery: readonly string[]
  /** Default values of query parameters. A parameter listed here may be empty. */
  readonly defaultQuery: Readonly<Record<string, QueryValue>>
  readonly paging: Paging | undefined
  /** Validation rules of the spec. Unknown fields pass. */
  readonly body: z.ZodType | undefined
  /** Explains a status by the platform's or the gateway's table. */
  readonly explain: (refusal: ErrorResponse) => Failure
}

interface OperationDetails {
  /** Names of required, nonempty query parameters. */
  readonly query?: readonly string[]
  readonly optionalQuery?: readonly string[]
  /** Default values of query parameters that must be sent but may be empty. */
  readonly defaultQuery?: Readonly<Record<string, QueryValue>>
  readonly body?: z.ZodType
}

interface Draft extends OperationDetails {
  readonly method: Method
  readonly path: string
  readonly purpose: string
  readonly isPaged: boolean
}

const builder =
  (method: Method, isPaged = false) =>
  (path: string, purpose: string, details: OperationDetails = {}): Draft => ({
    ...details,
    method,
    path,
    purpose,
    isPaged,
  })

/** A paged list with `page` and `size`. */
export const list = builder('GET', true)
export const get = builder('GET')
export const post = builder('POST')
export const replace = builder('PUT')
export const patch = builder('PATCH')
export const remove = builder('DELETE')

interface ServiceTraits<Key extends string = string> {
  readonly address: AddressKey
  readonly credential?: CredentialKind
  readonly paging?: Paging
  readonly explain?: (refusal: ErrorResponse) => Failure
  /** The cheapest call that verifies address and credential. */
  readonly test?: TestCall<Key>
}

/** A cheap test call. An error in `provenBy` counts as success too. */
interface TestCall<Key extends string = string> {
  readonly operation: Key
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly provenBy?: readonly Failure['code'][]
}

export interface Service<Name extends string = string, Key extends string = string> {
  readonly name: Name
  readonly operations: readonly Operation[]
  readonly test: TestCall | undefined
  /** Definitions of the operations, kept only for their types. */
  readonly drafts: Readonly<Record<Key, Draft>>
}

export function service<const Name extends string, const Key extends string>(
  name: Name,
  traits: ServiceTraits<NoInfer<Key>>,
  drafts: Readonly<Record<Key, Draft>>,
): Service<Name, Key> {
  const operations = Object.entries<Draft>(drafts).map(([key, draft]) => toOperation(name, key, { draft, traits }))
  return { name, operations, test: traits.test, drafts }
}

function toOperation(name: string, key: string, { draft, traits }: { draft: Draft; traits: ServiceTraits }): Operation {
  const { method, path, purpose, isPaged, query = [], optionalQuery = [], defaultQuery = {}, body } = draft
  const paging = isPaged ? traits.paging : undefined
  const pageQuery = paging === undefined ? {} : { page: paging.firstPage, size: DEFAULT_SIZE }
  return {
    id: `${name}.${key}`,
    service: name,
    purpose,
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

/** A page of a list. A total that is not a whole number counts as missing. */
export interface PageContent {
  readonly items: readonly unknown[]
  readonly totalItems?: number
  readonly totalPages?: number
}

/** Parses a nonnegative count. `Number` would turn null and empty text into 0. */
const PageTotal = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])

/** Rows and totals of a list response, or undefined for other responses. An array has no totals. */
export function readPage(paging: Paging, data: unknown): PageContent | undefined {
  if (Array.isArray(data)) return { items: data }
  const envelope = z.looseObject({}).safeParse(data)
  if (!envelope.success) return undefined
  const { [paging.items]: rows, [paging.totalItems]: items, [paging.totalPages]: pages } = envelope.data
  const isEmpty = rows === null && items === 0
  if (!Array.isArray(rows) && !isEmpty) return undefined
  return {
    items: isEmpty ? [] : z.array(z.unknown()).parse(rows),
    ...parseTotalField('totalItems', items),
    ...parseTotalField('totalPages', pages),
  }
}

function parseTotalField(name: 'totalItems' | 'totalPages', value: unknown): Partial<PageContent> {
  const parsedTotal = PageTotal.safeParse(value)
  return parsedTotal.success ? { [name]: parsedTotal.data } : {}
}
