import { describe, expect, test } from 'vitest'
import { addUsage } from '../../../../../../src/sandbox/state/usage'
import type { UsageByDay, World } from '../../../../../../src/sandbox/state/world'
import { plainWorld } from '../../../plain-world'
import type { Json } from '../../../support'
import { dayMs, startConsole } from '../console-bench'

const hourMs = 3_600_000
const [planId, otherId] = ['plan-sandbox-pro', 'plan-sandbox-expired']
const [keyA, keyB, keyOther] = ['key-pro-default', 'key-pro-old-laptop', 'key-expired-default']
/** The hour in which the test started. */
const hourStartMs = Math.floor(Date.now() / hourMs) * hourMs
const [smallModel, coderModel] = ['aurora-small', 'vega-coder']

/**
 * Recorded usage: hours before now, plan, key, model, and counts of input, output and cache tokens, requests and
 * errors.
 */
const entries = [
  [0, planId, keyA, smallModel, [100, 20, 3, 2, 0]],
  [1, planId, keyA, smallModel, [10, 5, 0, 1, 1]],
  [1, planId, keyB, coderModel, [7, 7, 7, 1, 0]],
  [30, planId, keyB, smallModel, [1_000, 0, 500, 4, 0]],
  [24 * 29, planId, keyA, coderModel, [40, 2, 0, 1, 0]],
  [24 * 32, planId, keyA, coderModel, [9_000, 9_000, 0, 9, 9]],
  [2, planId, keyA, '', [0, 0, 0, 0, 6]],
  [1, otherId, keyOther, smallModel, [77_777, 0, 0, 77, 0]],
] as const

function prepare(world: World, nowMs: number): World {
  const { plans, keys } = plainWorld(world.seed, nowMs)
  const usage = entries.reduce<UsageByDay>((book, [hoursAgo, plan, keyId, modelCode, tally]) => {
    const [inputTokens, outputTokens, cacheTokens, requests, errors] = tally
    const atMs = hourStartMs - hoursAgo * hourMs
    return addUsage(
      book,
      { atMs, planId: plan, keyId, modelCode },
      { inputTokens, outputTokens, cacheTokens, requests, errors },
    )
  }, {})
  return { ...world, plans, keys, usage }
}

async function startUsageHarness() {
  const console = await startConsole({ prepare })
  const usage = (query: Record<string, string> = {}, id: string = planId) =>
    console.call('GET', `/token-plans/${id}/usage?${new URLSearchParams(query)}`)
  return { ...console, usage }
}

const iso = (ms: number) => new Date(ms).toISOString()
const fields = ['inputTokens', 'outputTokens', 'cacheTokens', 'requests', 'errors'] as const
const listCounts = (sums: Json) => fields.map((field) => sums[field])
const sumEntries = (series: Json[]) => fields.map((field) => series.reduce((sum, item) => sum + item[field], 0))

