import { describe, expect } from 'vitest'
import {
  buildRuntimeInput,
  type Harness,
  makeEndpoint,
  makeRuntime,
  runtimesPath,
  startHarness,
  test,
} from '../support'

const hourMs = 3_600_000
const anyTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('creating a runtime', () => {
  test('returns all fields and those of the server, without secrets', async ({ harness }) => {
    const extraFields = { team: { name: 'sales' }, tags: ['a', 'b'], note: null }
    const runtimeInput = buildRuntimeInput({ description: 'Helps', environment: { LOG_LEVEL: 'info' }, ...extraFields })
    const body = await makeRuntime(harness, runtimeInput)
    expect(body).toEqual({
      ...runtimeInput,
      id: expect.any(String),
      status: 'CREATING',
      version: 1,
      clientId: `service-account-${body.id}`,
      createdAt: anyTimestamp,
      updatedAt: body.createdAt,
    })
    expect((await harness.api('GET', `${runtimesPath}/${body.id}`)).body).toEqual(body)
  })

  test('is CREATING until its time has passed to the millisecond, then ACTIVE', async () => {
    const harness = await startHarness({ timing: { asyncMs: 3_600_000 } })
    const { id } = await makeRuntime(harness)
    const getStatusAfter = async (advanceMs: number) => {
      await harness.control('clock', { advanceMs })
      return (await harness.api('GET', `${runtimesPath}/${id}`)).body.status
    }
    expect(await getStatusAfter(3_600_000 - 60_000)).toBe('CREATING')
    expect(await getStatusAfter(60_000)).toBe('ACTIVE')
    expect((await harness.api('GET', runtimesPath)).body.listData[0].status).toBe('ACTIVE')
  })
})

describe('updating a runtime', () => {
  test('creates the next version from the newest with the changed fields', async ({ harness }) => {
    const { id, createdAt } = await makeRuntime(harness, { environment: { A: '1', B: '2' }, team: 'sales' })
    await harness.control('clock', { advanceMs: 60_000 })
    const change = { replicas: 5, environment: { C: '3' } }
    const second = await harness.api('PATCH', `${runtimesPath}/${id}`, { body: change })
    expect(second.body).toMatchObject({ ...change, version: 2, team: 'sales', createdAt })
    expect(second.body.updatedAt > createdAt).toBe(true)
    await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { image: 'agents/helper:2.0.0', owner: 'Lan' } })
    const { body } = await harness.api('GET', `${runtimesPath}/${id}/versions`)
    expect(body).toMatchObject({ totalItem: 3, totalPage: 1, page: 1 })
    const secondVersion = buildRuntimeInput({ ...change, team: 'sales' })
    expect(body.listData).toEqual([
      { ...secondVersion, image: 'agents/helper:2.0.0', owner: 'Lan', version: 3, createdAt: anyTimestamp },
      { ...secondVersion, version: 2, createdAt: second.body.updatedAt },
      buildRuntimeInput({ environment: { A: '1', B: '2' }, team: 'sales', version: 1, createdAt }),
    ])
  })

  test('creates a version even without changes, and 20 concurrent ones get unique numbers', async ({ harness }) => {
    const { id } = await makeRuntime(harness)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => harness.api('PATCH', `${runtimesPath}/${id}`, { body: {} })),
    )
    const numbers = responses.map(({ body }) => body.version).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
  })
})

test('an endpoint points at the newest version by default, and stays there when versions are added', async ({
  harness,
}) => {
  const { id } = await makeRuntime(harness)
  const path = `${runtimesPath}/${id}/endpoints`
  for (const step of [1, 2]) await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { step } })
  const newestEndpoint = await harness.api('POST', path, { body: { name: 'production', id: 'mine', colour: 'blue' } })
  expect(newestEndpoint.status).toBe(201)
  expect(newestEndpoint.body).toEqual({
    id: expect.any(String),
    name: 'production',
    version: 3,
    colour: 'blue',
    createdAt: anyTimestamp,
    updatedAt: newestEndpoint.body.createdAt,
  })
  expect(newestEndpoint.body.id).not.toBe('mine')
  expect((await makeEndpoint(harness, id, { name: 'old', version: 1 })).version).toBe(1)
  await harness.api('PATCH', `${runtimesPath}/${id}`, { body: {} })
  const { body } = await harness.api('GET', path)
  const listData = [
    { name: 'production', version: 3 },
    { name: 'old', version: 1 },
  ]
  expect(body).toMatchObject({ totalItem: 2, totalPage: 1, page: 1, listData })
})

interface Line {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly replica: number
}

async function startAgedRuntime(ageMs: number) {
  const harness = await startHarness()
  const runtime = await makeRuntime(harness, { replicas: 3 })
  await harness.control('clock', { advanceMs: ageMs })
  return { harness, runtime, path: `${runtimesPath}/${runtime.id}/logs` }
}

