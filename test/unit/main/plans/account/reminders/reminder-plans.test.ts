import type { PlanView } from '@shared/contract'
import { expect, it } from 'vitest'
import { planView } from '../../../../../../src/main/plans/account/account'
import { AccountPlanRecord } from '../../../../../../src/main/plans/account/console-client'
import { reminderPlans } from '../../../../../../src/main/plans/account/reminders'
import { planAnswer } from '../answers'

const buildAccountPlan = (planId: string, overrides: object = {}) =>
  planView(AccountPlanRecord.parse({ ...planAnswer, planId, ...overrides }), undefined)

const buildLocalPlan = (overrides: Partial<PlanView>): PlanView => ({
  id: 'l',
  name: 'given',
  source: 'handed-over',
  gatewayUrl: 'https://gw.example.com',
  models: [],
  contextTokens: 1,
  createdAt: '2026-03-01T00:00:00.000Z',
  keys: [],
  usedBy: [],
  ...overrides,
})

const buildSources = (
  localPlans: readonly PlanView[],
  credits = 0,
  plans: readonly ReturnType<typeof buildAccountPlan>[] = [],
) => ({
  plans: { list: () => localPlans },
  account: {
    get: async ({ connectionId }: { connectionId: string }) => {
      if (connectionId === 'offline') throw new Error('offline')
      return { accountId: 'a', role: 'ROOT' as const, credits }
    },
    plans: async () => [...plans],
  },
  connectionIds: () => ['offline', 'office'],
  getPath: (planId: string, connectionId?: string) => `/${connectionId ?? 'here'}/${planId}`,
})

it('counts a plan as covered while the credits last, in order of expiry', async () => {
  const plans = [
    buildAccountPlan('late', { expiresAt: '2026-04-03T00:00:00Z' }),
    buildAccountPlan('soon', { expiresAt: '2026-04-01T00:00:00Z' }),
    buildAccountPlan('off', { expiresAt: '2026-03-01T00:00:00Z', autoRenew: false }),
    buildAccountPlan('over', { expiresAt: '2026-02-01T00:00:00Z', status: 'EXPIRED' }),
  ]
  const { plans: listedPlans } = await reminderPlans(buildSources([], 500_000, plans))
  const coveredIds = listedPlans.filter(({ isCovered }) => isCovered).map(({ id }) => id)
  expect(coveredIds).toEqual(['office/soon'])
})

it('includes handed-over plans with a known expiry, and leaves account plans to the account', async () => {
  const expiresAt = '2026-04-01T00:00:00.000Z'
  const localPlans = [
    buildLocalPlan({ id: 'given', expiresAt }),
    buildLocalPlan({ id: 'open' }),
    buildLocalPlan({ id: 'linked', expiresAt, source: 'console' }),
    buildLocalPlan({ id: 'box', expiresAt, source: 'sandbox' }),
  ]
  expect(await reminderPlans(buildSources(localPlans))).toEqual({
    plans: [{ id: 'given', name: 'given', expiresAt, path: '/here/given' }],
    isComplete: false,
  })
  const { isComplete } = await reminderPlans({ ...buildSources(localPlans), connectionIds: () => ['office'] })
  expect(isComplete).toBe(true)
})

it('reports a failing renewal', async () => {
  const renewal = { failedAttempts: 1, nextAttemptAt: '2026-03-30T00:00:00Z' }
  const { plans: listedPlans } = await reminderPlans(buildSources([], 0, [buildAccountPlan('p', { renewal })]))
  expect(listedPlans).toMatchObject([{ id: 'office/p', isRenewalFailing: true, isCovered: false, path: '/office/p' }])
})
