import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { AccountPlanView } from '@shared/contract/plans'
import { AppError } from '@shared/failure'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sleepMs } from '../../src/main/core/net/deadline'
import { Console } from '../../src/main/plans/account/console-client'
import { getRounds, seed } from '../support/depth'
import { startAnsweringServer } from '../unit/main/gateway/answering-server'
import { planAnswer } from '../unit/main/plans/account/answers'
import { createClient, json, type Platform, replyText, startPlatform, TOKEN } from '../unit/main/platform/harness'
import { catchFailure } from '../unit/support/failures'

const MB = 1024 * 1024

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const createRealClient = () => createClient(platform, { sleep: sleepMs, clock: () => new Date() }).client
const listPlans = () => new Console(createRealClient()).plans()
const requests = () => platform.server.received.length
const planRow = (page: number, index: number) => ({ ...planAnswer, planId: `p-${page}-${index}` })

/** A console that returns `size` generated plans per page and claims the given total counts. */
const pages = (size: number, totals: object, overrides: object = {}): RequestListener => {
  return (request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
    const listData = Array.from({ length: size }, (_, index) => ({ ...planRow(page, index), ...overrides }))
    json(200, { listData, ...totals })(request, response)
  }
}

/** Memory growth in bytes during an action. */
async function measureMemory(action: () => Promise<unknown>): Promise<number> {
  const memoryBefore = process.memoryUsage().rss
  await action()
  return process.memoryUsage().rss - memoryBefore
}

describe('a console with endless lists', () => {
  it.each([
    ['an absurd total', pages(100, { totalItem: 1e12 }), 100],
    ['an absurd number of pages', pages(100, { totalPage: 1e12 }), 100],
    ['no total', pages(100, {}), 100],
    ['a row on each page', pages(1, { totalItem: 1e12 }), 1000],
    ['megabytes on each page', pages(1, { totalItem: 1e12 }, { more: 'x'.repeat(10 * MB) }), 5],
  ])('with %s is given up', async (_, answer, max) => {
    platform.answer(answer)
    const memoryGrowth = await measureMemory(async () =>
      expect((await catchFailure(listPlans())).code).toBe('api.listTooLong'),
    )
    expect(requests()).toBeLessThanOrEqual(max)
    expect(memoryGrowth).toBeLessThan(500 * MB)
  })

  it('that repeats a few pages is given up at the first repetition', async () => {
    for (const period of [2, 3, 7]) {
      platform.answer((request, response) => {
        const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
        json(200, { listData: [planRow(page % period, 0)], totalItem: 1e12 })(request, response)
      })
      expect((await catchFailure(listPlans())).code).toBe('api.listTooLong')
      expect(requests()).toBe(period + 1)
    }
  })

  it.each([
    ['a total of too many', { totalItem: 5000 }, 2],
    ['a total of too few', { totalItem: 1, totalPage: 99 }, 1],
    ['a negative total', { totalItem: -5 }, 2],
    ['a total in words', { totalItem: 'many', totalPage: null }, 2],
  ])('is read to its last row with %s', async (_, totals, expected) => {
    platform.answer(pages(3, totals), json(200, { listData: [], ...totals }))
    expect(await listPlans()).toHaveLength(3)
    expect(requests()).toBe(expected)
  })
})

describe('an oversized response', () => {
  const nestLists = (depth: number) => `{"listData":${'['.repeat(depth)}${']'.repeat(depth)}}`
  it.each([
    ['nested a million deep', Buffer.from(nestLists(1_000_000)), {}],
    ['of twenty million values', Buffer.from(`[${'[],'.repeat(20_000_000 - 1)}[]]`), {}],
    ['of 65 MB', Buffer.alloc(65 * MB, ' '), {}],
    ['packed to a thousandth', gzipSync(Buffer.alloc(500 * MB)), { 'content-encoding': 'gzip' }],
    ['in bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]), {}],
    ['for people', Buffer.from('<!doctype html><title>Sign in</title>'), { 'content-type': 'text/html' }],
    ['that is a number', Buffer.from('1e999'), {}],
  ])('%s cannot be read, and uses bounded memory', async (_, body, headers) => {
    platform.answer((_request, response) => response.writeHead(200, headers).end(body))
    const memoryGrowth = await measureMemory(async () =>
      expect((await catchFailure(listPlans())).code).toBe('api.unreadable'),
    )
    expect(memoryGrowth).toBeLessThan(700 * MB)
    expect(requests()).toBe(1)
  })

  it('that drips endlessly is aborted at its timeout', async () => {
    platform.answer((_request, response) => {
      response.writeHead(200)
      const dripTimer = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(dripTimer))
    })
    const pagedResult = createRealClient().pages('console.tokenPlans.list', {}, { timeoutMs: 500 })
    expect((await catchFailure(pagedResult.next())).code).toBe('net.timeout')
  })
})

it.each([301, 302, 303, 307, 308])('a redirect with %i to another host gets no token', async (status) => {
  const otherServer = await startAnsweringServer((_request, response) => response.end('[]'))
  platform.answer(replyText(status, '', { location: `${otherServer.url}/token-plans` }))
  expect((await catchFailure(listPlans())).code).toBe('api.unreadable')
  expect(otherServer.received).toEqual([])
  expect(platform.server.received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  await otherServer.close()
})

describe('a plan with unusual values in its fields', () => {
  const hostileValues: readonly unknown[] = [
    null,
    true,
    -1,
    0.5,
    -1e300,
    1e300,
    2 ** 53,
    1e16,
    '',
    '1',
    'NaN',
    '\u0000',
    'a\u202eb',
    '\ud800',
    'x'.repeat(100_000),
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '2026-02-30',
    [],
    [[]],
    {},
    [null],
    Array(1001).fill({}),
    { toString: 'x' },
    JSON.parse('{"__proto__": {"status": "ACTIVE"}}'),
  ]

  /** Deterministic random numbers from 0 up to 1. */
  function* generateRandom(start: number): Generator<number, never> {
    for (let state = start; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      yield state / 2 ** 32
    }
  }

  it(`is shown according to its contract, or cannot be read (seed ${seed})`, async () => {
    const random = generateRandom(seed)
    const pickRandom = <T>(choices: readonly T[]): T | undefined =>
      choices[Math.floor(random.next().value * choices.length)]
    const outcomes = { shown: 0, refused: 0 }
    for (let roundIndex = 0; roundIndex < getRounds(300, 5000); roundIndex += 1) {
      const [model] = planAnswer.models
      const isField = random.next().value < 0.5
      const fields = isField ? planAnswer : model
      const changedFields = { ...fields, [pickRandom(Object.keys(fields ?? {})) ?? '']: pickRandom(hostileValues) }
      const row = isField ? changedFields : { ...planAnswer, models: [changedFields] }
      platform.answer(json(200, { listData: [row], totalItem: 1 }))
      try {
        for (const plan of await listPlans()) AccountPlanView.parse({ ...plan, usedBy: [] })
        outcomes.shown += 1
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        expect(error.failure.code).toBe('api.unreadable')
        outcomes.refused += 1
      }
    }
    expect(outcomes.shown).toBeGreaterThan(0)
    expect(outcomes.refused).toBeGreaterThan(0)
  })
})