const readLog = async (harness: Harness, path: string, body: object = {}) => {
  const response = await harness.api('POST', path, { body })
  if (response.status !== 200) throw new Error(`no log: ${response.status}`)
  const { from, limit, total }: Record<string, number> = response.body
  const lines: readonly Line[] = response.body.lines
  const timestampsMs = lines.map(({ timestamp }) => Date.parse(timestamp))
  return { from: from ?? Number.NaN, limit, total: total ?? Number.NaN, lines, times: timestampsMs }
}

/** Repeats an action until no log line was written in parallel. */
async function repeatUntilNoNewLogs<Result>(harness: Harness, path: string, act: () => Promise<Result>) {
  for (;;) {
    const totalBefore = (await readLog(harness, path)).total
    const result = await act()
    if ((await readLog(harness, path)).total === totalBefore) return result
  }
}

test('the log of a runtime continues with the lines of the version active at each time', async () => {
  const { harness, runtime, path } = await startAgedRuntime(hourMs)
  const firstLogs = await readLog(harness, path, { limit: 1000 })
  const change = { image: 'agents/helper:2.0.0' }
  const { body } = await harness.api('PATCH', `${runtimesPath}/${runtime.id}`, { body: change })
  await harness.control('clock', { advanceMs: hourMs })
  const [bothVersionLogs, boundaryLogs] = await repeatUntilNoNewLogs(harness, path, async () => {
    const allLogs = await readLog(harness, path, { limit: 1000 })
    return [allLogs, await readLog(harness, path, { from: allLogs.total - firstLogs.total - 3, limit: 6 })]
  })
  const updatedMs = Date.parse(body.updatedAt)
  const older = bothVersionLogs.lines.filter(({ timestamp }) => Date.parse(timestamp) < updatedMs)
  expect(older.slice(-firstLogs.lines.length)).toEqual(firstLogs.lines)
  expect(bothVersionLogs.times).toEqual(bothVersionLogs.times.toSorted((a, b) => b - a))
  expect(bothVersionLogs.lines.map(({ message }) => message)).toContain('pulled image agents/helper:2.0.0')
  expect(boundaryLogs.lines).toEqual(bothVersionLogs.lines.slice(boundaryLogs.from, boundaryLogs.from + 6))
})

test('the range of a log is counted backwards from the newest line, and consecutive ranges have no gap', async () => {
  const { harness, path } = await startAgedRuntime(hourMs)
  const ranges = [{ limit: 300 }, {}, { limit: 100 }, { from: 100, limit: 200 }]
  const [wholeLog, defaults, ...parts] = await repeatUntilNoNewLogs(harness, path, () =>
    Promise.all(ranges.map((range) => readLog(harness, path, range))),
  )
  expect(parts.flatMap(({ lines }) => lines)).toEqual(wholeLog?.lines)
  expect(defaults).toMatchObject({ from: 0, limit: 100, lines: wholeLog?.lines.slice(0, 100) })
})

test('the log of an endpoint is that of its version', async () => {
  const { harness, runtime, path } = await startAgedRuntime(hourMs)
  await harness.api('PATCH', `${runtimesPath}/${runtime.id}`, { body: { replicas: 1, image: 'agents/helper:2.0.0' } })
  const endpoint = await makeEndpoint(harness, runtime.id, { name: 'production', version: 1 })
  await harness.control('clock', { advanceMs: hourMs })
  const endpointPath = `${runtimesPath}/${runtime.id}/endpoints/${endpoint.id}`
  const older = await readLog(harness, `${endpointPath}/logs`, { limit: 1000 })
  expect(older.lines.at(-1)?.message).toBe('pulled image agents/helper:1.0.0')
  expect((older.times[0] ?? 0) - (older.times.at(-1) ?? 0)).toBeGreaterThan(2 * hourMs - 60_000)
  await harness.api('PATCH', `${endpointPath}?version=2`)
  const [newer, runtimeLog] = await repeatUntilNoNewLogs(harness, path, () =>
    Promise.all([`${endpointPath}/logs`, path].map((logPath) => readLog(harness, logPath, { limit: 400 }))),
  )
  expect(newer?.lines).toEqual(runtimeLog?.lines)
  const oldestLogs = await readLog(harness, `${endpointPath}/logs`, { from: (newer?.total ?? 0) - 1 })
  expect(oldestLogs.lines.at(-1)?.message).toBe('pulled image agents/helper:2.0.0')
})

interface Point {
  readonly at: string
  readonly value: number
}

test('the metrics of an endpoint have a point per minute for the last hour, in percent', async ({ harness }) => {
  const { id } = await makeRuntime(harness)
  const endpoint = await makeEndpoint(harness, id)
  await harness.control('clock', { advanceMs: 2 * hourMs })
  const { status, body } = await harness.api('GET', `${runtimesPath}/${id}/endpoints/${endpoint.id}/metrics`)
  expect(status).toBe(200)
  const { cpu, memory }: Readonly<Record<'cpu' | 'memory', readonly Point[]>> = body
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
