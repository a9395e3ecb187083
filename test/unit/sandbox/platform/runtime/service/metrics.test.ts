import { describe, expect, test } from 'vitest'
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

const steps = (points: readonly Point[]) =>
  points.slice(1).map(({ value }, index) => Math.abs(value - (points[index]?.value ?? 0)))

describe('the metrics of an endpoint', () => {
  test('have a point per minute for the last hour, in percent', async () => {
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

  test('start with the endpoint', async () => {
    const { harness, path } = await startWithEndpoint()
    expect((await readMetrics(harness, path)).cpu.length).toBeLessThanOrEqual(2)
    await harness.control('clock', { advanceMs: 10 * 60_000 })
    expect([11, 12]).toContain((await readMetrics(harness, path)).cpu.length)
  })

  test('vary smoothly, memory within some hours, and each endpoint differs', async () => {
    const { harness, id, path } = await startWithEndpoint()
    await harness.control('clock', { advanceMs: hourMs })
    const day: { cpu: readonly Point[]; memory: readonly Point[] }[] = []
    for (let hour = 0; hour < 24; hour += 1) {
      day.push(await readMetrics(harness, path))
      await harness.control('clock', { advanceMs: hourMs })
    }
    for (const { cpu, memory } of day) {
      expect(Math.max(...steps(cpu))).toBeLessThan(3)
      expect(Math.max(...steps(memory))).toBeLessThan(2)
    }
    const memory = day.flatMap((hour) => hour.memory.map(({ value }) => value))
    expect(Math.max(...memory) - Math.min(...memory)).toBeGreaterThan(15)
    const risingShare = memory.filter((value, index) => value > (memory[index - 1] ?? value)).length / memory.length
    expect([risingShare > 0.3, risingShare < 0.9]).toEqual([true, true])
    const otherEndpoint = await makeEndpoint(harness, id, { name: 'other' })
    await harness.control('clock', { advanceMs: hourMs })
    const values = ({ cpu }: { cpu: readonly Point[] }) => cpu.map(({ value }) => value)
    const otherMetrics = await readMetrics(harness, `${runtimesPath}/${id}/endpoints/${otherEndpoint.id}/metrics`)
    expect(values(otherMetrics)).not.toEqual(values(await readMetrics(harness, path)))
  })

  test('follow the day, with higher values in the Vietnamese afternoon than at night', async () => {
    const { harness, path } = await startWithEndpoint()
    const nowMs = Date.parse((await harness.state()).clock)
    const getMsToUtcHour = (hour: number) => 24 * hourMs - ((nowMs - hour * hourMs) % (24 * hourMs))
    const getMean = (points: readonly Point[]) => points.reduce((sum, { value }) => sum + value, 0) / points.length
    const [firstHour, nextHour] = [9, 21].toSorted((a, b) => getMsToUtcHour(a) - getMsToUtcHour(b))
    await harness.control('clock', { advanceMs: getMsToUtcHour(firstHour ?? 0) + 24 * hourMs })
    const meanCpu = getMean((await readMetrics(harness, path)).cpu)
    await harness.control('clock', { advanceMs: getMsToUtcHour(nextHour ?? 0) - getMsToUtcHour(firstHour ?? 0) })
    const otherEndpoint = getMean((await readMetrics(harness, path)).cpu)
    const [afternoon, night] = firstHour === 9 ? [meanCpu, otherEndpoint] : [otherEndpoint, meanCpu]
    expect(afternoon - night).toBeGreaterThan(15)
  })

  test('are deterministic by minute', async () => {
    const { harness, path } = await startWithEndpoint()
    await harness.control('clock', { advanceMs: 2 * hourMs })
    const metricsBefore = await readMetrics(harness, path)
    await harness.control('clock', { advanceMs: 20 * 60_000 })
    const metricsAfter = await readMetrics(harness, path)
    const valuesByTime = new Map(metricsBefore.cpu.map(({ at, value }) => [at, value]))
    const sharedPoints = metricsAfter.cpu.filter(({ at }) => valuesByTime.has(at))
    expect(sharedPoints.length).toBeGreaterThanOrEqual(39)
    expect(sharedPoints.map(({ value }) => value)).toEqual(sharedPoints.map(({ at }) => valuesByTime.get(at)))
  })
})
