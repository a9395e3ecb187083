import { expect, it, vi } from 'vitest'
import { sleepFor } from '../../../../src/main/platform/deadline'
import { askGateway } from '../../../support/control'
import { type Bench, keyOfTool, startBench, usualTools } from './bench'

vi.setConfig({ testTimeout: 60_000 })

/** Sends request after request for every tool, each with the key that the tool's own files give at that moment. */
function hammer(bench: Bench) {
  const answers: { readonly key: string; readonly status: number }[] = []
  let isOver = false
  const { gatewayUrl } = bench.sandbox.ready
  const clients = usualTools.map(async (tool) => {
    while (!isOver) {
      const key = keyOfTool(bench, tool)
      answers.push({ key, status: await askGateway(gatewayUrl, key) })
    }
  })
  const end = async () => {
    isOver = true
    await Promise.all(clients)
    return answers
  }
  return { end, count: () => answers.length }
}

it('fails not one request of any tool while its key is rotated, rotated back, and rotated for good', async () => {
  const bench = await startBench()
  const { rotation, plans } = bench.open({ sleep: sleepFor })
  const hammering = hammer(bench)
  await vi.waitFor(() => expect(hammering.count()).toBeGreaterThan(20))

  const { planId, keyId } = bench
  const first = await rotation.start({ planId, keyId, graceMs: 3_600_000 })
  expect((await rotation.settled(first.id)).state).toBe('waiting')
  await rotation.undo(first)
  expect((await rotation.settled(first.id)).state).toBe('undone')
  const second = await rotation.start({ planId, keyId, graceMs: 0 })
  expect((await rotation.settled(second.id)).state).toBe('done')
  const soFar = hammering.count()
  await vi.waitFor(() => expect(hammering.count()).toBeGreaterThan(soFar + 20))

  const answers = await hammering.end()
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(new Set(answers.map(({ key }) => key)).size).toBe(3)
  expect(answers.length).toBeGreaterThan(200)
  expect(plans.list()[0]?.keys.map(({ id }) => id)).not.toContain(keyId)
})
