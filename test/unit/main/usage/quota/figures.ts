import type { PlanView } from '@shared/contract'
import type { AccountPlanView } from '@shared/contract/plans'
import type { BudgetView, Forecast, Gauge, PlanQuota } from '@shared/contract/quota'
import { localPlan as buildPlan } from '../../../../support/tool-setups'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
/** A Tuesday, 10:00 in Hanoi. */
export const cycleStartMs = Date.parse('2026-03-24T03:00:00.000Z')
export const iso = (ms: number): string => new Date(ms).toISOString()

/** An account's plan in the middle of its cycle, with one model. */
export function accountPlan(planId: string, overrides: Partial<AccountPlanView> = {}): AccountPlanView {
  return {
    planId,
    name: planId,
    packageId: 'x',
    planType: 'Pro',
    status: 'ACTIVE',
    provisioned: true,
    autoRenew: true,
    purchasedAt: iso(cycleStartMs - 15 * dayMs),
    expiresAt: iso(cycleStartMs + 15 * dayMs),
    cycleDays: 30,
    keysUsed: 1,
    maxKeys: 5,
    total: 1,
    gatewayUrl: 'https://gw.example.com',
    usedBy: [],
    models: [accountModel('m')],
    ...overrides,
  }
}

export const accountModel = (modelCode: string, overrides: object = {}): AccountPlanView['models'][number] => ({
  modelCode,
  displayName: modelCode.toUpperCase(),
  hostingMode: 'Shared',
  status: 'ACTIVE',
  endpoint: '',
  tokenQuota: 10_000,
  requestQuota: 1000,
  tokensUsed: 1500,
  requestsUsed: 15,
  enabledTypes: [],
  ...overrides,
})

export const localPlan = (id: string, overrides: Partial<PlanView> = {}): PlanView =>
  buildPlan({ id, name: id, models: ['m'], keys: [], ...overrides })

/** A daily budget of a tool, of whose 10 requests this many are used. */
export const budgetView = (used: number, overrides: Partial<BudgetView> = {}): BudgetView => ({
  id: 'b',
  name: 'Team',
  subject: { kind: 'tool', toolId: 'pi' },
  unit: 'requests',
  limit: 10,
  period: 'day',
  action: 'refuse',
  used,
  from: iso(cycleStartMs),
  to: iso(cycleStartMs + dayMs),
  ...overrides,
})

const usedTokens = { inputTokens: 60, outputTokens: 30, cacheTokens: 10, requests: 1, errors: 0 }

/** 100 tokens in one request every day at 9:00 in Hanoi, for this many days up to `start`. */
export const buildDailyHours = <T extends object = object>(days: number, overrides?: T) =>
  Array.from({ length: days }, (_, index) => ({
    start: cycleStartMs - hourMs - (days - 1 - index) * dayMs,
    ...usedTokens,
    ...(overrides ?? ({} as T)),
  }))

const lastsForecast: Forecast = { kind: 'lasts', used: 0.5, low: 0.4, high: 0.6 }
export const exhaustionForecast: Extract<Forecast, { kind: 'runsOut' }> = {
  kind: 'runsOut',
  used: 1.2,
  at: '2026-11-27T10:00:00.000Z',
  earliest: '2026-11-24T10:00:00.000Z',
  latest: '2026-11-29T10:00:00.000Z',
  daysBeforeRenewal: 2.6,
}

/** A plan with one model, of whose 100 tokens this many are used. */
export function planQuota(
  id: string,
  used: number,
  { forecast = lastsForecast, ...over }: Partial<PlanQuota> & { forecast?: Forecast } = {},
): PlanQuota {
  const tokens: Gauge = { quota: 100, used, forecast }
  const requests: Gauge = { used: 0, forecast: { kind: 'notEnough', reason: 'noAllowance' } }
  return {
    planId: id,
    name: id,
    source: 'console',
    isExpired: false,
    at: iso(cycleStartMs),
    cycle: { from: iso(cycleStartMs - 15 * dayMs), to: iso(cycleStartMs + 15 * dayMs) },
    models: [{ modelCode: 'm', displayName: 'M', tokens, requests }],
    ...over,
  }
}
