import { expect, test } from 'vitest'
import { type Harness, startHarness } from '../../../support'
import { makeEndpoint, makeRuntime, runtimesPath } from '../support'

interface Line {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly replica: number
}

const hourMs = 3_600_000

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
async function repeatUntilNoNewLogs<Result>(
  harness: Harness,
  path: string,
  act: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const totalBefore = (await readLog(harness, path)).total
    const result = await act()
    if ((await readLog(harness, path)).total === totalBefore) return result
  }
}

test('the log of a runtime continues with the lines of the version active at each time', async () => {
  const { harness, runtime, path } = await startAgedRuntime(hourMs)
  const firstLogs = await readLog(harness, path, { limit: 1000 })
  const { body } = await harness.api('PATCH', `${runtimesPath}/${runtime.id}`, {
    body: { image: 'agents/helper:2.0.0' },
  })
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
  const [wholeLog, defaults, ...parts] = await repeatUntilNoNewLogs(harness, path, () =>
    Promise.all(
      [{ limit: 300 }, {}, { limit: 100 }, { from: 100, limit: 200 }].map((range) => readLog(harness, path, range)),
    ),
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
