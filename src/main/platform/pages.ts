import { createHash } from 'node:crypto'
import { AppError } from '@shared/failure'
import type { CallOptions } from './core'
import type { PlatformAnswer } from './exchange'
import { type PageContent, type Paging, readPage } from './paging'
import type { CallArguments } from './prepare'
import type { Operation } from './table'

/** One page of a list; `data` is the answer as it came. */
export interface Page extends PageContent, PlatformAnswer {
  /** Its number, as the service counts. */
  readonly page: number
}

/** Asks for a list's page with these arguments. */
export type AskForPage = (args: CallArguments, options: CallOptions) => Promise<PlatformAnswer>

interface Listing {
  readonly args: CallArguments
  readonly options: CallOptions
  readonly ask: AskForPage
}

/**
 * Follows a list to its end, whatever size the server's pages have, and holds one page at a time. The end is where as
 * many rows came as the total says, else the last page there is said to be; an empty page, or one that repeats the one
 * before (a server that ignores `page`), ends it in any case. The first page comes even when it is empty.
 */
export async function* pagesOf(operation: Operation, listing: Listing): AsyncGenerator<Page, void, void> {
  const paging = pagingOf(operation, listing.args)
  const end = watchForEnd(paging)
  for (let page = paging.firstPage; !end.isReached(); page++) {
    const found = await askForPage(paging, listing, page)
    if (end.isNew(found)) yield found
  }
}

function pagingOf({ id, paging }: Operation, { query = {} }: CallArguments): Paging {
  if (paging === undefined) {
    throw new AppError('input.invalid', `${id} is not a list in pages. Call it once instead.`, { field: 'id' })
  }
  if (query.page === undefined) return paging
  throw new AppError('input.invalid', 'page is counted here. Leave it out to follow every page.', { field: 'page' })
}

async function askForPage(paging: Paging, { args, options, ask }: Listing, page: number): Promise<Page> {
  const answer = await ask({ ...args, query: { ...args.query, page } }, options)
  const content = readPage(paging, answer.data)
  if (content !== undefined) return { ...answer, ...content, page }
  const { requestId } = answer
  const message = `The list came without its rows (${paging.items}). Check the address of the service.`
  throw new AppError('api.unreadable', message, requestId === undefined ? {} : { requestId })
}

/** Counts what came; keeps of a page no more than its fingerprint. */
function watchForEnd({ firstPage }: Paging) {
  let rows = 0
  let before = ''
  let isOver = false
  return {
    isReached: () => isOver,
    /** Whether a page is to be handed on; notes whether it is the last. */
    isNew({ page, items, totalItems, totalPages }: Page): boolean {
      const print = createHash('sha256').update(JSON.stringify(items)).digest('base64')
      const isFirst = page === firstPage
      rows += items.length
      const isLast = totalItems === undefined ? page - firstPage + 1 >= (totalPages ?? Infinity) : rows >= totalItems
      const isSpent = items.length === 0 || print === before
      isOver = isLast || isSpent
      before = print
      return isFirst || !isSpent
    },
  }
}
