import type { Forecast, Gauge, ModelQuota } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { readAmount } from '../../../../../../src/renderer/features/usage/quota/allowances-dialog'
import {
  findTightestModel,
  formatForecast,
  tightestKind,
  toAllowance,
} from '../../../../../../src/renderer/features/usage/quota/gauge'
import { startI18n } from '../../../../../../src/renderer/i18n'

const toIso = (month: number, day: number): string => new Date(2026, month - 1, day, 12).toISOString()
/** Without a latest day. */
const openForecast = {
  kind: 'runsOut',
  used: 1.2,
  at: toIso(11, 27),
  earliest: toIso(11, 24),
  daysBeforeRenewal: 2.2,
} as const
const buildRunsOutForecast = (overrides: Partial<Extract<Forecast, { kind: 'runsOut' }>> = {}): Forecast => ({
  ...openForecast,
  latest: toIso(11, 29),
  ...overrides,
})
const buildLastsForecast = (low: number, high: number): Forecast => ({
  kind: 'lasts',
  used: (low + high) / 2,
  low,
  high,
})

async function describeForecast(locale: 'en' | 'vi', forecast: Forecast, renews = true): Promise<string> {
  await startI18n(locale)
  const { headline, detail } = formatForecast(forecast, renews)
  return detail === undefined ? headline : `${headline}, ${detail}`
}

describe('a forecast as text', () => {
  it.each<[string, Forecast, string, string]>([
    [
      'that runs out',
      buildRunsOutForecast(),
      'Likely runs out November 27, between November 24 and 29',
      'Có thể hết ngày 27 tháng 11, trong khoảng 24 đến 29 tháng 11',
    ],
    [
      'over the end of a month',
      buildRunsOutForecast({ latest: toIso(12, 3), daysBeforeRenewal: 1 }),
      'Likely runs out November 27, between November 24 and December 3',
      'Có thể hết ngày 27 tháng 11, trong khoảng 24 tháng 11 đến 3 tháng 12',
    ],
    [
      'that may last as well',
      { ...openForecast, daysBeforeRenewal: 0.5 },
      'Likely runs out November 27, between November 24 and renewal',
      'Có thể hết ngày 27 tháng 11, trong khoảng 24 tháng 11 đến khi gia hạn',
    ],
    [
      'of one day',
      buildRunsOutForecast({ at: toIso(11, 29), earliest: toIso(11, 29), daysBeforeRenewal: 0.01 }),
      'Likely runs out November 29',
      'Có thể hết ngày 29 tháng 11',
    ],
    [
      'that lasts',
      buildLastsForecast(0.61, 0.74),
      'Lasts: 61 to 74% used at renewal',
      'Đủ dùng: đã dùng 61 đến 74% khi gia hạn',
    ],
    [
      'that is sure',
      buildLastsForecast(0.7, 0.702),
      'Lasts: about 70% used at renewal',
      'Đủ dùng: đã dùng khoảng 70% khi gia hạn',
    ],
    [
      'that could be passed',
      buildLastsForecast(0.9, 1.2),
      'Lasts: 90 to 100% used at renewal',
      'Đủ dùng: đã dùng 90 đến 100% khi gia hạn',
    ],
    [
      'of what is used up',
      { kind: 'exhausted', since: toIso(11, 19) },
      'Used up since November 19, requests to this model are paused until the next cycle',
      'Đã hết từ 19 tháng 11, request tới model này tạm dừng đến chu kỳ sau',
    ],
    [
      'that cannot be made',
      { kind: 'notEnough', reason: 'tooShort' },
      'Not enough data: a forecast needs three full days of usage',
      'Chưa đủ dữ liệu: cần ba ngày sử dụng trọn vẹn để dự báo',
    ],
  ])('%s', async (_, forecast, english, vietnamese) => {
    expect(await describeForecast('en', forecast)).toBe(english)
    expect(await describeForecast('vi', forecast)).toBe(vietnamese)
  })

  it.each([
    [openForecast, 'Likely runs out November 27, between November 24 and the end of the cycle'],
    [buildLastsForecast(0.1, 0.2), 'Lasts: 10 to 20% used when the cycle ends'],
  ])('mentions no renewal when none is known', async (forecast, text) => {
    expect(await describeForecast('en', forecast, false)).toBe(text)
  })
})

const gauge = (used: number, forecast = buildLastsForecast(0.4, 0.5)): Gauge => ({ quota: 100, used, forecast })
const unknownGauge: Gauge = { used: 5, forecast: { kind: 'notEnough', reason: 'noAllowance' } }
const model = (modelCode: string, tokens: Gauge, requests: Gauge): ModelQuota => ({
  modelCode,
  displayName: modelCode,
  tokens,
  requests,
})

it('a gauge has no share of an unknown quota', () => {
  expect(toAllowance(unknownGauge, 'tokens')).toBeUndefined()
  expect(toAllowance(gauge(120), 'tokens')).toMatchObject({ left: 0, level: 'out' })
})

describe('the tightest model of a plan', () => {
  const calm = model('calm', gauge(10), gauge(20))
  const full = model('full', gauge(90, buildLastsForecast(0.92, 0.97)), gauge(10))
  const fast = model('fast', gauge(10), gauge(40, buildRunsOutForecast()))
  const spent = model('spent', gauge(100, { kind: 'exhausted' }), gauge(1))

  it('is the first to stop of those with quota left: running out, then with the least left', () => {
    expect(findTightestModel({ models: [calm, full, fast, spent] })).toBe(fast)
    expect(findTightestModel({ models: [spent] })).toBe(spent)
    expect(findTightestModel({ models: [calm, full] })).toBe(full)
    expect(tightestKind(fast)).toBe('requests')
  })

  it('is undefined while no quota is known', () => {
    expect(findTightestModel({ models: [model('unknown', unknownGauge, unknownGauge)] })).toBeUndefined()
  })
})

it.each([
  ['', 'none'],
  ['20000', 20_000],
  ['20,000', 20_000],
  ['20.000.000', 20_000_000],
  ['20 000', 20_000],
  ['20M', 20_000_000],
  ['1.5m', 1_500_000],
  ['1,5 M', 1_500_000],
  ['2B', 2_000_000_000],
  ['1.5', undefined],
  ['-3', undefined],
  ['many', undefined],
  ['20MM', undefined],
  ['99999999999999999999', undefined],
] as const)('a typed amount %j is %j', (text, amount) => {
  expect(readAmount(text)).toBe(amount)
})
