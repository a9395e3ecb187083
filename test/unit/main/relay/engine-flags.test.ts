import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { engineFlags, IdleCollection } from '../../../../src/main/relay/engine-flags'

test('V8 knows every flag that the relay sets, by these names', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  for (const flag of engineFlags) {
    expect(options).toContain(`\n  ${flag.replace(/=.*/, '').replace(/^--no-/, '--')} `)
  }
})

test('memory is given back in steps once the relay rests behind a load, and not behind a few requests', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let open = 1
  const collect = vi.fn()
  const idle = new IdleCollection(() => open > 0, collect)
  const pass = () => vi.advanceTimersByTime(60_000)
  const load = () => {
    for (let requests = 0; requests < 500; requests += 1) idle.note()
  }
  idle.note()
  pass()
  expect(vi.getTimerCount()).toBe(0)
  load()
  pass()
  expect(collect).not.toHaveBeenCalled()
  open = 0
  pass()
  expect([collect.mock.calls.length, vi.getTimerCount()]).toEqual([4, 0])
  load()
  vi.advanceTimersByTime(3000)
  expect(collect).toHaveBeenCalledTimes(4)
  idle.end()
  pass()
  expect(collect).toHaveBeenCalledTimes(4)
})
