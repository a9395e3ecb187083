import { expect, test } from 'vitest'
import { BudgetMeter, type Reservation } from '../../../../src/main/relay/budget-meter'
import type { BudgetReader, RelayBudget } from '../../../../src/main/relay/ports'
import type { LedgerEntry } from '../../../../src/main/usage/ports'
import { buildBudget } from './support'

const budget = (change: Partial<RelayBudget> = {}) => buildBudget({ limit: 3, ...change })
const request = { planId: 'p', keyId: 'k', toolId: 'x', modelCode: 'aurora' }
const entry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: `${Math.random()}`,
  at: nowMs,
  source: 'relay',
  ...request,
  inputTokens: 10,
  outputTokens: 5,
  ...change,
})
const nowMs = Date.parse('2026-03-10T12:00:00Z')

/** Admits a request without waiting for usage counts. Undefined if a budget rejects it. */
function reserveRequest(meter: BudgetMeter, overrides: Partial<typeof request> = {}): Reservation | undefined {
  const admission = meter.admit({ ...request, ...overrides })
  if (admission instanceof Promise) throw new Error('waits')
  return 'gauges' in admission ? admission : undefined
}

async function createMeter(
  budgets: readonly RelayBudget[],
  { read, clock = () => nowMs }: { readonly read?: BudgetReader; readonly clock?: () => number } = {},
) {
  const meter = new BudgetMeter(read, clock, 'UTC')
  meter.setBudgets(budgets)
  await new Promise(setImmediate)
  return meter
}

test.each(['aborted', 'cut'] as const)('counts a request that was %s, since the gateway received it', async (error) => {
  const meter = await createMeter([budget({ limit: 1 })])
  meter.settle(entry({ error }), reserveRequest(meter))
  expect(reserveRequest(meter)).toBeUndefined()
})

test('counts only requests that match every field of a budget', async () => {
  const meter = await createMeter([
    budget({ limit: 1, of: { planId: 'other' } }),
    budget({ id: 'keys', limit: 1, of: { keyIds: ['k1', 'k2'] } }),
    budget({ id: 'model', limit: 1, of: { modelCode: 'nimbus' } }),
  ])
  for (let requestCount = 0; requestCount < 5; requestCount += 1) meter.settle(entry(), reserveRequest(meter))
  expect(reserveRequest(meter)).toBeDefined()
  meter.settle(entry({ keyId: 'k2' }), reserveRequest(meter, { keyId: 'k2' }))
  expect(reserveRequest(meter, { keyId: 'k1' })).toBeUndefined()
  // If a request names no model, the response names it.
  meter.settle(entry({ modelCode: 'nimbus' }), undefined)
  expect(reserveRequest(meter, { modelCode: 'nimbus' })).toBeUndefined()
})

test('reads again when an entry was recorded during a read', async () => {
  const answers = [1, 3]
  const read: BudgetReader = async () => {
    if (answers.length === 2) meter.settle(entry(), undefined)
    return answers.shift() ?? 3
  }
  const meter = new BudgetMeter(read, () => nowMs, 'UTC')
  meter.setBudgets([budget()])
  expect(await meter.admit(request)).toHaveProperty('detail')
  expect(answers).toEqual([])
})

test('an unreadable ledger blocks no request', async () => {
  const meter = await createMeter([budget()], { read: () => Promise.reject(new Error('no disk')) })
  expect(reserveRequest(meter)).toBeDefined()
})

test('a new day starts at zero, and a clock that is set back restores the day’s count', async () => {
  let clock = Date.parse('2026-03-10T23:59:59.900Z')
  const meter = await createMeter([budget({ limit: 2 })], { clock: () => clock })
  const lateAdmissionPromise = reserveRequest(meter)
  meter.settle(entry({ at: clock }), reserveRequest(meter))
  expect(reserveRequest(meter)).toBeUndefined()
  clock += 200
  await meter.admit(request)
  // A request counts for the day in which it started, whenever it ends.
  meter.settle(entry({ at: lateAdmissionPromise?.at ?? 0 }), lateAdmissionPromise)
  expect(reserveRequest(meter)).toBeDefined()
  expect(reserveRequest(meter)).toBeUndefined()
  clock -= 3_600_000
  expect(reserveRequest(meter)).toBeUndefined()
})

test('a higher limit applies immediately, and the count stays', async () => {
  const meter = await createMeter([budget({ limit: 1 })])
  meter.settle(entry(), reserveRequest(meter))
  expect(reserveRequest(meter)).toBeUndefined()
  meter.setBudgets([budget({ limit: 2, name: 'Renamed' })])
  const second = reserveRequest(meter)
  expect(second).toBeDefined()
  expect(meter.admit(request)).toMatchObject({ detail: expect.stringContaining('"Renamed"') })
  meter.setBudgets([])
  expect(meter.isEmpty).toBe(true)
})
