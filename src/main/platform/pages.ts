import { createHash } from 'node:crypto'
import { AppError, type FailureCode } from '@shared/failure'
import type { Clock } from '../ports'
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

/** How much of one list is read. A list that goes on beyond ends with `api.listTooLong`, or with `net.timeout`. */
export interface ListLimits {
  readonly rows: number
  readonly pages: number
  /** Of all rows as JSON text. */
  readonly characters: number
  /** Time spent waiting for pages; what the caller does between two pages does not count. */
  readonly waitMs: number
}

/** For a list that is collected in memory. */
const collectedLimits: ListLimits = { rows: 10_000, pages: 1000, characters: 50_000_000, waitMs: 120_000 }

/** For a list whose pages are passed on one by one. */
export const streamedLimits: ListLimits = { rows: 100_000, pages: 10_000, characters: 1e9, waitMs: 900_000 }

/** What a caller may say of a whole list; `timeoutMs` is for each page. */
export interface ListOptions extends CallOptions {
  /** Those of a list collected in memory unless given. */
  readonly limits?: ListLimits
}

/** Asks for a list's page with these arguments. */
export type AskForPage = (args: CallArguments, options: CallOptions) => Promise<PlatformAnswer>

interface Listing {
  readonly args: CallArguments
  readonly options: ListOptions
  readonly ask: AskForPage
  readonly clock: Clock
}

/** For one page, when nobody says. */
const DEFAULT_PAGE_MS = 30_000

/**
 * Follows a list to its end, whatever size the server's pages have, and holds one page at a time. The end is where as
 * many rows came as the total says, else the last page there is said to be; an empty page, or one that came before (a
 * server that ignores `page` or begins anew), ends it in any case; the latter with a failure where the total says that
 * there are more rows. The first page comes even when it is empty.
 */
export async function* pagesOf(operation: Operation, listing: Listing): AsyncGenerator<Page, void, void> {
  const paging = pagingOf(operation, listing.args)
  const { clock, options } = listing
  const { limits = collectedLimits, timeoutMs = DEFAULT_PAGE_MS } = options
  const progress = new ListProgress(paging, limits)
  for (let page = paging.firstPage; !progress.isOver; page++) {
    const leftMs = progress.requireRoom()
    const askedAt = clock().getTime()
    const found = await askForPage(paging, listing, { page, timeoutMs: Math.min(timeoutMs, leftMs) })
    progress.waitedMs += Math.max(0, clock().getTime() - askedAt)
    if (progress.isNew(found)) yield found
  }
}

function pagingOf({ id, paging }: Operation, { query = {} }: CallArguments): Paging {
  if (paging === undefined) {
    throw new AppError('input.invalid', `${id} is not a list in pages. Call it once instead.`, { field: 'id' })
  }
  if (query.page === undefined) return paging
  throw new AppError('input.invalid', 'page is counted here. Leave it out to follow every page.', { field: 'page' })
}

async function askForPage(
  paging: Paging,
  { args, options: { signal }, ask }: Listing,
  { page, timeoutMs }: { readonly page: number; readonly timeoutMs: number },
): Promise<Page> {
  const answer = await ask({ ...args, query: { ...args.query, page } }, { signal, timeoutMs })
  const content = readPage(paging, answer.data)
  if (content !== undefined) return { ...answer, ...content, page }
  const { requestId } = answer
  const message = `The list came without its rows (${paging.items}). Check the address of the service.`
  throw new AppError('api.unreadable', message, requestId === undefined ? {} : { requestId })
}

/** What of a list has come; keeps of a page no more than its fingerprint. */
class ListProgress {
  isOver = false
  waitedMs = 0
  readonly #firstPage: number
  readonly #limits: ListLimits
  #rows = 0
  #characters = 0
  readonly #prints = new Set<string>()

  constructor({ firstPage }: Paging, limits: ListLimits) {
    this.#firstPage = firstPage
    this.#limits = limits
  }

  /** The time left for the next page. Fails when the list has reached a limit. */
  requireRoom(): number {
    const { rows, pages, characters, waitMs } = this.#limits
    const isFull = this.#rows >= rows || this.#prints.size >= pages || this.#characters >= characters
    if (isFull) throw this.#failure('api.listTooLong', 'and goes on. No more of one list is read')
    const leftMs = waitMs - this.waitedMs
    if (leftMs > 0) return leftMs
    throw this.#failure('net.timeout', `within ${Math.round(waitMs / 60_000)} minutes, and goes on. Try again later`)
  }

  /** Whether a page is to be handed on; notes whether it is the last. Fails when a page of an unfinished list came before. */
  isNew({ page, items, totalItems, totalPages }: Page): boolean {
    const text = JSON.stringify(items)
    const print = createHash('sha256').update(text).digest('base64')
    const isRepeated = this.#prints.has(print)
    const isSpent = items.length === 0 || isRepeated
    this.#prints.add(print)
    // The last page once more is how some servers answer beyond the end; before the end it is not.
    if (isRepeated && items.length > 0 && this.#rows < (totalItems ?? 0)) {
      throw this.#failure('api.listTooLong', `of ${totalItems}, and then the same pages again. The rest cannot be read`)
    }
    this.#rows += items.length
    this.#characters += text.length
    const pages = page - this.#firstPage + 1
    const isLast = totalItems === undefined ? pages >= (totalPages ?? Infinity) : this.#rows >= totalItems
    this.isOver = isLast || isSpent
    return pages === 1 || !isSpent
  }

  #failure(code: FailureCode, why: string): AppError {
    return new AppError(code, `The list gave ${this.#rows} rows on ${this.#prints.size} pages ${why}.`)
  }
}
