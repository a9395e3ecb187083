import { describe, expect, test } from 'vitest'
import { type Harness, startHarness } from '../../../support'
import { makeEndpoint, makeRuntime, runtimesPath } from '../support'

interface Point {
  readonly at: string
  readonly value: number
}

const hourMs = 3_600_000

async function withEndpoint() {
  const harness = await startHarness()
  const { id } = await makeRuntime(harness)
  const endpoint = await makeEndpoint(harness, id)
  return { harness, id, path: `${runtimesPath}/${id}/endpoints/${endpoint.id}/metrics` }
}

const read = async (harness: Harness, path: string): Promise<{ cpu: readonly Point[]; memory: readonly Point[] }> => {
  const { status, body } = await harness.api('GET', path)
  if (status !== 200) throw new Error(`no metrics: ${status}`)
  return body
}

const steps = (points: readonly Point[]) =>
  points.slice(1).map(({ value }, index) => Math.abs(value - (points[index]?.value ?? 0)))

describe('the metrics of an endpoint', () => {
  test('have a point per minute for the last hour, in percent', async () => {
    const { harness, path } = await withEndpoint()
    await harness.control('clock', { advanceMs: 2 * hourMs })
    const { cpu, memory } = await read(harness, path)
    const nowMs = Date.parse((await harness.state()).clock)
    for (const points of [cpu, memory]) {
      const times = points.map(({ at }) => Date.parse(at))
      expect(times.length).toBe(60)
      expect(times.slice(1).every((time, index) => time - (times[index] ?? 0) === 60_000)).toBe(true)
      expect((times.at(-1) ?? 0) <= nowMs && (times.at(-1) ?? 0) > nowMs - 61_000).toBe(true)
      expect(points.every(({ value }) => value >= 0 && value <= 100)).toBe(true)
    }
    expect(cpu.map(({ at }) => at)).toEqual(memory.map(({ at }) => at))
  })

  test('start with the endpoint', async () => {
    const { harness, path } = await withEndpoint()
    expect((await read(harness, path)).cpu.length).toBeLessThanOrEqual(2)
    await harness.control('clock', { advanceMs: 10 * 60_000 })
    expect([11, 12]).toContain((await read(harness, path)).cpu.length)
  })

  test('vary smoothly, memory within some hours, and each endpoint differs', async () => {
    const { harness, id, path } = await withEndpoint()
    await harness.control('clock', { advanceMs: hourMs })
    const day: { cpu: readonly Point[]; memory: readonly Point[] }[] = []
    for (let hour = 0; hour < 24; hour += 1) {
      day.push(await read(harness, path))
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
    const otherMetrics = await read(harness, `${runtimesPath}/${id}/endpoints/${otherEndpoint.id}/metrics`)
    expect(values(otherMetrics)).not.toEqual(values(await read(harness, path)))
  })

  test('follow the day, with higher values in the Vietnamese afternoon than at night', async () => {
    const { harness, path } = await withEndpoint()
    const nowMs = Date.parse((await harness.state()).clock)
    const getMsToUtcHour = (hour: number) => 24 * hourMs - ((nowMs - hour * hourMs) % (24 * hourMs))
    const mean = (points: readonly Point[]) => points.reduce((sum, { value }) => sum + value, 0) / points.length
    const [first, next] = [9, 21].toSorted((a, b) => getMsToUtcHour(a) - getMsToUtcHour(b))
    await harness.control('clock', { advanceMs: getMsToUtcHour(first ?? 0) + 24 * hourMs })
    const meanCpu = mean((await read(harness, path)).cpu)
    await harness.control('clock', { advanceMs: getMsToUtcHour(next ?? 0) - getMsToUtcHour(first ?? 0) })
    const otherEndpoint = mean((await read(harness, path)).cpu)
    const [afternoon, night] = first === 9 ? [meanCpu, otherEndpoint] : [otherEndpoint, meanCpu]
    expect(afternoon - night).toBeGreaterThan(15)
  })

  test('are deterministic by minute', async () => {
    const { harness, path } = await withEndpoint()
    await harness.control('clock', { advanceMs: 2 * hourMs })
    const metricsBefore = await read(harness, path)
    await harness.control('clock', { advanceMs: 20 * 60_000 })
    const metricsAfter = await read(harness, path)
    const valuesByTime = new Map(metricsBefore.cpu.map(({ at, value }) => [at, value]))
    const sharedPoints = metricsAfter.cpu.filter(({ at }) => valuesByTime.has(at))
    expect(sharedPoints.length).toBeGreaterThanOrEqual(39)
    expect(sharedPoints.map(({ value }) => value)).toEqual(sharedPoints.map(({ at }) => valuesByTime.get(at)))
  })
})
