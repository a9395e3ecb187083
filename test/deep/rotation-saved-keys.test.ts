import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Keychain, KeychainStalled } from '../../src/main/core/vault/keychain'
import { seed } from '../support/depth'
import {
  answersToTools,
  defaultTools,
  type Harness,
  keysAtAccount,
  openHarness,
  requireSound,
} from '../unit/main/keys/rotation/bench'
import { Power } from '../unit/main/keys/rotation/power'

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 })

let harness: Harness
/** Numbers of possible kill points and of keychain calls in a complete rotation. */
let momentCount = 0
let calls = 0

/** Park and Miller's generator, for reproducible kills. */
let state = seed
function random(below: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}

/** A keychain that does not respond to `count` calls from the `from`th on. */
function stalling(from: number, count: number): Keychain & { readonly asked: () => number } {
  const { keychain } = harness.kept
  let requestCount = 0
  const answer = <T>(work: () => Promise<T>): Promise<T> => {
    requestCount += 1
    const isStalled = requestCount > from && requestCount <= from + count
    return isStalled ? Promise.reject(new KeychainStalled('The keychain did not answer', 'Sign in again.')) : work()
  }
  return {
    get: (account) => answer(() => keychain.get(account)),
    set: (account, secret) => answer(() => keychain.set(account, secret)),
    remove: (account) => answer(() => keychain.remove(account)),
    asked: () => requestCount,
  }
}

async function rotate(parts: Parameters<Harness['open']>[0], power?: Power): Promise<void> {
  const { rotation } = harness.open({ sessionAllowed: true, ...parts })
  const rotationRequest = { planId: harness.planId, keyId: harness.keyId, graceMs: 0, disableAfterMs: 0 }
  const rotationEnd = rotation.start(rotationRequest).then(({ id }) => rotation.settled(id))
  const run = power
    ? Promise.race([rotationEnd.catch((error: unknown) => power.unlessCut(error)), power.isCut])
    : rotationEnd
  await run.catch(() => undefined)
}

/** Checks that every tool has a readable, working key and that a new process can resume the rotation. */
async function requireGoodEnd(message: string): Promise<void> {
  expect(await answersToTools(harness), message).toEqual(defaultTools.map(() => 200))
  const { rotation } = harness.open({ sessionAllowed: true })
  const [rotationView] = rotation.list()
  if (rotationView && rotationView.state !== 'done') {
    rotation.resume(rotationView)
    expect((await rotation.settled(rotationView.id)).state, message).toBe('done')
    expect((await keysAtAccount(harness)).map(({ name }) => name)).not.toContain('default-key')
  }
  await requireSound(harness)
}

beforeAll(async () => {
  harness = await openHarness()
  const wholePower = new Power(harness.kept)
  await rotate(wholePower.parts(), wholePower)
  momentCount = wholePower.boundaries.length
  await harness.restart()
  const keychain = stalling(Number.POSITIVE_INFINITY, 0)
  await rotate({ keychain })
  calls = keychain.asked()
})

afterAll(() => harness.close())

it('points no tool at an unreadable key, in 200 kills', async () => {
  expect(momentCount).toBeGreaterThan(20)
  for (let killIndex = 0; killIndex < 200; killIndex += 1) {
    const cutAt = 1 + random(momentCount)
    await harness.restart()
    const power = new Power(harness.kept, cutAt)
    await rotate(power.parts(), power)
    await requireGoodEnd(`killed at ${cutAt} of ${momentCount}`)
  }
})

it('points no tool at an unreadable key, in 50 keychain stalls, each followed by a kill', async () => {
  expect(calls).toBeGreaterThan(5)
  for (let stall = 0; stall < 50; stall += 1) {
    const [from, count] = [random(calls), 1 + random(6)]
    await harness.restart()
    // Keys that were kept in memory only are lost when the next process starts.
    await rotate({ keychain: stalling(from, count) })
    await requireGoodEnd(`${count} stalled calls from ${from} of ${calls}`)
  }
})
