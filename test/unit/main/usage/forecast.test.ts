import { describe, expect, it } from 'vitest'
import { findCycle, forecast, getEvenPace } from '../../../../src/main/usage/forecast'
import { Calendar } from '../../../../src/main/usage/ledger/calendar'
import { dayMs, hourMs } from './histories'

type ForecastInput = Parameters<typeof forecast>[0]

const calendar = new Calendar('Asia/Ho_Chi_Minh')

/** A Tuesday, 10:00 in Hanoi. */
const nowMs = Date.parse('2026-03-24T03:00:00Z')
const cycle = { from: nowMs - 15 * dayMs, to: nowMs + 15 * dayMs }

/** Every day at 9:00 in Hanoi, starting this many days ago. */
const buildDailyHours = (days: number, amount = 100) =>
  Array.from({ length: days }, (_, index) => ({ start: nowMs - hourMs - (days - index) * dayMs, amount }))
const input = (overrides: Partial<ForecastInput>): ForecastInput => ({
  hours: buildDailyHours(30),
  used: 1500,
  quota: 10_000,
  cycle,
  nowMs,
  calendar,
  ...overrides,
})

describe('a forecast', () => {
  it.each<[string, Partial<ForecastInput>, object]>([
    ['no allowance is known', { quota: undefined }, { kind: 'notEnough', reason: 'noAllowance' }],
    ['the allowance is none', { quota: 0 }, { kind: 'notEnough', reason: 'noAllowance' }],
    ['no cycle is known', { cycle: undefined }, { kind: 'notEnough', reason: 'noCycle' }],
    ['the cycle has ended', { cycle: { from: 0, to: nowMs } }, { kind: 'notEnough', reason: 'noCycle' }],
    [
      'the cycle is yet to begin',
      { cycle: { from: nowMs + 1, to: cycle.to } },
      { kind: 'notEnough', reason: 'noCycle' },
    ],
    ['nothing was used lately', { hours: [] }, { kind: 'notEnough', reason: 'noHistory' }],
    ['use began three days ago', { hours: buildDailyHours(3) }, { kind: 'notEnough', reason: 'tooShort' }],
    ['use began four days ago', { hours: buildDailyHours(4) }, { kind: 'lasts' }],
    ['the rest is ample', {}, { kind: 'lasts' }],
    ['the rest is scarce', { quota: 2000 }, { kind: 'runsOut' }],
    ['nothing is left', { used: 2000, quota: 2000 }, { kind: 'exhausted' }],
    ['nothing is left and no hours are known', { used: 5, quota: 5, hours: [] }, { kind: 'exhausted' }],
  ])('when %s', (_, overrides, expected) => {
    expect(forecast(input(overrides))).toMatchObject(expected)
  })

  it('predicts when a steady usage runs out, with an interval', () => {
    const hours = buildDailyHours(30).map((hour, index) => ({ ...hour, amount: index % 2 === 0 ? 70 : 130 }))
    const forecastResult = forecast(input({ hours, quota: 2050 }))
    // 550 tokens are left. They last until the sixth 9:00 from now, plus or minus a day.
    expect(forecastResult).toMatchObject({ kind: 'runsOut' })
    if (forecastResult.kind !== 'runsOut') return
    expect(forecastResult.used).toBeGreaterThan(1)
    const days = (timestamp: string | undefined) => (Date.parse(timestamp ?? '') - nowMs) / dayMs
    expect(days(forecastResult.at)).toBeGreaterThan(4)
    expect(days(forecastResult.at)).toBeLessThan(6.5)
    expect(days(forecastResult.earliest)).toBeLessThan(days(forecastResult.at))
    expect(days(forecastResult.latest)).toBeGreaterThan(days(forecastResult.at))
    expect(forecastResult.daysBeforeRenewal).toBeCloseTo(15 - days(forecastResult.at), 6)
  })

  it('skips the weekend for weekday users', () => {
    // Thursday 19 March, 20:00 in Hanoi. 90 tokens are left, and a working day uses 100.
    const thursdayMs = Date.parse('2026-03-19T13:00:00Z')
    const hours = buildDailyHours(30).filter(({ start }) => ![0, 6].includes(new Date(start).getUTCDay()))
    const forecastResult = forecast({ ...input({ quota: 1690, hours, cycle }), used: 1500, nowMs: thursdayMs })
    expect(forecastResult).toMatchObject({ kind: 'runsOut' })
    const weekdays = 'weekdays' in forecastResult ? (forecastResult.weekdays ?? []) : []
    expect(weekdays.map((share) => Math.round(share * 1690))).toEqual([0, 100, 100, 100, 100, 100, 0])
    // The forecast: Friday uses 100 tokens, Monday uses up the quota.
    if (forecastResult.kind === 'runsOut') expect(forecastResult.at.slice(0, 10)).toBe('2026-03-23')
  })

  it('does not run out today after the typical hours of the day', () => {
    const eveningMs = Date.parse('2026-03-24T15:00:00Z')
    const forecastResult = forecast({ ...input({ quota: 1530 }), nowMs: eveningMs })
    expect(forecastResult.kind === 'runsOut' && forecastResult.earliest > '2026-03-24T17:00').toBe(true)
  })

  it('reports since when nothing is left', () => {
    const forecastResult = forecast(input({ hours: buildDailyHours(30), used: 1550, quota: 1500 }))
    expect(forecastResult).toEqual({ kind: 'exhausted', since: new Date(nowMs - hourMs - dayMs).toISOString() })
  })
})

it.each([
  ['the last day', 10, 0.5, { from: -20, to: 10 }],
  ['a plan that is renewed ahead', 33, 0.5, { from: -27, to: 3 }],
  ['the first moment', 30, 0, { from: 0, to: 30 }],
])('a cycle is computed backwards from the end: %s', (_, endsInDays, __, expected) => {
  const cycle = findCycle(nowMs + endsInDays * dayMs, 30, nowMs)
  expect(cycle && { from: (cycle.from - nowMs) / dayMs, to: (cycle.to - nowMs) / dayMs }).toEqual(expected)
})

it('has no cycle once all have ended, and an even pace between 0 and 1', () => {
  expect(findCycle(nowMs, 30, nowMs)).toBeUndefined()
  expect([cycle.from - 1, nowMs, cycle.to + 1].map((timeMs) => getEvenPace(cycle, timeMs))).toEqual([0, 0.5, 1])
})
