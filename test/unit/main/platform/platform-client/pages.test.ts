import type { RequestListener } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import type { Send } from '../../../../../src/main/core/net/send'
import { getRounds } from '../../../../support/depth'
import { directSend } from '../../../../support/direct-send'
import { catchFailure } from '../../../support/failures'
import { createClient, fakeTime, json, LIMIT_MS, startPlatform } from '../harness'

const platform = await startPlatform()
afterAll(() => platform.close())

const MODELS = 'aip.models.list'
const requests = () => platform.server.received.length

/** Responds to each request by its page (from 1) and size. */
const servePages = (answer: (page: number, size: number) => unknown): RequestListener => {
  return (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    json(200, answer(Number(query.get('page')), Number(query.get('size'))))(request, response)
  }
}

/** Rows that differ on every page. */
const createRows = (page: number, count = 3) => Array.from({ length: count }, (_, index) => ({ page, at: index }))

async function collectRows(pages: AsyncIterable<{ readonly items: readonly unknown[] }>): Promise<unknown[]> {
  const rows = []
  for await (const { items } of pages) rows.push(...items)
  return rows
}

const toRows = (query = {}): Promise<unknown[]> => collectRows(createClient(platform).client.pages(MODELS, { query }))

const allRows = Array.from({ length: 7 }, (_, n) => ({ n }))
const slice = (page: number) => allRows.slice((page - 1) * 3, page * 3)

describe('a list is followed to its end', () => {
  it.each([
    ['the number of pages is missing', { totalItem: 7 }, 3],
    ['the number of pages is too small', { totalItem: 7, totalPage: 1 }, 3],
    ['the number of pages is too large', { totalItem: 7, totalPage: 99 }, 3],
    ['the number of pages is nonsense', { totalItem: '7', totalPage: 'x' }, 3],
    ['only the number of pages is known', { totalPage: 3 }, 3],
    ['no total is known', {}, 4],
    ['the total is no number', { totalItem: null, totalPage: -1 }, 4],
    ['the total is an empty text', { totalItem: '' }, 4],
    ['the total is too large', { totalItem: 1000 }, 4],
    ['the rows are all that comes', undefined, 4],
  ])('when %s', async (_, totals, expected) => {
    platform.answer(servePages((page) => (totals ? { listData: slice(page), ...totals } : slice(page))))
    expect(await toRows()).toEqual(allRows)
    expect(requests()).toBe(expected)
  })

  it('when the server ignores the page number and reports no more rows', async () => {
    for (const totals of [{ totalItem: 3, totalPage: 34 }, {}]) {
      platform.answer(servePages(() => ({ listData: slice(1), ...totals })))
      expect(await toRows()).toEqual(slice(1))
    }
  })

  it('when the server repeats its last page beyond the end', async () => {
    platform.answer(servePages((page) => ({ listData: slice(Math.min(page, 3)) })))
    expect(await toRows()).toEqual(allRows)
    expect(requests()).toBe(4)
  })

  it('when there are no rows, with a null or an empty list', async () => {
    for (const listData of [[], null]) {
      platform.answer(json(200, { listData, totalItem: 0, totalPage: 0 }))
      expect(await toRows()).toEqual([])
      expect(requests()).toBe(1)
    }
  })

  it('from the first page of a service that counts from 0, with all fields of the envelope', async () => {
    platform.answer(
      servePages((page) => ({ content: slice(page + 1), totalElements: 7, totalPages: 3, extra: `kept ${page}` })),
    )
    const pages = []
    for await (const page of createClient(platform).client.pages('identity.agentIdentities.list')) pages.push(page)
    expect(pages.flatMap(({ items }) => items)).toEqual(allRows)
    expect(pages.map(({ page }) => page)).toEqual([0, 1, 2])
    expect(pages[0]).toMatchObject({ status: 200, totalItems: 7, totalPages: 3, data: { extra: 'kept 0' } })
  })

  it('and no page is requested before the previous one is consumed', async () => {
    platform.answer(servePages((page) => ({ listData: slice(page), totalItem: 7 })))
    const pages = createClient(platform).client.pages(MODELS)
    await pages.next()
    expect(requests()).toBe(1)
    await pages.return()
    expect(requests()).toBe(1)
  })
})

