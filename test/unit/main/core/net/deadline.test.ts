import { describe, expect, it } from 'vitest'
import { sleepMs, startDeadline } from '../../../../../src/main/core/net/deadline'

describe('waiting with the monotonic clock', () => {
  it('ends when its time is over', async () => {
    await expect(sleepMs(1, new AbortController().signal)).resolves.toBeUndefined()
  })

  it('ends immediately when stopped', async () => {
    const controller = new AbortController()
    const sleepPromise = sleepMs(600_000, controller.signal)
    controller.abort()
    await expect(sleepPromise).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a deadline', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  it('aborts its signal with a timeout error when time is up', async () => {
    const { signal } = startDeadline({ timeoutMs: 1, sleep: sleepMs })
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('leaves no timer once it is stopped', () => {
    const timersBefore = timers()
    const deadline = startDeadline({ timeoutMs: 600_000, sleep: sleepMs })
    expect(timers()).toBe(timersBefore + 1)
    deadline.stop()
    expect(timers()).toBe(timersBefore)
    expect(deadline.signal.aborted).toBe(false)
  })
})
