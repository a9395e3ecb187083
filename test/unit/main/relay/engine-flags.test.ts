import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { engineFlags, RestCollection } from '../../../../src/main/relay/engine-flags'

test('V8 knows every flag that the relay sets, by these names', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  for (const flag of engineFlags) {
    expect(options).toContain(`\n  ${flag.replace(/=.*/, '').replace(/^--no-/, '--')} `)
  }
})

test('memory is given back in a rest of fifteen seconds behind a load: not in a pause, not while busy, not behind a few requests', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let open = 0
  const collect = vi.fn()
  const rest = new RestCollection(() => open > 0, collect)
  const load = () => {
    for (let requests = 0; requests < 200; requests += 1) rest.note()
  }
  rest.note()
  expect(vi.getTimerCount()).toBe(0)
  load()
  for (let pause = 0; pause < 20; pause += 1) {
    vi.advanceTimersByTime(14_000)
    rest.note()
  }
  expect(collect).not.toHaveBeenCalled()
  open = 1
  vi.advanceTimersByTime(60_000)
  expect(collect).not.toHaveBeenCalled()
  open = 0
  vi.advanceTimersByTime(60_000)
  expect([collect.mock.calls.length, vi.getTimerCount()]).toEqual([2, 0])
  load()
  rest.end()
  vi.advanceTimersByTime(60_000)
  expect(collect).toHaveBeenCalledTimes(2)
})
