import { expect, it } from 'vitest'
import { joinPlanEntries } from '../../../../../../src/renderer/features/connections/account/plan-entries'
import { topPlans } from '../../../../../../src/renderer/features/home/home-page'
import { accountPlan, inDays, model } from '../../../support/account'
import { plan } from '../../../support/views'

it('shows active plans first, the tightest on top, then unknown and expired ones', () => {
  const plans = [
    accountPlan({
      planId: 'over',
      status: 'EXPIRED',
      expiresAt: inDays(-2),
      models: [model({ tokensUsed: 1_000_000 })],
    }),
    accountPlan({ planId: 'ample', models: [model({ tokensUsed: 1 })] }),
    accountPlan({ planId: 'tight', models: [model({ requestsUsed: 990 })] }),
  ]
  const entries = joinPlanEntries({ connectionId: 'c1', plans }, [plan({ id: 'handed' })])
  expect(topPlans(entries, 3, new Date()).map(({ id }) => id)).toEqual(['tight', 'ample', 'handed'])
  expect(topPlans(entries, 9, new Date()).at(-1)?.id).toBe('over')
})
