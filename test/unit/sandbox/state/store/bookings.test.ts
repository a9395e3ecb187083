import { expect, test } from 'vitest'
import { Bookings } from '../../../../../src/sandbox/state/store'
import { plainWorld } from '../../plain-world'

const world = plainWorld('0'.repeat(64), Date.parse('2026-03-01T00:00:00Z'))
const pool = { planId: 'plan-sandbox-pro', modelCode: 'aurora-small' }
const quota = { tokens: 60_000_000, requests: 60_000 }
const entry = { ...pool, keyId: 'key-pro-default', atMs: Date.parse('2026-03-01T10:59:59.999Z') }
const call = { inputTokens: 5, outputTokens: 2, cacheTokens: 3, requests: 1 }

const listUsedAmounts = ({ plans }: typeof world) => {
  const model = plans[0]?.models.find(({ modelCode }) => modelCode === pool.modelCode)
  return [model?.tokensUsed, model?.requestsUsed]
}

test('calls reduce the remaining quota immediately, and the state once they are applied', () => {
  const bookings = new Bookings()
  bookings.add(entry, call)
  bookings.add(entry, call)
  expect(bookings.getRemaining(world, pool)).toEqual({ tokens: quota.tokens - 20, requests: quota.requests - 2 })
  const nextWorld = bookings.putInto(world)
  expect(listUsedAmounts(nextWorld)).toEqual([20, 2])
  expect(nextWorld.usage).toEqual({
    '2026-03-01': { '10|plan-sandbox-pro|key-pro-default|aurora-small': [10, 4, 6, 2, 0] },
  })
  expect(bookings.getRemaining(nextWorld, pool)).toEqual({ tokens: quota.tokens - 20, requests: quota.requests - 2 })
  expect([bookings.isEmpty, bookings.putInto(nextWorld)]).toEqual([true, nextWorld])
})

test('each key and hour has its own counter, and all share the pool', () => {
  const bookings = new Bookings()
  bookings.add(entry, call)
  bookings.add({ ...entry, keyId: 'key-pro-old-laptop' }, call)
  bookings.add({ ...entry, atMs: entry.atMs + 1 }, call)
  const nextWorld = bookings.putInto(world)
  expect(Object.keys(nextWorld.usage['2026-03-01'] ?? {})).toEqual([
    '10|plan-sandbox-pro|key-pro-default|aurora-small',
    '10|plan-sandbox-pro|key-pro-old-laptop|aurora-small',
    '11|plan-sandbox-pro|key-pro-default|aurora-small',
  ])
  expect(listUsedAmounts(nextWorld)).toEqual([30, 3])
})

test('errors are only in the usage, also without a model', () => {
  const bookings = new Bookings()
  bookings.add({ ...entry, modelCode: '' }, { errors: 1 })
  bookings.add(entry, { errors: 1 })
  const nextWorld = bookings.putInto(world)
  expect(listUsedAmounts(nextWorld)).toEqual([0, 0])
  expect(Object.values(nextWorld.usage['2026-03-01'] ?? {})).toEqual([
    [0, 0, 0, 0, 1],
    [0, 0, 0, 0, 1],
  ])
})

test('a pool stops at its quota while the usage shows the real amount', () => {
  const bookings = new Bookings()
  bookings.add(entry, { inputTokens: quota.tokens - 1, requests: 1 })
  bookings.add(entry, { inputTokens: 10, requests: 1 })
  expect(bookings.getRemaining(world, pool)).toEqual({ tokens: -9, requests: quota.requests - 2 })
  const nextWorld = bookings.putInto(world)
  expect(listUsedAmounts(nextWorld)).toEqual([quota.tokens, 2])
  expect(Object.values(nextWorld.usage['2026-03-01'] ?? {})).toEqual([[quota.tokens + 9, 0, 0, 2, 0]])
})

test('a missing pool reports nothing left', () => {
  expect(new Bookings().getRemaining(world, { ...pool, modelCode: 'none' })).toBeUndefined()
})
