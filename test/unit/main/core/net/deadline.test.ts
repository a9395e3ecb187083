import { describe, expect, it } from 'vitest'
import { sleepFor, startDeadline } from '../../../../../src/main/core/net/deadline'

describe('waiting by the machine’s own clock', () => {
  it('ends when its time is over', async () => {
    await expect(sleepFor(1, new AbortController().signal)).resolves.toBeUndefined()
  })

  it('ends at once when it is stopped', async () => {
    const stop = new AbortController()
    const wait = sleepFor(600_000, stop.signal)
    stop.abort()
    await expect(wait).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a deadline', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  it('stops what it watches when time is up, and says that it was time', async () => {
    const { signal } = startDeadline({ timeoutMs: 1, sleep: sleepFor })
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('leaves no timer behind once it is stopped', () => {
    const before = timers()
    const deadline = startDeadline({ timeoutMs: 600_000, sleep: sleepFor })
    expect(timers()).toBe(before + 1)
    deadline.stop()
    expect(timers()).toBe(before)
    expect(deadline.signal.aborted).toBe(false)
  })
})
