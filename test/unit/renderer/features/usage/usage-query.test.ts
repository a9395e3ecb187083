import type { UsageCounts, UsageSeries } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  buildPoints,
  chooseStep,
  countLeadingUnknown,
  defaultUsageQuery,
  getStepStart,
  listPossibleSteps,
  nextStep,
  readUsageQuery,
  resolveSpan,
  type UsageQuery,
  writeUsageQuery,
} from '../../../../../src/renderer/features/usage/usage-query'

/** Read from an empty address. */
const emptyQuery = { ...defaultUsageQuery, scope: undefined, step: undefined }
const roundTrip = (expectedQuery: UsageQuery): UsageQuery =>
  readUsageQuery(new URLSearchParams(writeUsageQuery(expectedQuery)))

describe('the usage page’s address', () => {
  it('omits defaults', () => {
    expect(writeUsageQuery(defaultUsageQuery)).toBe('')
  })

  it('restores every selection', () => {
    const expectedQuery: UsageQuery = {
      scope: 'relay',
      connectionId: 'c1',
      planId: 'p&1',
      modelCode: 'aurora/large',
      toolId: 'zed',
      keyId: 'k1',
      span: 'cycle',
      cycle: '2026-10-22T09:13:00.000Z',
      step: 'week',
      compare: true,
      by: 'tool',
      stack: 'key',
      since: '2026-11-01T00:00:00.000Z',
      until: '2026-11-02T00:00:00.000Z',
      onlyErrors: true,
    }
    expect(roundTrip(expectedQuery)).toEqual(expectedQuery)
    const days: UsageQuery = { ...emptyQuery, span: 'custom', from: '2026-11-01', to: '2026-11-09' }
    expect(roundTrip(days)).toEqual(days)
  })

  it.each([
    'scope=moon',
    'span=9d',
    'step=minute',
    'by=colour',
    'since=yesterday',
    'from=2026-13-40',
    'cycle=2026',
    'plan=',
  ])('ignores %s', (query) => {
    expect(readUsageQuery(new URLSearchParams(query))).toEqual(emptyQuery)
  })
})

const currentTime = new Date(2026, 10, 21, 14, 20)
const day = (date: number, hour = 0): Date => new Date(2026, 10, date, hour)
const counts = (requests: number): UsageCounts => {
  return { requests, errors: 0, inputTokens: requests * 10, outputTokens: requests * 5, cacheTokens: requests }
}
const cycle = (from: Date, to: Date, isCurrent = false) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  isCurrent,
  isEstimated: false,
})

describe('a period', () => {
  it.each([
    ['today', day(21), day(22)],
    ['7d', day(15), day(22)],
    ['30d', new Date(2026, 9, 23), day(22)],
  ] as const)('of %s consists of whole days up to the end of today', (span, from, to) => {
    expect(resolveSpan({ ...defaultUsageQuery, span }, [], currentTime)).toEqual({ from, to })
  })

  it('of a cycle is the requested one, by default the current one, and the last 30 days if unknown', () => {
    const cycles = [cycle(day(2, 9), day(30, 9), true), cycle(day(1, 3), day(2, 9))]
    const query = { ...defaultUsageQuery, span: 'cycle' } as const
    expect(resolveSpan(query, cycles, currentTime)).toEqual({ from: day(2, 9), to: day(30, 9) })
    expect(resolveSpan({ ...query, cycle: day(1, 3).toISOString() }, cycles, currentTime).to).toEqual(day(2, 9))
    expect(resolveSpan(query, [], currentTime).to).toEqual(day(22))
  })

  it.each([
    [1, 'hour'],
    [7, 'day'],
    [30, 'day'],
    [90, 'week'],
    [700, 'month'],
  ] as const)('of %i days is shown by %s unless another step is requested', (days, step) => {
    const span = { from: new Date(2026, 0, 1), to: new Date(2026, 0, 1 + days) }
    expect(chooseStep(span, undefined)).toBe(step)
    expect(listPossibleSteps(span)).toContain(step)
    expect(chooseStep(span, days < 9 ? 'month' : 'hour')).toBe(step)
    expect(chooseStep({ from: day(1), to: day(8) }, 'hour')).toBe('hour')
  })
})

it.each([
  ['day', day(18), day(19)],
  ['week', day(16), day(23)],
  ['month', day(1), new Date(2026, 11, 1)],
] as const)('a step by %s starts at a local midnight, a week on Monday', (step, start, expectedNext) => {
  expect([getStepStart(step, day(18, 13)), nextStep(step, day(18, 13))]).toEqual([start, expectedNext])
})

const buildSeries = (overrides: Partial<UsageSeries> = {}): UsageSeries => ({
  step: 'day',
  buckets: [19, 20, 21].map((date) => ({ start: day(date).toISOString(), ...counts(date) })),
  totals: counts(60),
  previous: {
    from: day(13).toISOString(),
    to: day(18).toISOString(),
    buckets: [13, 14, 15, 16, 17].map((date) => ({ start: day(date).toISOString(), ...counts(100) })),
    totals: counts(500),
  },
  knownFrom: day(1).toISOString(),
  at: currentTime.toISOString(),
  ...overrides,
})
const span = { from: day(18), to: day(23) }
const points = buildPoints(buildSeries(), span)

describe('the time axis', () => {
  it('distinguishes known, unknown and future data', () => {
    expect(points.map(({ state }) => state)).toEqual(['unknown', 'known', 'known', 'known', 'future'])
    expect(points.map(({ counts: pointCounts }) => pointCounts?.requests)).toEqual([undefined, 19, 20, 21, undefined])
    expect(points.map(({ previous }) => previous?.requests)).toEqual([100, 100, 100, 100, 100])
    expect(countLeadingUnknown(points)).toBe(1)
    expect(countLeadingUnknown(points.slice(1))).toBe(0)
    expect(countLeadingUnknown(points.slice(0, 1))).toBe(1)
  })

  it('treats counted data as past when the server’s clock is ahead', () => {
    expect(buildPoints(buildSeries({ at: day(19).toISOString() }), span)).toEqual(points)
  })

  it('includes a partial first step at the start of the period', () => {
    const partialSeries = buildSeries({ buckets: [{ start: day(19, 9).toISOString(), ...counts(7) }] })
    const [first, ...others] = buildPoints(partialSeries, { from: day(19, 9), to: day(20) })
    expect([first?.counts?.requests, others]).toEqual([7, []])
  })
})
