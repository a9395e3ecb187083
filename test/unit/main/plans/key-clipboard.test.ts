import { expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { createKeyCopier, createPendingKeys } from '../../../../src/main/plans/key-clipboard'
import { expectFailure } from '../../support/failures'

function createHarness(text: string, copied = '', isAgreed = false) {
  let currentTime = new Date('2026-01-01T00:00:00Z')
  const clipboard = { readText: async () => text, writeText: async () => undefined }
  const consentQuestions: unknown[] = []
  const pendingKeys = createPendingKeys({
    clipboard,
    clock: () => currentTime,
    hasCopied: (secret) => secret.expose() === copied,
    confirm: async (question) => consentQuestions.push(question) > 0 && isAgreed,
  })
  const later = (ms: number) => (currentTime = new Date(currentTime.getTime() + ms))
  return { pending: pendingKeys, consentQuestions, later }
}

it('holds a pasted key and shows only its masked form', async () => {
  const { pending: pendingKeys } = createHarness(' Bearer sk-pending-0123456789abcd\n')
  const view = await pendingKeys.takeFromClipboard()
  expect(JSON.stringify(view)).not.toContain('0123456789')
  expect(view.masked).toContain('abcd')
  expect(pendingKeys.get(view.pendingId).expose()).toBe('sk-pending-0123456789abcd')
})

it('drops a pasted key after 15 minutes, and after it is saved', async () => {
  const { pending: pendingKeys, later } = createHarness('sk-pending-0123456789abcd')
  const firstRead = await pendingKeys.takeFromClipboard()
  pendingKeys.forget(firstRead.pendingId)
  expect(() => pendingKeys.get(firstRead.pendingId)).toThrow('Paste it again')
  const secondClipboardRead = await pendingKeys.takeFromClipboard()
  later(15 * 60_000 + 1)
  expect(() => pendingKeys.get(secondClipboardRead.pendingId)).toThrow('Paste it again')
})

it('refuses a clipboard without a key', async () => {
  await expectFailure(createHarness('please find the key below').pending.takeFromClipboard(), 'clipboard.noKey')
})

it('reads a client secret unchanged, where key parsing would remove a prefix', async () => {
  const { pending: pendingKeys } = createHarness('  abc=def+"ghi"/jkl  ')
  const { pendingId } = await pendingKeys.takeFromClipboard({ isExact: true })
  expect(pendingKeys.get(pendingId).expose()).toBe('abc=def+"ghi"/jkl')
})

it('refuses an empty clipboard for a client secret', async () => {
  await expectFailure(createHarness('   ').pending.takeFromClipboard({ isExact: true }), 'clipboard.noKey')
})

it('uses a secret that this app copied only after a confirmation', async () => {
  const key = 'sk-pending-0123456789abcd'
  const declinedRead = createHarness(` Bearer ${key}`, key)
  await expectFailure(declinedRead.pending.takeFromClipboard(), 'input.declined')
  expect(declinedRead.consentQuestions).toEqual([{ kind: 'reuseCopiedSecret', masked: 'sk-...abcd' }])
  const acceptedRead = createHarness(key, key, true)
  const { pendingId } = await acceptedRead.pending.takeFromClipboard({ isExact: true })
  expect(acceptedRead.pending.get(pendingId).expose()).toBe(key)
  const otherClipboard = createHarness(key, 'sk-another-0123456789abcd')
  await otherClipboard.pending.takeFromClipboard()
  expect(otherClipboard.consentQuestions).toEqual([])
})

function createCopyHarness() {
  let text = ''
  const scheduledTasks: { run: () => void; ms: number; isCancelled: boolean }[] = []
  const writeText = async (newText: string) => {
    text = newText
  }
  const clipboard = { readText: async () => text, writeText }
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
  const { copier, scheduled, read } = createCopyHarness()
  await copier.copy(secret)
  expect(read()).toBe(secret.expose())
  expect(scheduled[0]?.ms).toBe(30_000)
  await copier.flush()
  expect(read()).toBe('')
  expect(copier.isWaiting()).toBe(false)
})

it('leaves later clipboard content alone', async () => {
  const { copier, clipboard, read } = createCopyHarness()
  await copier.copy(secret)
  await clipboard.writeText('a shopping list')
  await copier.flush()
  expect(read()).toBe('a shopping list')
})

it('restarts the timer when a key is copied again', async () => {
  const { copier, scheduled } = createCopyHarness()
  await copier.copy(secret)
  await copier.copy(secret)
  expect(scheduled.map(({ isCancelled }) => isCancelled)).toEqual([true, false])
})
