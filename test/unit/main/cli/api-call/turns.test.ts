import { expect, it } from 'vitest'
import { CallOrder } from '../../../../../src/main/cli/api-call'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Runs named tasks, which the test ends one by one, and records which have started. */
function stage() {
  const turns = new CallOrder()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    run(name: string, changes: boolean) {
      return turns.run(
        () => {
          begun.push(name)
          return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
        },
        { changes },
      )
    },
    async end(...names: string[]) {
      for (const name of names) ends.get(name)?.()
      await settle()
    },
    turns,
  }
}

it('reads run concurrently, and a change waits for earlier reads and blocks later ones', async () => {
  const { begun, run, end } = stage()
  void run('read 1', false)
  void run('read 2', false)
  void run('change', true)
  void run('read 3', false)
  await settle()
  expect(begun).toEqual(['read 1', 'read 2'])
  await end('read 2')
  expect(begun).toHaveLength(2)
  await end('read 1')
  expect(begun).toEqual(['read 1', 'read 2', 'change'])
  await end('change')
  expect(begun).toEqual(['read 1', 'read 2', 'change', 'read 3'])
})

it('a failing task does not block the next and keeps its own error', async () => {
  const turns = new CallOrder()
  const failedCall = turns.run(() => Promise.reject(new Error('no')), { changes: true })
  const nextCall = turns.run(async () => 'next', { changes: true })
  await expect(failedCall).rejects.toThrow('no')
  expect(await nextCall).toBe('next')
})
