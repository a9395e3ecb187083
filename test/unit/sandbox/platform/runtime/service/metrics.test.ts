import { describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../support'
import { all, makeEndpoint, makeRuntime } from '../support'

interface Point {
  readonly at: string
  readonly value: number
}

const hourMs = 3_600_000

async function withEndpoint() {
  const bench = await startBench()
  const { id } = await makeRuntime(bench)
  const endpoint = await makeEndpoint(bench, id)
  return { bench, id, path: `${all}/${id}/endpoints/${endpoint.id}/metrics` }
}

const read = async (bench: Bench, path: string): Promise<{ cpu: readonly Point[]; memory: readonly Point[] }> => {
  const { status, body } = await bench.api('GET', path)
  if (status !== 200) throw new Error(`no metrics: ${status}`)
  return body
}

const steps = (points: readonly Point[]) =>
  points.slice(1).map(({ value }, index) => Math.abs(value - (points[index]?.value ?? 0)))

describe('the metrics of an endpoint', () => {
  test('have a point per minute for the last hour, in percent', async () => {
    const { bench, path } = await withEndpoint()
    await bench.control('clock', { advanceMs: 2 * hourMs })
    const { cpu, memory } = await read(bench, path)
    const nowMs = Date.parse((await bench.state()).clock)
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
    const { bench, path } = await withEndpoint()
    expect((await read(bench, path)).cpu.length).toBeLessThanOrEqual(2)
    await bench.control('clock', { advanceMs: 10 * 60_000 })
    expect([11, 12]).toContain((await read(bench, path)).cpu.length)
  })

  test('vary smoothly, memory within some hours, and each endpoint differs', async () => {
    const { bench, id, path } = await withEndpoint()
    await bench.control('clock', { advanceMs: hourMs })
    const day: { cpu: readonly Point[]; memory: readonly Point[] }[] = []
    for (let hour = 0; hour < 24; hour += 1) {
      day.push(await read(bench, path))
      await bench.control('clock', { advanceMs: hourMs })
    }
    for (const { cpu, memory } of day) {
      expect(Math.max(...steps(cpu))).toBeLessThan(3)
      expect(Math.max(...steps(memory))).toBeLessThan(2)
    }
    const memory = day.flatMap((hour) => hour.memory.map(({ value }) => value))
    expect(Math.max(...memory) - Math.min(...memory)).toBeGreaterThan(15)
    const rising = memory.filter((value, index) => value > (memory[index - 1] ?? value)).length / memory.length
    expect([rising > 0.3, rising < 0.9]).toEqual([true, true])
    const otherEndpoint = await makeEndpoint(bench, id, { name: 'other' })
    await bench.control('clock', { advanceMs: hourMs })
    const values = ({ cpu }: { cpu: readonly Point[] }) => cpu.map(({ value }) => value)
    const otherMetrics = await read(bench, `${all}/${id}/endpoints/${otherEndpoint.id}/metrics`)
    expect(values(otherMetrics)).not.toEqual(values(await read(bench, path)))
  })

  test('follow the day, with higher values in the Vietnamese afternoon than at night', async () => {
    const { bench, path } = await withEndpoint()
    const nowMs = Date.parse((await bench.state()).clock)
    const untilUtcHour = (hour: number) => 24 * hourMs - ((nowMs - hour * hourMs) % (24 * hourMs))
    const mean = (points: readonly Point[]) => points.reduce((sum, { value }) => sum + value, 0) / points.length
    const [first, next] = [9, 21].toSorted((a, b) => untilUtcHour(a) - untilUtcHour(b))
    await bench.control('clock', { advanceMs: untilUtcHour(first ?? 0) + 24 * hourMs })
    const one = mean((await read(bench, path)).cpu)
    await bench.control('clock', { advanceMs: untilUtcHour(next ?? 0) - untilUtcHour(first ?? 0) })
    const otherEndpoint = mean((await read(bench, path)).cpu)
    const [afternoon, night] = first === 9 ? [one, otherEndpoint] : [otherEndpoint, one]
    expect(afternoon - night).toBeGreaterThan(15)
  })

  test('are deterministic by minute', async () => {
    const { bench, path } = await withEndpoint()
    await bench.control('clock', { advanceMs: 2 * hourMs })
    const before = await read(bench, path)
    await bench.control('clock', { advanceMs: 20 * 60_000 })
    const after = await read(bench, path)
    const known = new Map(before.cpu.map(({ at, value }) => [at, value]))
    const shared = after.cpu.filter(({ at }) => known.has(at))
    expect(shared.length).toBeGreaterThanOrEqual(39)
    expect(shared.map(({ value }) => value)).toEqual(shared.map(({ at }) => known.get(at)))
  })
})
