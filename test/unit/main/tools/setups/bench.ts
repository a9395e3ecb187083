import type { PlanRecord } from '../../../../../src/main/core/settings/settings'
import type { UsablePlan } from '../../../../../src/main/plans/plan-directory'

const currentTimeIso = '2026-11-21T10:00:00.000Z'

const keyRecord = (id: string, addedAt = currentTimeIso): PlanRecord['keys'][number] => ({
  id,
  name: `name of ${id}`,
  masked: 'sk-...efgh',
  addedAt,
  kept: 'keychain',
})

/** A plan with two keys, newest first. The given fields are replaced. */
export const plan = (overrides: Partial<PlanRecord> = {}): UsablePlan => ({
  id: 'p1',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gw.example.com',
  models: ['large', 'small'],
  contextTokens: 128_000,
  createdAt: currentTimeIso,
  keys: [keyRecord('k1'), keyRecord('k2', '2026-11-20T10:00:00.000Z')],
  defaultKeyId: overrides.keys ? overrides.keys[0]?.id : 'k1',
  ...overrides,
})
