import { expect, it } from 'vitest'
import { CallQueue } from '../../../../../src/main/cli/api-call'

const flushPromises = () => new Promise((resolve) => setImmediate(resolve))

/** Runs named tasks, which the test ends one by one, and records which have started. */
function stage() {
  const callOrder = new CallQueue()
  const startedCallIds: string[] = []
  const endersByCall = new Map<string, () => void>()
  return {
    begun: startedCallIds,
    run(name: string, changes: boolean) {
      return callOrder.run(
        () => {
          startedCallIds.push(name)
          return new Promise<string>((resolve) => endersByCall.set(name, () => resolve(name)))
        },
        { changes },
      )
    },
    async end(...names: string[]) {
      for (const name of names) endersByCall.get(name)?.()
      await flushPromises()
    },
    turns: callOrder,
  }
}

it('reads run concurrently, and a change waits for earlier reads and blocks later ones', async () => {
  const { begun, run, end } = stage()
  void run('read 1', false)
  void run('read 2', false)
  void run('change', true)
  void run('read 3', false)
  await flushPromises()
  expect(begun).toEqual(['read 1', 'read 2'])
  await end('read 2')
  expect(begun).toHaveLength(2)
  await end('read 1')
  expect(begun).toEqual(['read 1', 'read 2', 'change'])
  await end('change')
  expect(begun).toEqual(['read 1', 'read 2', 'change', 'read 3'])
})

it('a failing task does not block the next and keeps its own error', async () => {
  const callOrder = new CallQueue()
  const failedCall = callOrder.run(() => Promise.reject(new Error('no')), { changes: true })
  const nextCall = callOrder.run(async () => 'next', { changes: true })
  await expect(failedCall).rejects.toThrow('no')
  expect(await nextCall).toBe('next')
})
