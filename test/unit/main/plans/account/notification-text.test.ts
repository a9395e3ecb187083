import { expect, it } from 'vitest'
import { formatReminder, formatReminders, joinNames } from '../../../../../src/main/plans/account/notification-text'

const endingPlan = { planName: 'team', expiresAt: '2026-12-03T10:00:00.000Z' }

it.each([
  ['en', 'expiring', 1, 'team expires in 1 day', /December 3, 2026/],
  ['en', 'expiring', 7, 'team expires in 7 days', /keys stop working/],
  ['en', 'renewalFailed', 2, 'Couldn’t renew team', /Not enough credits/],
  ['en', 'expired', 0, 'team has expired', /Buy it again/],
  ['vi', 'expiring', 3, 'team sẽ hết hạn sau 3 ngày', /ngày 3 tháng 12 năm 2026/],
  ['vi', 'renewalFailed', 2, 'Không gia hạn được team', /ngày 3 tháng 12 năm 2026/],
  ['vi', 'expired', 0, 'team đã hết hạn', /mua lại/],
] as const)('describes in %s a plan that is %s with %i days left', (locale, kind, daysLeft, title, body) => {
  const texts = formatReminder({ ...endingPlan, kind, daysLeft }, locale)
  expect(texts).toEqual({ title, body: expect.stringMatching(body) })
})

it('combines several plans in one message', () => {
  const planEndings = ['team', 'pro', 'old'].map((planName) => ({
    ...endingPlan,
    planName,
    kind: 'expired' as const,
    daysLeft: 0,
  }))
  expect([formatReminders(planEndings, 'en'), formatReminders(planEndings.slice(1), 'vi')]).toEqual([
    { title: '3 plans expire soon or have expired', body: 'team, pro and 1 more.' },
    { title: '2 gói sắp hết hạn hoặc đã hết hạn', body: 'pro và old.' },
  ])
})

it.each([
  [['a'], 'a', 'a'],
  [['a', 'b', 'a'], 'a and b', 'a và b'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more', 'a, b và 2 mục khác'],
])('the names %j are joined as %s', (names, en, vi) => {
  expect([joinNames(names, 'en'), joinNames(names, 'vi')]).toEqual([en, vi])
})
