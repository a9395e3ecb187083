import { expect, it, vi } from 'vitest'
import { type Sleep, sleepFor } from '../../../../../src/main/core/net/deadline'
import { askGateway } from '../../../../support/control'
import { type Bench, defaultTools, keyOfTool, startBench } from './bench'

vi.setConfig({ testTimeout: 60_000 })

/** Sends continuous requests for every tool, each with the key currently in the tool's files. */
function hammer(bench: Bench) {
  const answers: { readonly key: string; readonly status: number }[] = []
  let isOver = false
  const underWay = new Set<Promise<void>>()
  const { gatewayUrl } = bench.sandbox.ready
  const clients = defaultTools.map(async (tool) => {
    while (!isOver) {
      const key = keyOfTool(bench, tool)
      const request = askGateway(gatewayUrl, key).then((status) => void answers.push({ key, status }))
      underWay.add(request)
      await request
      underWay.delete(request)
    }
  })
  const end = async () => {
    isOver = true
    await Promise.all(clients)
    return answers
  }
  /** Simulates the two-second wait for tools that have read the old key. Waits until their requests have finished. */
  const drain = async () => void (await Promise.all(underWay))
  return { end, drain, count: () => answers.length }
}

const drainMs = 2_000

it('fails no request of any tool during a rotation, its undo, and a final rotation', async () => {
  const bench = await startBench()
  const hammering = hammer(bench)
  let drained = 0
  const sleep: Sleep = async (ms, signal) => {
    if (ms !== drainMs) return await sleepFor(ms, signal)
    await hammering.drain()
    drained += 1
  }
  const { rotation, plans } = bench.open({ sleep })
  await vi.waitFor(() => expect(hammering.count()).toBeGreaterThan(20))

  const { planId, keyId } = bench
  const first = await rotation.start({ planId, keyId, graceMs: 3_600_000, disableAfterMs: 0 })
  expect((await rotation.settled(first.id)).state).toBe('waiting')
  // The rotation waits for running requests even if they happen to be fast.
  expect(drained).toBe(1)
  await rotation.undo(first)
  expect((await rotation.settled(first.id)).state).toBe('undone')
  expect(drained).toBe(2)
  const second = await rotation.start({ planId, keyId, graceMs: 0, disableAfterMs: 0 })
  expect((await rotation.settled(second.id)).state).toBe('done')
  expect(drained).toBe(3)
  const soFar = hammering.count()
  await vi.waitFor(() => expect(hammering.count()).toBeGreaterThan(soFar + 20))

  const answers = await hammering.end()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(new Set(answers.map(({ key }) => key)).size).toBe(3)
  expect(answers.length).toBeGreaterThan(200)
  expect(plans.list()[0]?.keys.map(({ id }) => id)).not.toContain(keyId)
})
