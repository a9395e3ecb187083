import type { ResourcePage } from '@shared/contract'

/** Where a page stands among the others, counted as people do: from 1. */
export interface PagePlace {
  readonly number: number
  /** Nothing when the server did not say. */
  readonly count: number | undefined
  readonly hasPrevious: boolean
  readonly hasNext: boolean
  /** The first and last row of it among all; 0 and 0 for none. */
  readonly from: number
  readonly to: number
}

/** The number of the last page, as the service counts. */
export function lastPageOf({ totalItems, totalPages, firstPage }: ResourcePage, size: number): number | undefined {
  const count = totalPages ?? (totalItems === undefined ? undefined : Math.ceil(totalItems / size))
  return count === undefined ? undefined : firstPage + Math.max(1, count) - 1
}

/** Where a page of at most `size` rows stands. Without totals another page is offered as long as this one is full. */
export function pagePlace(answer: ResourcePage, size: number): PagePlace {
  const { page, firstPage, rows } = answer
  const before = page - firstPage
  const last = lastPageOf(answer, size)
  return {
    number: before + 1,
    count: last === undefined ? undefined : last - firstPage + 1,
    hasPrevious: before > 0,
    hasNext: last === undefined ? rows.length >= size : page < last,
    from: rows.length === 0 ? 0 : before * size + 1,
    to: rows.length === 0 ? 0 : before * size + rows.length,
  }
}
