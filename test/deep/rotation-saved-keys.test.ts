import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Keychain, KeychainStalled } from '../../src/main/core/vault/keychain'
import { seed } from '../support/depth'
import {
  answersToTools,
  type Bench,
  defaultTools,
  keysAtAccount,
  openBench,
  requireSound,
} from '../unit/main/keys/rotation/bench'
import { Power } from '../unit/main/keys/rotation/power'

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 })

let bench: Bench
/** Kill points of a whole rotation, and its keychain calls. */
let moments = 0
let calls = 0

/** Park and Miller's generator, for reproducible kills. */
let state = seed
function random(below: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}

/** A keychain that does not respond to `count` calls from the `from`th on. */
function stalling(from: number, count: number): Keychain & { readonly asked: () => number } {
  const { keychain } = bench.kept
  let asked = 0
  const answer = <T>(work: () => Promise<T>): Promise<T> => {
    asked += 1
    const isStalled = asked > from && asked <= from + count
    return isStalled ? Promise.reject(new KeychainStalled('The keychain did not answer', 'Sign in again.')) : work()
  }
  return {
    get: (account) => answer(() => keychain.get(account)),
    set: (account, secret) => answer(() => keychain.set(account, secret)),
    remove: (account) => answer(() => keychain.remove(account)),
    asked: () => asked,
  }
}

async function rotate(parts: Parameters<Bench['open']>[0], power?: Power): Promise<void> {
  const { rotation } = bench.open({ sessionAllowed: true, ...parts })
  const wish = { planId: bench.planId, keyId: bench.keyId, graceMs: 0, disableAfterMs: 0 }
  const ended = rotation.start(wish).then(({ id }) => rotation.settled(id))
  const run = power ? Promise.race([ended.catch((error: unknown) => power.unlessCut(error)), power.isCut]) : ended
  await run.catch(() => undefined)
}

/** Every tool has a readable, working key, and the resumed rotation succeeds in a new process. */
async function requireGoodEnd(what: string): Promise<void> {
  expect(await answersToTools(bench), what).toEqual(defaultTools.map(() => 200))
  const { rotation } = bench.open({ sessionAllowed: true })
  const [found] = rotation.list()
  if (found && found.state !== 'done') {
    rotation.resume(found)
    expect((await rotation.settled(found.id)).state, what).toBe('done')
    expect((await keysAtAccount(bench)).map(({ name }) => name)).not.toContain('default-key')
  }
  await requireSound(bench)
}

beforeAll(async () => {
  bench = await openBench()
  const whole = new Power(bench.kept)
  await rotate(whole.parts(), whole)
  moments = whole.boundaries.length
  await bench.restart()
  const keychain = stalling(Number.POSITIVE_INFINITY, 0)
  await rotate({ keychain })
  calls = keychain.asked()
})

afterAll(() => bench.close())

it('points no tool at an unreadable key, in 200 kills', async () => {
  expect(moments).toBeGreaterThan(20)
  for (let kill = 0; kill < 200; kill += 1) {
    const cut = 1 + random(moments)
    await bench.restart()
    const power = new Power(bench.kept, cut)
    await rotate(power.parts(), power)
    await requireGoodEnd(`killed at ${cut} of ${moments}`)
  }
})

it('points no tool at an unreadable key, in 50 keychain stalls, each followed by a kill', async () => {
  expect(calls).toBeGreaterThan(5)
  for (let stall = 0; stall < 50; stall += 1) {
    const [from, count] = [random(calls), 1 + random(6)]
    await bench.restart()
    // Session keys of this process are lost when the next one opens.
    await rotate({ keychain: stalling(from, count) })
    await requireGoodEnd(`${count} stalled calls from ${from} of ${calls}`)
  }
})
