import { expect, onTestFinished, test, vi } from 'vitest'
import { createStore } from '../../../../src/sandbox/state/store'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

const seed = '0'.repeat(64)
const pool = { planId: 'plan-sandbox-pro', modelCode: 'aurora-small' }
const dayMs = 86_400_000

const createTestStore = (world: World = plainWorld(seed, Date.now())) => {
  const savedWorlds: World[] = []
  const store = createStore(world, {
    save: (savedWorld) => savedWorlds.push(savedWorld),
    saved: async () => undefined,
    begin: plainWorld,
  })
  const entry = () => ({ ...pool, keyId: 'key-pro-default', atMs: store.nowMs() })
  const readUsed = (currentWorld: World = store.world()) =>
    currentWorld.plans[0]?.models.find(({ modelCode }) => modelCode === pool.modelCode)?.tokensUsed
  return { store, saved: savedWorlds, entry, used: readUsed }
}

test('a booking is in the next state exactly once', () => {
  const { store, entry, used } = createTestStore()
  store.book(entry(), { inputTokens: 7, requests: 1 })
  expect([used(), used()]).toEqual([7, 7])
})

test('a booking is saved to the state file', () => {
  const { store, saved: savedWorlds, entry, used } = createTestStore()
  store.book(entry(), { inputTokens: 7, requests: 1 })
  expect(savedWorlds.map(used)).toEqual([7])
})

test('a booking from before a cycle is not subtracted from the new one', () => {
  const { store, entry } = createTestStore()
  store.book(entry(), { inputTokens: 9, requests: 1 })
  vi.useFakeTimers({ now: Date.now() + 30 * dayMs, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  store.world()
  expect(store.getRemaining(pool)).toEqual({ tokens: 60_000_000, requests: 60_000 })
  const [tally] = Object.values(Object.values(store.world().usage)[0] ?? {})
  expect(tally).toEqual([9, 0, 0, 1, 0])
})

test('a reset drops bookings, keeps the keys, and accepts another seed', () => {
  const { store, entry } = createTestStore()
  const secret = store.toSecret('key-pro-default')
  expect([secret, store.findKeyId(secret)]).toEqual([
    expect.stringMatching(/^sk-sandbox-[0-9a-f]{40}$/),
    'key-pro-default',
  ])
  store.book(entry(), { inputTokens: 7, requests: 1 })
  store.reset()
  expect([store.world().usage, store.toSecret('key-pro-default')]).toEqual([{}, secret])
  store.reset('1'.repeat(64))
  expect([store.findKeyId(secret), store.toSecret('key-pro-default') === secret]).toEqual([undefined, false])
})

test('a pool stops at its quota while the usage shows the real amount', () => {
  const { store, entry, used } = createTestStore()
  store.book(entry(), { inputTokens: 60_000_000, outputTokens: 9, requests: 1 })
  store.book(entry(), { errors: 1 })
  expect([used(), store.getRemaining(pool)]).toEqual([60_000_000, { tokens: 0, requests: 59_999 }])
  expect(Object.values(Object.values(store.world().usage)[0] ?? {})).toEqual([[60_000_000, 9, 0, 1, 1]])
})
