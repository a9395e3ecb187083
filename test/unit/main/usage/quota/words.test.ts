import { expect, it } from 'vitest'
import { formatAlert, formatAlerts } from '../../../../../src/main/usage/quota/alert-text'
import { type Alert, formatTightestPlan } from '../../../../../src/main/usage/quota/find-alerts'
import { exhaustionForecast, planQuota } from './figures'

const allowanceAlert = {
  planId: 'p',
  planName: 'team',
  modelCode: 'gpt-large',
  path: '/',
  allowance: 'tokens',
  used: 1_940_000,
  quota: 2_000_000,
  cycle: { from: '2026-10-30T12:00:00.000Z', to: '2026-11-29T12:00:00.000Z' },
} as const
const threshold: Extract<Alert, { kind: 'threshold' }> = { ...allowanceAlert, kind: 'threshold', percent: 95 }
const forecast: Extract<Alert, { kind: 'forecast' }> = {
  ...allowanceAlert,
  kind: 'forecast',
  forecast: exhaustionForecast,
}
const { latest: _, ...open } = exhaustionForecast
const errorBurstAlert: Alert = {
  kind: 'errorBurst',
  planId: 'p',
  planName: 'team',
  modelCode: 'gpt-large',
  path: '/',
  errors: 12,
  requests: 15,
  mostly: 'key',
}

const budget: Extract<Alert, { kind: 'budget' }> = {
  kind: 'budget',
  percent: 80,
  path: '/usage/budgets',
  budget: {
    id: 'b',
    name: 'CI',
    subject: { kind: 'tool', toolId: 'pi' },
    unit: 'tokens',
    limit: 2_000_000,
    period: 'week',
    action: 'refuse',
    used: 1_700_000,
    from: '2026-11-23T12:00:00.000Z',
    to: '2026-11-30T12:00:00.000Z',
  },
}
const exhaustedAlert: typeof budget = { ...budget, percent: 100, budget: { ...budget.budget, used: 2_000_100 } }

it.each<[string, Alert, string, string, ('en' | 'vi')?]>([
  ['a budget', budget, 'Budget CI: 85% used', '300,000 of 2,000,000 tokens are left until November 30.'],
  [
    'a budget that refuses',
    exhaustedAlert,
    'Budget CI is used up',
    'All 2,000,000 tokens are used. The relay rejects requests until November 30.',
  ],
  [
    'a budget that only warns',
    { ...exhaustedAlert, budget: { ...exhaustedAlert.budget, action: 'warn' } },
    'Đã hết ngân sách CI',
    'Đã dùng hết 2.000.000 token. Request vẫn được gửi.',
    'vi',
  ],
  [
    'a threshold',
    threshold,
    'team: 97% of the tokens of gpt-large used',
    '60,000 of 2,000,000 tokens are left. The cycle ends on November 29.',
  ],
  [
    'the last cycle',
    { ...threshold, cycle: { ...threshold.cycle, autoRenew: false } },
    'team: 97% of the tokens of gpt-large used',
    '60,000 of 2,000,000 tokens are left. The plan expires on November 29.',
  ],
  [
    'nothing left',
    { ...threshold, used: 2_000_001, allowance: 'requests' },
    'team: gpt-large is out of requests',
    'All 2,000,000 requests are used. The gateway rejects requests to this model until November 29.',
  ],
  [
    'a forecast',
    forecast,
    'team: the tokens of gpt-large are likely to run out on November 27',
    'That is 2 days before the cycle ends (between November 24 and November 29). 60,000 of 2,000,000 tokens are left.',
  ],
  [
    'a forecast',
    forecast,
    'team: token của gpt-large có thể hết vào ngày 27 tháng 11',
    'Trước khi chu kỳ kết thúc 2 ngày (từ 24 tháng 11 đến 29 tháng 11). Còn 60.000 trên 2.000.000 token.',
    'vi',
  ],
  [
    'an open forecast',
    { ...forecast, forecast: { ...open, daysBeforeRenewal: 0.4 } },
    'team: the tokens of gpt-large are likely to run out on November 27',
    'That is just before the cycle ends (November 24 at the earliest). 60,000 of 2,000,000 tokens are left.',
  ],
  [
    'errors',
    errorBurstAlert,
    'team: requests to gpt-large are failing',
    '12 of 15 in the last 10 minutes. Most common: the key was refused.',
  ],
])('a notification describes %s (%#)', (_, alert, title, body, locale = 'en') => {
  expect(formatAlert(alert, locale)).toEqual({ title, body })
})

it.each([
  [[12], 'en', 'p0 · m 88% left (tokens)'],
  [[12, 88], 'vi', 'p1 · m còn 12% (token)'],
  [[99.5], 'en', 'p0 · m <1% left (tokens)'],
  [[100], 'en', 'p0 · m 0% left (tokens)'],
  [[], 'en', undefined],
] as const)('the line for used %j in %s is %s', (usedAmounts, locale, line) => {
  const plans = usedAmounts.map((amount, index) => planQuota(`p${index}`, amount))
  expect(formatTightestPlan(plans, locale)).toBe(line)
})

it('the line shows what runs out before what has less left, and nothing expired', () => {
  const plans = [
    planQuota('less', 90),
    planQuota('sooner', 50, { forecast: exhaustionForecast }),
    planQuota('over', 100, { isExpired: true }),
  ]
  expect(formatTightestPlan(plans, 'en')).toBe('sooner · m 50% left (tokens)')
})

it('combines several alerts, each plan once', () => {
  const proAlert = { ...errorBurstAlert, planName: 'pro' }
  expect([
    formatAlerts([threshold, forecast, errorBurstAlert], 'en'),
    formatAlerts([errorBurstAlert, proAlert], 'vi'),
  ]).toEqual([
    { title: '3 alerts about quotas and requests', body: 'team. Click to see each of them.' },
    { title: '2 cảnh báo về quota và request', body: 'team và pro. Nhấn để xem từng cảnh báo.' },
  ])
})
