import type { Forecast, Gauge, PlanQuota, UsageSeries } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import {
  type BurnDown,
  computeBurnDown,
  getEvenRemaining,
} from '../../../../../../src/renderer/features/usage/quota/burn-down'
import { BurnDownPage } from '../../../../../../src/renderer/features/usage/quota/burn-down-page'
import { createPageRenderer, expectLink } from '../../../support/fake-main'

const toNovemberIso = (day: number): string => new Date(2026, 10, day).toISOString()
const toDayMs = (day: number): number => Date.parse(toNovemberIso(day))
const day = (start: number, inputTokens: number): UsageSeries['buckets'][number] => ({
  start: toNovemberIso(start),
  requests: 1,
  errors: 0,
  inputTokens,
  outputTokens: 0,
  cacheTokens: 0,
})
const lastsForecast: Forecast = { kind: 'lasts', used: 0.625, low: 0.5, high: 0.75 }
const exhaustionForecast: Forecast = {
  kind: 'runsOut',
  used: 1.2,
  at: toNovemberIso(20),
  earliest: toNovemberIso(15),
  daysBeforeRenewal: 1,
}
const gauge = (overrides: Partial<Gauge> = {}): Gauge => ({
  quota: 100,
  used: 40,
  forecast: lastsForecast,
  ...overrides,
})
const cycle = { from: toNovemberIso(1), to: toNovemberIso(21), autoRenew: true }
const plan = { cycle, at: toNovemberIso(11) }
const series = { buckets: [day(1, 10), day(2, 0), day(3, 30)] }

const compute = (input: Partial<Parameters<typeof computeBurnDown>[0]> = {}) =>
  computeBurnDown({ plan, gauge: gauge(), kind: 'tokens', series, ...input })

const requireBurnDown = (input?: Parameters<typeof compute>[0]): BurnDown => {
  const burnDown = compute(input)
  if (!burnDown) throw new Error('no burn-down')
  return burnDown
}

describe('a burn-down', () => {
  it('falls with usage and ends now at the remaining quota, where the forecast starts', () => {
    const burnDown = requireBurnDown()
    expect(burnDown.points).toEqual([
      { at: toDayMs(1), left: 100 },
      { at: toDayMs(2), used: 10, left: 90 },
      { at: toDayMs(3), used: 0, left: 90 },
      { at: toDayMs(11), used: 30, left: 60, likely: 60, range: [60, 60] },
      ...Array.from({ length: 10 }, (_, index) => {
        const share = (index + 1) / 10
        const range = [60 - 35 * share, 60 - 10 * share]
        return { at: toDayMs(12 + index), likely: 60 - 22.5 * share, range }
      }),
    ])
    expect([1, 11, 21].map((day) => getEvenRemaining(burnDown, toDayMs(day)))).toEqual([100, 50, 0])
  })

  it('is flat on weekdays without use', () => {
    const weekdays = [0, 0.1, 0.1, 0.1, 0.1, 0.1, 0]
    const { points } = requireBurnDown({ gauge: gauge({ forecast: { ...lastsForecast, weekdays } }) })
    // November 14 and 15, 2026 are a weekend. Seven of the ten days are working days.
    const likelyAt = (day: number) => points.find(({ at }) => at === toDayMs(day))?.likely
    expect([14, 15, 16].map(likelyAt)).toEqual(Array.from({ length: 3 }, () => 60 - 22.5 * (3 / 8)))
    expect(likelyAt(21)).toBe(37.5)
  })

  it('reaches zero on the likely day, with a range of days', () => {
    const burnDown = requireBurnDown({ gauge: gauge({ forecast: exhaustionForecast }) })
    expect(burnDown.runsOutAt).toBe(toDayMs(20))
    const remaining = burnDown.points.map(({ at, likely, range }) => [range?.[0], likely, range?.[1], at])
    const zeroTimes = [0, 1, 2].map((column) => remaining.find((row) => row[column] === 0)?.[3])
    expect(zeroTimes).toEqual([15, 20, 21].map(toDayMs))
  })

  it('counts usage without daily data as earlier usage, and has no forecast without data', () => {
    const { points } = requireBurnDown({
      gauge: gauge({ used: 70, forecast: { kind: 'notEnough', reason: 'tooShort' } }),
    })
    expect(points.map(({ left }) => left)).toEqual([100, 60, 60, 30])
    expect(points.every(({ likely }) => likely === undefined)).toBe(true)
  })

  it('uses the clock of the plan’s server', () => {
    const clockAheadQuota = { ...plan, at: toNovemberIso(9), aheadMs: 2 * 86_400_000 }
    expect(requireBurnDown({ plan: clockAheadQuota }).nowMs).toBe(toDayMs(11))
  })

  it('is undefined without a cycle or a quota', () => {
    expect(compute({ plan: { at: toNovemberIso(11) } })).toBeUndefined()
    expect(compute({ gauge: gauge({ quota: undefined }) })).toBeUndefined()
  })
})

const fullQuota: PlanQuota = {
  origin: { connectionId: 'c1', planId: 'a1' },
  name: 'team',
  source: 'console',
  isExpired: false,
  cycle,
  at: toNovemberIso(11),
  models: [
    { modelCode: 'large', displayName: 'Large', tokens: gauge({ forecast: exhaustionForecast }), requests: gauge() },
  ],
}

const renderPage = createPageRenderer(<BurnDownPage />, '/usage/burn-down?plan=a1&model=large', {
  'quota.list': () => [fullQuota],
  'plans.list': () => [],
  'connections.list': () => [],
  'usage.series': () => ({ step: 'day', ...series, totals: day(1, 40), at: toNovemberIso(11) }),
})

describe('its page', () => {
  it('describes the chart, queries the console for the cycle, and has a table', async () => {
    const { main } = await renderPage()
    expect(await screen.findByRole('img', { name: /^Likely runs out November 20, between November 15/ })).toBeTruthy()
    const { from, to } = cycle
    const filter = { scope: 'console', connectionId: 'c1', planId: 'a1', modelCode: 'large', from, to }
    expect(main.askedFor('usage.series')).toEqual([{ filter, step: 'day', compare: false }])
    await userEvent.click(screen.getByRole('button', { name: /^Show .* as table$/ }))
    expect(within(screen.getByRole('table')).getAllByRole('row').length).toBeGreaterThan(6)
  })

  it('has a heading even without a model in the address', async () => {
    await renderPage({ 'quota.list': () => [] }, '/usage/burn-down')
    await screen.findByText('Model not found in this plan')
    await expectLink('View quota', '/usage/left')
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Burn-down')
  })

  it('explains a missing chart, and failed figures', async () => {
    const { unmount } = await renderPage({ 'quota.list': () => [{ ...fullQuota, cycle: undefined }] })
    expect(await screen.findByText(/^No forecast/)).toBeTruthy()
    unmount()
    await renderPage({ 'usage.series': () => ({ code: 'net.timeout', message: 'slow' }) })
    expect(await screen.findByRole('button', { name: /again|Retry/ })).toBeTruthy()
  })

  it('of an expired plan blames neither a missing quota nor the owner', async () => {
    await renderPage({ 'quota.list': () => [{ ...fullQuota, cycle: undefined, isExpired: true }] })
    await screen.findByText('This plan has expired')
    expect(screen.queryByText(/account owner/)).toBeNull()
  })
})
