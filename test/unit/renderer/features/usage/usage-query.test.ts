import { describe, expect, it } from 'vitest'
import { joinPlanEntries } from '../../../../../src/renderer/features/connections/account/plan-entries'
import {
  defaultUsageQuery,
  readUsageQuery,
  type UsageQuery,
  writeUsageQuery,
} from '../../../../../src/renderer/features/usage/usage-query'
import { isPlanInScope } from '../../../../../src/renderer/features/usage/use-usage'
import { accountPlan } from '../../support/account'
import { plan } from '../../support/views'

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

it.each([
  ['p1', 'console', 'a1'],
  ['a1', 'machine', 'p1'],
  ['p2', 'console', undefined],
  [undefined, 'machine', undefined],
] as const)('the plan %s stays selected when the source becomes %s, by its id there', (planId, scope, expected) => {
  const plans = [accountPlan({ localPlanId: 'p1' }), accountPlan({ planId: 'a2', name: 'b' })]
  const localPlans = [plan({ origin: { connectionId: 'c1', planId: 'a1' } }), plan({ id: 'p2', name: 'mine' })]
  const entries = joinPlanEntries({ connectionId: 'c1', plans }, localPlans)
  expect(isPlanInScope(planId, { scope, connectionId: 'c1' }, entries)).toBe(expected)
})
