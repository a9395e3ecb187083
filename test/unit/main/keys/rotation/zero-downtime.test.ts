import { expect, it, vi } from 'vitest'
import { type Sleep, sleepMs } from '../../../../../src/main/core/net/deadline'
import { sendChatRequest } from '../../../../support/control'
import { defaultTools, type Harness, readToolKey, startHarness } from './harness'

vi.setConfig({ testTimeout: 60_000 })

/** Sends continuous requests for every tool, each with the key currently in the tool's files. */
function startRequestLoop(harness: Harness) {
  const answers: { readonly key: string; readonly status: number }[] = []
  let hasEnded = false
  const runningRequests = new Set<Promise<void>>()
  const { gatewayUrl } = harness.sandbox.ready
  const clients = defaultTools.map(async (tool) => {
    while (!hasEnded) {
      const key = readToolKey(harness, tool)
      const request = sendChatRequest(gatewayUrl, key).then((status) => void answers.push({ key, status }))
      runningRequests.add(request)
      await request
      runningRequests.delete(request)
    }
  })
  const endRequests = async () => {
    hasEnded = true
    await Promise.all(clients)
    return answers
  }
  /**
   * Replaces the wait of two seconds for tools that use the old key. Waits until their running requests have finished.
   */
  const waitForRequests = async () => void (await Promise.all(runningRequests))
  return { end: endRequests, drain: waitForRequests, count: () => answers.length }
}

const drainDelayMs = 2_000

it('fails no request of any tool during a rotation, its undo, and a final rotation', async () => {
  const harness = await startHarness()
  const requestLoop = startRequestLoop(harness)
  let drainedRequestCount = 0
  const sleep: Sleep = async (ms, signal) => {
    if (ms !== drainDelayMs) return await sleepMs(ms, signal)
    await requestLoop.drain()
    drainedRequestCount += 1
  }
  const computer = harness.open({ sleep })
  await vi.waitFor(() => expect(requestLoop.count()).toBeGreaterThan(20))

  const firstRotation = await computer.rotate({ graceMs: 3_600_000 })
  expect(firstRotation.state).toBe('waiting')
  // The rotation always waits for running requests once, even if there are none.
  expect(drainedRequestCount).toBe(1)
  expect((await computer.undo(firstRotation.id)).state).toBe('undone')
  expect(drainedRequestCount).toBe(2)
  expect((await computer.rotate()).state).toBe('done')
  expect(drainedRequestCount).toBe(3)
  const countBefore = requestLoop.count()
  await vi.waitFor(() => expect(requestLoop.count()).toBeGreaterThan(countBefore + 20))

  const answers = await requestLoop.end()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(new Set(answers.map(({ key }) => key)).size).toBe(3)
  expect(answers.length).toBeGreaterThan(200)
  expect(computer.plans.list()[0]?.keys.map(({ id }) => id)).not.toContain(harness.keyId)
})
