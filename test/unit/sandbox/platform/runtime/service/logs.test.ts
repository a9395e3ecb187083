import { describe, expect, test } from 'vitest'
import { type Bench, startBench } from '../../../support'
import { all, makeEndpoint, makeRuntime } from '../support'

interface Line {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly replica: number
}

const hourMs = 3_600_000

async function aged(ageMs: number) {
  const bench = await startBench()
  const runtime = await makeRuntime(bench, { replicas: 3 })
  await bench.control('clock', { advanceMs: ageMs })
  return { bench, runtime, path: `${all}/${runtime.id}/logs` }
}

const read = async (bench: Bench, path: string, body: object = {}) => {
  const answer = await bench.api('POST', path, { body })
  if (answer.status !== 200) throw new Error(`no log: ${answer.status}`)
  const { from, limit, total }: Record<string, number> = answer.body
  const lines: readonly Line[] = answer.body.lines
  const times = lines.map(({ timestamp }) => Date.parse(timestamp))
  return { from: from ?? Number.NaN, limit, total: total ?? Number.NaN, lines, times }
}

/** Repeats an action until no log line was written in parallel. */
async function whileQuiet<Result>(bench: Bench, path: string, act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const before = (await read(bench, path)).total
    const result = await act()
    if ((await read(bench, path)).total === before) return result
  }
}

describe('the log of a runtime', () => {
  test('has a line every 5 to 10 seconds after its first four, newest first, up to now', async () => {
    const { bench, runtime, path } = await aged(hourMs)
    const { lines, times, total, from, limit } = await read(bench, path, { limit: 1000 })
    expect([from, limit, lines.length]).toEqual([0, 1000, total])
    expect(total).toBeGreaterThan(450)
    expect(total).toBeLessThan(500)
    const gaps = times.slice(1).map((time, index) => (times[index] ?? 0) - time)
    expect(gaps.slice(0, -4).every((gap) => gap > 5_000 && gap < 10_000)).toBe(true)
    expect(times.at(-1)).toBe(Date.parse(runtime.createdAt))
    const nowMs = Date.parse((await bench.state()).clock)
    expect((times[0] ?? 0) <= nowMs && (times[0] ?? 0) > nowMs - 10_500).toBe(true)
    for (const line of lines) {
      expect(line).toEqual({
        timestamp: expect.stringMatching(/Z$/),
        level: expect.stringMatching(/^(DEBUG|INFO|WARN|ERROR)$/),
        message: expect.stringMatching(/\S/),
        replica: expect.any(Number),
      })
    }
  })

  test('starts with the start of the version', async () => {
    const { bench, path } = await aged(hourMs)
    const { lines } = await read(bench, path, { limit: 1000 })
    expect(lines.slice(-4).map(({ message }) => message)).toEqual([
      'GET /health 200 2 ms, version is in service',
      'listening on 0.0.0.0:8080',
      'starting version 1 with 3 replicas on flavor-small',
      'pulled image agents/helper:1.0.0',
    ])
  })

  test('looks realistic: requests with status and time, health checks, tools, memory, warnings, rare errors with a traceback', async () => {
    const { bench, path } = await aged(24 * hourMs)
    const parts = await Promise.all(
      [0, 1000, 2000, 3000, 4000, 5000].map((from) => read(bench, path, { from, limit: 1000 })),
    )
    const lines = parts.flatMap((part) => part.lines)
    const share = (fits: (line: Line) => boolean) => lines.filter(fits).length / lines.length
    const says = (pattern: RegExp) => share(({ message }) => pattern.test(message))
    expect(says(/^POST \/invocations 200 \d+ ms/)).toBeGreaterThan(0.2)
    expect(says(/^GET \/health 200 \d+ ms/)).toBeGreaterThan(0.2)
    expect(says(/^tool \w+ answered in \d+ ms/)).toBeGreaterThan(0.05)
    expect(says(/^memory: \d+ records read/)).toBeGreaterThan(0.05)
    const warnings = share(({ level }) => level === 'WARN')
    expect([warnings > 0.005, warnings < 0.1]).toEqual([true, true])
    const errors = lines.filter(({ level }) => level === 'ERROR')
    expect(errors.length).toBeGreaterThan(5)
    expect(errors.length).toBeLessThan(lines.length * 0.03)
    expect(errors.every(({ message }) => message.includes('\nTraceback (most recent call last):\n'))).toBe(true)
    expect(new Set(lines.map(({ replica }) => replica))).toEqual(new Set([1, 2, 3]))
  })

  test('is deterministic by time, with new lines as the clock runs', async () => {
    const { bench, path } = await aged(hourMs)
    const before = await read(bench, path, { limit: 1000 })
    await bench.control('clock', { advanceMs: 60_000 })
    const after = await read(bench, path, { limit: 1000 })
    const fresh = after.total - before.total
    expect([fresh >= 6, fresh <= 10]).toEqual([true, true])
    expect(after.lines.slice(fresh)).toEqual(before.lines)
  })

  test('differs for each runtime', async () => {
    const { bench, path } = await aged(hourMs)
    const otherRuntime = await makeRuntime(bench, { replicas: 3 })
    await bench.control('clock', { advanceMs: hourMs })
    const messages = async (where: string) => (await read(bench, where)).lines.map(({ message }) => message)
    expect(await messages(`${all}/${otherRuntime.id}/logs`)).not.toEqual(await messages(path))
  })

  test('continues with the lines of the version active at each time', async () => {
    const { bench, runtime, path } = await aged(hourMs)
    const first = await read(bench, path, { limit: 1000 })
    const { body } = await bench.api('PATCH', `${all}/${runtime.id}`, { body: { image: 'agents/helper:2.0.0' } })
    await bench.control('clock', { advanceMs: hourMs })
    const [both, across] = await whileQuiet(bench, path, async () => {
      const whole = await read(bench, path, { limit: 1000 })
      return [whole, await read(bench, path, { from: whole.total - first.total - 3, limit: 6 })]
    })
    const changedMs = Date.parse(body.updatedAt)
    const older = both.lines.filter(({ timestamp }) => Date.parse(timestamp) < changedMs)
    expect(older.slice(-first.lines.length)).toEqual(first.lines)
    expect(both.times).toEqual(both.times.toSorted((a, b) => b - a))
    expect(both.lines.map(({ message }) => message)).toContain('pulled image agents/helper:2.0.0')
    expect(across.lines).toEqual(both.lines.slice(across.from, across.from + 6))
  })
})

