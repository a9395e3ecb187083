import { expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createKeyCopier } from '../../../../../src/main/plans/key-clipboard'

function createHarness() {
  let text = ''
  const scheduledTasks: { run: () => void; ms: number; isCancelled: boolean }[] = []
  const clipboard = {
    readText: async () => text,
    writeText: async (newText: string) => {
      text = newText
    },
  }
  const keyCopier = createKeyCopier(clipboard, (run, ms) => {
    const entry = { run, ms, isCancelled: false }
    scheduledTasks.push(entry)
    return () => {
      entry.isCancelled = true
    }
  })
  return { copier: keyCopier, clipboard, scheduled: scheduledTasks, read: () => text }
}
const secret = new Secret('sk-copy-0123456789abcdef')

it('clears the key from the clipboard after 30 s', async () => {
  const { copier, scheduled, read } = createHarness()
  await copier.copy(secret)
  expect(read()).toBe(secret.expose())
  expect(scheduled[0]?.ms).toBe(30_000)
  await copier.flush()
  expect(read()).toBe('')
  expect(copier.isWaiting()).toBe(false)
})

it('leaves later clipboard content alone', async () => {
  const { copier, clipboard, read } = createHarness()
  await copier.copy(secret)
  await clipboard.writeText('a shopping list')
  await copier.flush()
  expect(read()).toBe('a shopping list')
})

it('restarts the timer when a key is copied again', async () => {
  const { copier, scheduled } = createHarness()
  await copier.copy(secret)
  await copier.copy(secret)
  expect(scheduled.map(({ isCancelled }) => isCancelled)).toEqual([true, false])
})
