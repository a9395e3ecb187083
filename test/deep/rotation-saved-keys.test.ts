import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Keychain, KeychainStalled } from '../../src/main/core/vault/keychain'
import { seed } from '../support/depth'
import { defaultTools, Harness } from '../unit/main/keys/rotation/harness'
import { PowerCut } from '../unit/main/keys/rotation/power'

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 })

let harness: Harness
/** Numbers of possible kill points and of keychain calls in a complete rotation. */
let momentCount = 0
let calls = 0

/** Park and Miller's generator, for reproducible kills. */
let state = seed
function randomBelow(below: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}

/** A keychain that does not respond to `count` calls from the `from`th on. */
function createStallingKeychain(from: number, count: number): Keychain & { readonly asked: () => number } {
  const { keychain } = harness.kept
  let requestCount = 0
  const answer = <T>(work: () => Promise<T>): Promise<T> => {
    requestCount += 1
    const isInStalledRange = requestCount > from && requestCount <= from + count
    return isInStalledRange
      ? Promise.reject(new KeychainStalled('The keychain did not answer', 'Sign in again.'))
      : work()
  }
  return {
    get: (account) => answer(() => keychain.get(account)),
    set: (account, secret) => answer(() => keychain.set(account, secret)),
    remove: (account) => answer(() => keychain.remove(account)),
    asked: () => requestCount,
  }
}

async function rotate(parts: Parameters<Harness['open']>[0], power?: PowerCut): Promise<void> {
  const work = harness.open({ sessionAllowed: true, ...parts }).rotate()
  await (power ? power.run(work) : work).catch(() => undefined)
}

/** Checks that every tool has a readable, working key and that a new process can resume the rotation. */
async function requireFinishedRotation(message: string): Promise<void> {
  expect(await harness.sendToolRequests(), message).toEqual(defaultTools.map(() => 200))
  const { rotation } = harness.open({ sessionAllowed: true })
  const [rotationView] = rotation.list()
  if (rotationView && rotationView.state !== 'done') {
    rotation.resume(rotationView)
    expect((await rotation.settled(rotationView.id)).state, message).toBe('done')
    expect((await harness.listKeys()).map(({ name }) => name)).not.toContain('default-key')
  }
  await harness.requireConsistentState()
}

beforeAll(async () => {
  harness = await Harness.start()
  const uncutPower = new PowerCut(harness.kept)
  await rotate(uncutPower.parts(), uncutPower)
  momentCount = uncutPower.boundaries.length
  await harness.restart()
  const keychain = createStallingKeychain(Number.POSITIVE_INFINITY, 0)
  await rotate({ keychain })
  calls = keychain.asked()
})

afterAll(() => harness.close())

it('points no tool at an unreadable key, in 200 kills', async () => {
  expect(momentCount).toBeGreaterThan(20)
  for (let killIndex = 0; killIndex < 200; killIndex += 1) {
    const killMoment = 1 + randomBelow(momentCount)
    await harness.restart()
    const powerCut = new PowerCut(harness.kept, killMoment)
    await rotate(powerCut.parts(), powerCut)
    await requireFinishedRotation(`killed at ${killMoment} of ${momentCount}`)
  }
})

it('points no tool at an unreadable key, in 50 keychain stalls, each followed by a kill', async () => {
  expect(calls).toBeGreaterThan(5)
  for (let stallIndex = 0; stallIndex < 50; stallIndex += 1) {
    const [from, count] = [randomBelow(calls), 1 + randomBelow(6)]
    await harness.restart()
    // Keys that were kept in memory only are lost when the next process starts.
    await rotate({ keychain: createStallingKeychain(from, count) })
    await requireFinishedRotation(`${count} stalled calls from ${from} of ${calls}`)
  }
})
