import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../../../src/sandbox/platform/operation'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'
import { startHarness } from '../support'

interface OperationFixture {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
}

const operationsFile = resolve(import.meta.dirname, '../../../fixtures/operations.json')

const readFacts = (name: string): OperationFixture[] =>
  JSON.parse(readFileSync(operationsFile, 'utf8')).filter((fact: OperationFixture) => fact.service === name)

/** Replaces all parameters of a path pattern by a fixed value. */
const fillPathParameters = (path: string): string => path.replace(/\{\w+\}/g, 'nobody')

/** Tests that a service has exactly the operations of the spec, and that each one requires a token. */
export function describeTable(name: string, service: Service): void {
  const formatOperation = ({ id, method, path }: OperationFixture | Service['operations'][number]) =>
    `${id} ${method} ${path}`

  test(`has exactly the operations of the spec`, () => {
    const operationFacts = readFacts(name).map(formatOperation)
    expect(operationFacts.length).toBeGreaterThan(6)
    expect(service.operations.map(formatOperation).sort()).toEqual(operationFacts.sort())
  })

  describe.each(service.operations)('$id', ({ method, path }) => {
    test('returns 401 without a valid token, before other errors', async () => {
      const harness = await startHarness()
      const requestPath = service.base + fillPathParameters(path)
      const subscriptionKey = harness.readKey('sandbox-pro', 'default-key')
      for (const token of [null, 'nonsense', subscriptionKey, `${await harness.token()}x`]) {
        const response = await harness.api(method, requestPath, { token, ...(method === 'POST' ? { body: [] } : {}) })
        expect([token, response.status]).toEqual([token, 401])
        expect(response.body).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) })
      }
      expect((await harness.api(method, requestPath)).status).not.toBe(401)
    })
  })
}

/** Returns a function that creates the initial sandbox state with one section replaced. */
export const createWorldWith =
  (section: Partial<World>) =>
  (seed: string, nowMs: number): World => ({ ...plainWorld(seed, nowMs), ...section })

/** Creation and update times of resources that tests create. */
export const rowTimestamps = { createdAt: '2025-01-01T00:00:00.000Z', updatedAt: '2025-01-01T00:00:00.000Z' }

export const createRows = <Row>(count: number, row: (n: number) => Row): Row[] =>
  Array.from({ length: count }, (_, n) => row(n))

interface PagedList {
  /** Path of the list with a query, to which the test appends `page` and `size`. */
  readonly path: string
  readonly firstPage: 0 | 1
  readonly total: number
  readonly begin: (seed: string, nowMs: number) => World
  readonly key: string
}

const envelopeShapes = {
  0: { rows: 'content', total: 'totalElements', pages: 'totalPages', page: 'number' },
  1: { rows: 'listData', total: 'totalItem', pages: 'totalPage', page: 'page' },
}

/** Common tests of lists: envelope, first page, limits of `page` and `size`. */
export function describePages({ path, firstPage, total, begin, key }: PagedList): void {
  const names = envelopeShapes[firstPage]
  const toPagePath = (query: Record<string, unknown>) =>
    `${path}${path.includes('?') ? '&' : '?'}${Object.entries(query)
      .map((pair) => pair.join('='))
      .join('&')}`
  const openSandbox = async () => {
    const harness = await startHarness({ begin })
    return async (query: Record<string, unknown>) => (await harness.api('GET', toPagePath(query))).body
  }

  describe(`GET ${path}`, () => {
    test('returns the first page of twenty rows in its envelope, and nothing else', async () => {
      const body = await (await openSandbox())({})
      expect(Object.keys(body).sort()).toEqual([names.rows, names.total, names.pages, names.page, 'size'].sort())
      expect(body).toMatchObject({
        [names.total]: total,
        [names.pages]: Math.ceil(total / 20),
        [names.page]: firstPage,
        size: 20,
      })
      expect(body[names.rows]).toHaveLength(Math.min(20, total))
    })

    test('returns each row once over all pages, and an empty list beyond the last', async () => {
      const fetchPage = await openSandbox()
      const size = 3
      const pages = Math.ceil(total / size)
      const seenPages: unknown[] = []
      for (let page = firstPage; page < firstPage + pages; page += 1) {
        const body = await fetchPage({ page, size })
        expect(body).toMatchObject({ [names.pages]: pages, [names.page]: page, size })
        seenPages.push(...body[names.rows].map((row: Record<string, unknown>) => row[key]))
      }
      expect(new Set(seenPages).size).toBe(total)
      expect(seenPages).toHaveLength(total)
      expect(await fetchPage({ page: firstPage + pages, size })).toMatchObject({
        [names.rows]: [],
        [names.total]: total,
      })
    })

    test('returns at most a hundred rows', async () => {
      const fetchPage = await openSandbox()
      for (const [size, returnedSize] of [
        [1, 1],
        [100, 100],
        [101, 100],
        [999_999_999, 100],
      ] as const) {
        const body = await fetchPage({ size })
        expect([body.size, body[names.rows].length]).toEqual([returnedSize, Math.min(returnedSize, total)])
      }
    })

    test.each([
      { page: firstPage - 1 },
      { page: -5 },
      { page: 'x' },
      { page: '' },
      { page: 1.5 },
      { size: 0 },
      { size: -1 },
      { size: 'all' },
    ])('refuses %o', async (query) => {
      const body = await (await openSandbox())(query)
      expect(body).toEqual({ code: 'INVALID_INPUT', message: expect.stringContaining(Object.keys(query).join()) })
    })
  })
}
