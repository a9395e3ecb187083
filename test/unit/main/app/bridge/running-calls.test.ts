import { expect, it } from 'vitest'
import { createRunningCalls } from '../../../../../src/main/app/bridge'

const waitForStop = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

it('stops only the call with that id, and forgets finished calls', async () => {
  const calls = createRunningCalls()
  const firstCall = calls.run('1', waitForStop)
  let isOtherStopped = false
  const otherCallPromise = calls.run('2', async (signal) => {
    await firstCall.catch(() => undefined)
    isOtherStopped = signal.aborted
    return 'done'
  })
  calls.cancel('1')
  await expect(firstCall).rejects.toThrow('stopped')
  expect(await otherCallPromise).toBe('done')
  expect(isOtherStopped).toBe(false)
  expect(() => calls.cancel('1')).not.toThrow()
  expect(() => calls.cancel('never was')).not.toThrow()
})