describe('an endless list is given up with a report', () => {
  const limits = { rows: 100, pages: 20, characters: 10_000, waitMs: 60_000 }

  it.each([
    ['that tells an absurd total', (page: number) => ({ listData: createRows(page, 20), totalItem: 1e12 }), 5],
    [
      'that tells an absurd number of pages',
      (page: number) => ({ listData: createRows(page, 20), totalPage: 1e12 }),
      5,
    ],
    ['that tells no total', (page: number) => ({ listData: createRows(page, 30) }), 4],
    ['with a row on each page', (page: number) => ({ listData: createRows(page, 1), totalItem: 1e12 }), 20],
    ['with large rows', (page: number) => ({ listData: [{ page, text: 'x'.repeat(3000) }], totalItem: 1e12 }), 4],
    ['that alternates', (page: number) => ({ listData: createRows(page % 2), totalItem: 1e12 }), 3],
    ['that gives one page for all', () => ({ listData: createRows(1), totalItem: 100, totalPage: 34 }), 2],
    [
      'that gives its last page for the rest',
      (page: number) => ({ listData: createRows(Math.min(page, 3)), totalItem: 10 }),
      4,
    ],
    ['that begins anew', (page: number) => ({ listData: createRows(page % 5), totalItem: 100 }), 6],
  ])('%s', async (_, answer, expected) => {
    platform.answer(servePages(answer))
    const pagedResult = createClient(platform).client.pages(MODELS, {}, { limits })
    expect(await catchFailure(collectRows(pagedResult))).toMatchObject({
      code: 'api.listTooLong',
      message: expect.stringMatching(/^The list returned \d+ rows on \d+ pages .*\.$/),
    })
    expect(requests()).toBe(expected)
  })

  it('when its pages take too long in total', async () => {
    platform.answer(servePages((page) => ({ listData: createRows(page), totalItem: 1e12 })))
    const time = fakeTime()
    const send: Send = (request) => {
      time.advance(LIMIT_MS)
      return directSend(request)
    }
    const slowClient = createClient(platform, { send, clock: time.clock }).client
    expect(await catchFailure(collectRows(slowClient.pages(MODELS)))).toMatchObject({
      code: 'net.timeout',
      message: expect.stringContaining('12 rows on 4 pages within 2 minutes'),
    })
    expect(requests()).toBe(4)
  })

  it('but not because its reader waits between two pages', async () => {
    platform.answer(servePages((page) => ({ listData: slice(page), totalItem: 7 })))
    const { client, time } = createClient(platform)
    let rows = 0
    for await (const { items } of client.pages(MODELS)) {
      rows += items.length
      time.advance(3_600_000)
    }
    expect(rows).toBe(7)
  })

  it('and its reader can stop it at any time', async () => {
    const controller = new AbortController()
    platform.answer(
      servePages((page) => {
        if (page === 4) controller.abort()
        return { listData: createRows(page), totalItem: 1e12 }
      }),
    )
    const pagedResult = createClient(platform).client.pages(MODELS, {}, { signal: controller.signal })
    expect((await catchFailure(collectRows(pagedResult))).code).toBe('net.cancelled')
    expect(requests()).toBe(4)
  })

  it('ends quietly when a list without a total starts again', async () => {
    platform.answer(servePages((page) => ({ listData: slice(((page - 1) % 3) + 1) })))
    expect(await toRows()).toEqual(allRows)
    expect(requests()).toBe(4)
  })
})

describe('a failed list is not treated as empty', () => {
  it.each([{}, { data: [] }, { listData: {} }, { listData: null, totalItem: 4 }, null, 'text', { content: [] }])(
    'when %j arrives',
    async (answer) => {
      platform.answer(json(200, answer, { 'x-request-id': 'r5' }))
      expect(await catchFailure(toRows())).toMatchObject({ code: 'api.unreadable', requestId: 'r5' })
    },
  )

  it('when a later page fails', async () => {
    platform.answer(
      servePages((page) => ({ listData: slice(page), totalItem: 7 })),
      json(403, {}),
    )
    expect((await catchFailure(toRows())).code).toBe('api.forbidden')
  })
})

it.each([
  ['of what is no list', 'runtime.flavors.list', {}, 'id'],
  ['from the middle on', 'aip.models.list', { query: { page: 2 } }, 'page'],
] as const)('pages are refused %s', async (_, id, args, field) => {
  const pages = createClient(platform).client.pages(id, args)
  expect(await catchFailure(pages.next())).toMatchObject({ code: 'input.invalid', field })
})

const pageCount = getRounds(40, 200)
const rowCount = 50 * pageCount

it(`${rowCount} rows on ${pageCount} pages are read without keeping a page in memory`, async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called')
  const text = 'x'.repeat(200)
  platform.answer(
    servePages((page, size) => ({
      listData: Array.from({ length: size }, (_, index) => ({ n: (page - 1) * size + index, text })),
      totalItem: rowCount,
      totalPage: pageCount,
    })),
  )
  const rowReferences: WeakRef<object>[] = []
  const liveCounts: number[] = []
  let [rows, sum] = [0, 0]
  const pages = createClient(platform).client.pages(MODELS, { query: { size: 50 } })
  // Do not use a for loop, because its variable would keep a reference to the page.
  const readNextPage = async (): Promise<boolean> => {
    const { done, value } = await pages.next()
    if (done === true || value === undefined) return false
    rowReferences.push(new WeakRef(value), new WeakRef(value.items))
    rows += value.items.length
    for (const item of value.items) sum += Number(Object(item).n)
    return true
  }
  while (await readNextPage()) {
    if (rowReferences.length % (pageCount / 4) !== 0) continue
    await new Promise(setImmediate)
    collect()
    liveCounts.push(rowReferences.filter((page) => page.deref() !== undefined).length)
  }
  expect([rows, sum, requests()]).toEqual([rowCount, (rowCount * (rowCount - 1)) / 2, pageCount])
  expect(liveCounts).toHaveLength(8)
  // The latest page and its rows.
  expect(Math.max(...liveCounts)).toBeLessThanOrEqual(2)
})
