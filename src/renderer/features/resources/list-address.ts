/** How many rows a page may have. */
export const pageSizes = [10, 20, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]

/** What of a list the address says. `page` is numbered as the service counts; its first when absent. */
export interface ListPlace {
  readonly page: number | undefined
  readonly size: PageSize | undefined
  /** What the server is asked to filter by. */
  readonly filter: string
  /** What is looked for within the page. */
  readonly find: string
}

const isSize = (size: number): size is PageSize => pageSizes.some((known) => known === size)

const digits = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** Reads what an address says of a list; what does not fit counts as absent. */
export function readPlace(query: URLSearchParams): ListPlace {
  const size = digits(query.get('size'))
  return {
    page: digits(query.get('page')),
    size: size !== undefined && isSize(size) ? size : undefined,
    filter: query.get('filter') ?? '',
    find: query.get('find') ?? '',
  }
}

/** The address with a part of the list's place changed. Another filter or size begins at the first page again; the rest of the address stays. */
export function writePlace(query: URLSearchParams, change: Partial<ListPlace>): URLSearchParams {
  const startsAnew = 'filter' in change || 'size' in change
  const next = { ...readPlace(query), ...(startsAnew && { page: undefined }), ...change }
  const written = new URLSearchParams(query)
  for (const [name, value] of Object.entries(next)) {
    if (value === undefined || value === '') written.delete(name)
    else written.set(name, String(value))
  }
  return written
}
