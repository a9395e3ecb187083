import { ok, type Reply } from './operation'
import { wholeNumber } from './query'

/** How a service numbers its pages and wraps their rows (spec, "Pagination envelopes"). */
export interface Paging {
  readonly firstPage: 0 | 1
  readonly wrap: (page: Page) => unknown
}

interface Page {
  readonly rows: readonly unknown[]
  readonly total: number
  readonly page: number
  readonly size: number
}

const pagesOf = ({ total, size }: Page): number => Math.ceil(total / size)

/** Access control: pages from 0, `content`. */
export const springPaging: Paging = {
  firstPage: 0,
  wrap: (page) => ({
    content: page.rows,
    totalElements: page.total,
    totalPages: pagesOf(page),
    number: page.page,
    size: page.size,
  }),
}

/** Every other service: pages from 1, `listData`. */
export const listPaging: Paging = {
  firstPage: 1,
  wrap: (page) => ({
    listData: page.rows,
    totalItem: page.total,
    totalPage: pagesOf(page),
    page: page.page,
    size: page.size,
  }),
}

const usualSize = 20
/** A larger `size` is answered with this many rows (ours; a client must follow the pages whatever their size is). */
const largestSize = 100
const mostPages = 999_999_999

/** Answers one page of rows. Throws 400 for a page before the first (spec, "Errors", B) and for what is no number. */
export function pageOf<Row>(
  { query, paging }: { query: URLSearchParams; paging: Paging },
  rows: readonly Row[],
  view: (row: Row) => unknown,
): Reply {
  const page = wholeNumber(query, 'page', { least: paging.firstPage, most: mostPages, usual: paging.firstPage })
  const asked = wholeNumber(query, 'size', { least: 1, most: mostPages, usual: usualSize })
  const size = Math.min(asked, largestSize)
  const from = (page - paging.firstPage) * size
  return ok(paging.wrap({ rows: rows.slice(from, from + size).map(view), total: rows.length, page, size }))
}
