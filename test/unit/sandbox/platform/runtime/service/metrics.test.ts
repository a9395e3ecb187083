import { expect, test } from 'vitest'
import { type Harness, startHarness } from '../../../support'
import { makeEndpoint, makeRuntime, runtimesPath } from '../support'

interface Point {
  readonly at: string
  readonly value: number
}

const hourMs = 3_600_000

async function startWithEndpoint() {
  const harness = await startHarness()
  const { id } = await makeRuntime(harness)
  const endpoint = await makeEndpoint(harness, id)
  return { harness, id, path: `${runtimesPath}/${id}/endpoints/${endpoint.id}/metrics` }
}

const readMetrics = async (
  harness: Harness,
  path: string,
): Promise<{ cpu: readonly Point[]; memory: readonly Point[] }> => {
  const { status, body } = await harness.api('GET', path)
  if (status !== 200) throw new Error(`no metrics: ${status}`)
  return body
}

test('the metrics of an endpoint have a point per minute for the last hour, in percent', async () => {
  const { harness, path } = await startWithEndpoint()
  await harness.control('clock', { advanceMs: 2 * hourMs })
  const { cpu, memory } = await readMetrics(harness, path)
  const nowMs = Date.parse((await harness.state()).clock)
  for (const points of [cpu, memory]) {
    const timesMs = points.map(({ at }) => Date.parse(at))
    expect(timesMs.length).toBe(60)
    expect(timesMs.slice(1).every((time, index) => time - (timesMs[index] ?? 0) === 60_000)).toBe(true)
    expect((timesMs.at(-1) ?? 0) <= nowMs && (timesMs.at(-1) ?? 0) > nowMs - 61_000).toBe(true)
    expect(points.every(({ value }) => value >= 0 && value <= 100)).toBe(true)
  }
  expect(cpu.map(({ at }) => at)).toEqual(memory.map(({ at }) => at))
})
