import { expect, it } from 'vitest'
import { createPendingKeys } from '../../../../src/main/plans/key-clipboard'

function createHarness(text: string, copied = '', isAgreed = false) {
  let currentTime = new Date('2026-01-01T00:00:00Z')
  const clipboard = { readText: async () => text, writeText: async () => undefined }
  const consentQuestions: unknown[] = []
  const pendingKeys = createPendingKeys({
    clipboard,
    clock: () => currentTime,
    hasCopied: (secret) => secret.expose() === copied,
    confirm: async (question) => {
      consentQuestions.push(question)
      return isAgreed
    },
  })
  return {
    pending: pendingKeys,
    consentQuestions,
    later: (ms: number) => (currentTime = new Date(currentTime.getTime() + ms)),
  }
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
  const { pending: pendingKeys } = createHarness('please find the key below')
  await expect(pendingKeys.takeFromClipboard()).rejects.toMatchObject({ failure: { code: 'clipboard.noKey' } })
})

it('reads a client secret unchanged, where key parsing would remove a prefix', async () => {
  const { pending: pendingKeys } = createHarness('  abc=def+"ghi"/jkl  ')
  const { pendingId } = await pendingKeys.takeFromClipboard({ isExact: true })
  expect(pendingKeys.get(pendingId).expose()).toBe('abc=def+"ghi"/jkl')
})

it('refuses an empty clipboard for a client secret', async () => {
  const { pending: pendingKeys } = createHarness('   ')
  await expect(pendingKeys.takeFromClipboard({ isExact: true })).rejects.toMatchObject({
    failure: { code: 'clipboard.noKey' },
  })
})

it('uses a secret that this app copied only after a confirmation', async () => {
  const key = 'sk-pending-0123456789abcd'
  const declinedRead = createHarness(` Bearer ${key}`, key)
  await expect(declinedRead.pending.takeFromClipboard()).rejects.toMatchObject({ failure: { code: 'input.declined' } })
  expect(declinedRead.consentQuestions).toEqual([{ kind: 'reuseCopiedSecret', masked: 'sk-...abcd' }])
  const acceptedRead = createHarness(key, key, true)
  const { pendingId } = await acceptedRead.pending.takeFromClipboard({ isExact: true })
  expect(acceptedRead.pending.get(pendingId).expose()).toBe(key)
  const otherClipboard = createHarness(key, 'sk-another-0123456789abcd')
  await otherClipboard.pending.takeFromClipboard()
  expect(otherClipboard.consentQuestions).toEqual([])
})