describe('usage', () => {
  test('covers the last 30 days by day by default', async () => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage()
    expect(status).toBe(200)
    expect(listCounts(body.totals)).toEqual([1_157, 34, 510, 9, 7])
    expect(body.totals.tokens).toBe(1_157 + 34 + 510)
    expect(body.series).toHaveLength(31)
    expect(sumEntries(body.series)).toEqual(listCounts(body.totals))
    expect(body.models).toEqual([
      { modelCode: 'aurora-large', tokens: 0, requests: 0, tokenQuota: 20_000_000, requestQuota: 20_000 },
      { modelCode: smallModel, tokens: 1_638, requests: 7, tokenQuota: 60_000_000, requestQuota: 60_000 },
      { modelCode: coderModel, tokens: 63, requests: 2, tokenQuota: 30_000_000, requestQuota: 30_000 },
      { modelCode: 'nova-vision', tokens: 0, requests: 0, tokenQuota: 5_000_000, requestQuota: 5_000 },
    ])
  })

  test.each([
    ['hour', hourMs],
    ['day', dayMs],
  ])('by %s has every interval once, starting in UTC, including zeros', async (interval, lengthMs) => {
    const { usage } = await startUsageHarness()
    const [fromMs, toMs] = [hourStartMs - 40 * hourMs + 120_000, hourStartMs + 60_000]
    const { series, totals } = (await usage({ interval, from: iso(fromMs), to: iso(toMs) })).body
    const firstMs = Math.floor(fromMs / lengthMs) * lengthMs
    const bucketStarts = Array.from({ length: Math.ceil((toMs - firstMs) / lengthMs) }, (_, n) =>
      iso(firstMs + n * lengthMs),
    )
    expect(series.map(({ start: bucketStart }: { start: string }) => bucketStart)).toEqual(bucketStarts)
    expect(sumEntries(series)).toEqual(listCounts(totals))
    expect(listCounts(totals)).toEqual([1_117, 32, 510, 8, 7])
  })

  test.each([
    ['one key', { keyId: keyB }, [1_007, 7, 507, 5, 0]],
    ['one model', { model: coderModel }, [47, 9, 7, 2, 0]],
    ['one key and one model', { keyId: keyB, model: coderModel }, [7, 7, 7, 1, 0]],
    ['a model that was never called', { model: 'nova-vision' }, [0, 0, 0, 0, 0]],
    ['the time before this hour', { to: iso(hourStartMs) }, [1_057, 14, 507, 7, 7]],
    ['times with an offset', { from: `${iso(hourStartMs + 7 * hourMs).slice(0, 19)}+07:00` }, [100, 20, 3, 2, 0]],
    ['longer ago', { from: iso(hourStartMs - 33 * dayMs) }, [10_157, 9_034, 510, 18, 16]],
    ['the future', { from: iso(hourStartMs + dayMs), to: iso(hourStartMs + 2 * dayMs) }, [0, 0, 0, 0, 0]],
  ])('of %s contains only that', async (_, query, expected) => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage(query)
    expect([status, listCounts(body.totals), sumEntries(body.series)]).toEqual([200, expected, expected])
  })
})

describe('a usage query', () => {
  const todayMs = Math.floor(hourStartMs / dayMs) * dayMs
  const [from, to] = [iso(todayMs - 400 * dayMs), iso(todayMs)]
  test.each([
    ['interval', 'interval=minute'],
    ['interval', 'interval='],
    ['from', 'from=yesterday'],
    ['from', 'from=2026-02-30T00:00:00Z'],
    ['to', 'to='],
    ['from', `from=${to}&to=${to}`],
    ['from', `from=${to}&to=${from}`],
    ['from', 'from=2999-01-01T00:00:00Z'],
    ['400 days', `from=${iso(Date.parse(from) - 1)}&to=${to}`],
    ['45 days', `interval=hour&from=${iso(todayMs - 45 * dayMs - 1)}&to=${to}`],
    ['keyId', `keyId=${keyA}&keyId=${keyB}`],
    ['keyId', `keyId=${keyOther}`],
    ['keyId', 'keyId=key-nobody'],
    ['keyId', 'keyId='],
    ['model', 'model=lotus-vi'],
    ['model', `model=${smallModel}&model=${coderModel}`],
  ])('is refused with the name %s: %s', async (named, query) => {
    const { call } = await startUsageHarness()
    const { status, body } = await call('GET', `/token-plans/${planId}/usage?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.message).toContain(named)
  })

  test.each([
    ['400 days by day', { from, to }, 400],
    ['45 days by hour', { interval: 'hour', from: iso(todayMs - 45 * dayMs), to }, 45 * 24],
    ['a millisecond', { from: iso(todayMs - 1), to }, 1],
    ['days without a time', { from: '2026-01-01', to: '2026-01-03' }, 2],
  ])('may cover %s', async (_, query, intervals) => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage(query)
    expect([status, body.series.length]).toEqual([200, intervals])
  })
})
