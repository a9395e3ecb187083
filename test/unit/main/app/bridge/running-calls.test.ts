import { expect, it } from 'vitest'
import { createRunningCalls } from '../../../../../src/main/app/bridge'

const untilStopped = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

it('stops only the call with that id, and forgets finished calls', async () => {
  const calls = createRunningCalls()
  const one = calls.run('1', untilStopped)
  let isOtherStopped = false
  const otherCall = calls.run('2', async (signal) => {
    await one.catch(() => undefined)
    isOtherStopped = signal.aborted
    return 'done'
  })
  calls.cancel('1')
  await expect(one).rejects.toThrow('stopped')
  expect(await otherCall).toBe('done')
  expect(isOtherStopped).toBe(false)
  expect(() => calls.cancel('1')).not.toThrow()
  expect(() => calls.cancel('never was')).not.toThrow()
})
