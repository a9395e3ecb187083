import { z } from 'zod'

/** How a service numbers its pages and what it calls the parts of one (spec, "Pagination envelopes"). */
export interface Paging {
  readonly firstPage: number
  readonly items: string
  readonly totalItems: string
  readonly totalPages: string
}

/** Pages counted from 0, as access control does. */
export const springPaged: Paging = {
  firstPage: 0,
  items: 'content',
  totalItems: 'totalElements',
  totalPages: 'totalPages',
}

/** Pages counted from 1, as all other services do. */
export const listDataPaged: Paging = {
  firstPage: 1,
  items: 'listData',
  totalItems: 'totalItem',
  totalPages: 'totalPage',
}

/** What a list holds per page when nobody says: the size that the spec's examples use most. */
export const DEFAULT_SIZE = 20

/** What one page says of itself; a total that is no whole number counts as absent. */
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