describe('the range of a log', () => {
  test('is counted backwards from the newest line, and consecutive ranges have no gap', async () => {
    const { bench, path } = await aged(hourMs)
    const [whole, defaults, ...parts] = await whileQuiet(bench, path, () =>
      Promise.all(
        [{ limit: 300 }, {}, { limit: 100 }, { from: 100, limit: 200 }].map((range) => read(bench, path, range)),
      ),
    )
    expect(parts.flatMap(({ lines }) => lines)).toEqual(whole?.lines)
    expect(defaults).toMatchObject({ from: 0, limit: 100, lines: whole?.lines.slice(0, 100) })
  })

  test('beyond the oldest line is empty', async () => {
    const { bench, path } = await aged(0)
    expect(await read(bench, path, { from: 5000, limit: 1000 })).toMatchObject({ from: 5000, limit: 1000, lines: [] })
  })

  test.each([
    { from: 0 },
    { from: 1 },
    { from: 5000 },
    { limit: 1 },
    { limit: 1000 },
    { from: 5000, limit: 1000 },
    { order: 'x' },
  ])('%j is accepted', async (range) => {
    const { bench, path, runtime } = await aged(24 * hourMs)
    const endpoint = await makeEndpoint(bench, runtime.id)
    const own = `${all}/${runtime.id}/endpoints/${endpoint.id}/logs`
    const [whole, ofEndpoint] = await whileQuiet(bench, path, () =>
      Promise.all([path, own].map((where) => read(bench, where, range))),
    )
    expect(whole?.lines.length).toBe('limit' in range ? range.limit : 100)
    expect(ofEndpoint?.lines).toEqual(whole?.lines)
  })

  const bad: readonly (readonly [object, string])[] = [
    [{ from: -1 }, 'from: must be a whole number from 0 to 5000'],
    [{ from: 5001 }, 'from: must be a whole number from 0 to 5000'],
    [{ from: 0.5 }, 'from'],
    [{ from: '0' }, 'from'],
    [{ from: null }, 'from'],
    [{ limit: 0 }, 'limit: must be a whole number from 1 to 1000'],
    [{ limit: 1001 }, 'limit: must be a whole number from 1 to 1000'],
    [{ limit: -1 }, 'limit'],
    [{ limit: '10' }, 'limit'],
    [[], 'must be an object'],
  ]
  test.each(bad)('%j is refused', async (range, says) => {
    const { bench, path, runtime } = await aged(0)
    const endpoint = await makeEndpoint(bench, runtime.id)
    for (const where of [path, `${all}/${runtime.id}/endpoints/${endpoint.id}/logs`]) {
      const { status, body } = await bench.api('POST', where, { body: range })
      expect([status, body]).toEqual([400, { code: 'INVALID_INPUT', message: expect.stringContaining(says) }])
    }
  })
})

test('the log of an endpoint is that of its version', async () => {
  const { bench, runtime, path } = await aged(hourMs)
  await bench.api('PATCH', `${all}/${runtime.id}`, { body: { replicas: 1, image: 'agents/helper:2.0.0' } })
  const endpoint = await makeEndpoint(bench, runtime.id, { name: 'production', version: 1 })
  await bench.control('clock', { advanceMs: hourMs })
  const own = `${all}/${runtime.id}/endpoints/${endpoint.id}`
  const older = await read(bench, `${own}/logs`, { limit: 1000 })
  expect(older.lines.at(-1)?.message).toBe('pulled image agents/helper:1.0.0')
  expect((older.times[0] ?? 0) - (older.times.at(-1) ?? 0)).toBeGreaterThan(2 * hourMs - 60_000)
  await bench.api('PATCH', `${own}?version=2`)
  const [newer, whole] = await whileQuiet(bench, path, () =>
    Promise.all([`${own}/logs`, path].map((where) => read(bench, where, { limit: 400 }))),
  )
  expect(newer?.lines).toEqual(whole?.lines)
  const oldest = await read(bench, `${own}/logs`, { from: (newer?.total ?? 0) - 1 })
  expect(oldest.lines.at(-1)?.message).toBe('pulled image agents/helper:2.0.0')
})
