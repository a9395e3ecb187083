import { expect, it } from 'vitest'
import { createPendingKeys } from '../../../../src/main/plans/key-clipboard'

function make(text: string, copied = '', isAgreed = false) {
  let currentTime = new Date('2026-01-01T00:00:00Z')
  const clipboard = { readText: async () => text, writeText: async () => undefined }
  const asked: unknown[] = []
  const pending = createPendingKeys({
    clipboard,
    clock: () => currentTime,
    hasCopied: (secret) => secret.expose() === copied,
    confirm: async (question) => {
      asked.push(question)
      return isAgreed
    },
  })
  return { pending, asked, later: (ms: number) => (currentTime = new Date(currentTime.getTime() + ms)) }
}

it('holds a pasted key and shows only its masked form', async () => {
  const { pending } = make(' Bearer sk-pending-0123456789abcd\n')
  const view = await pending.takeFromClipboard()
  expect(JSON.stringify(view)).not.toContain('0123456789')
  expect(view.masked).toContain('abcd')
  expect(pending.get(view.pendingId).expose()).toBe('sk-pending-0123456789abcd')
})

it('drops a pasted key after 15 minutes, and after it is saved', async () => {
  const { pending, later } = make('sk-pending-0123456789abcd')
  const first = await pending.takeFromClipboard()
  pending.forget(first.pendingId)
  expect(() => pending.get(first.pendingId)).toThrow('Paste it again')
  const second = await pending.takeFromClipboard()
  later(15 * 60_000 + 1)
  expect(() => pending.get(second.pendingId)).toThrow('Paste it again')
})

it('refuses a clipboard without a key', async () => {
  const { pending } = make('please find the key below')
  await expect(pending.takeFromClipboard()).rejects.toMatchObject({ failure: { code: 'clipboard.noKey' } })
})

it('reads a client secret unchanged, where key parsing would remove a prefix', async () => {
  const { pending } = make('  abc=def+"ghi"/jkl  ')
  const { pendingId } = await pending.takeFromClipboard({ isExact: true })
  expect(pending.get(pendingId).expose()).toBe('abc=def+"ghi"/jkl')
})

it('refuses an empty clipboard for a client secret', async () => {
  const { pending } = make('   ')
  await expect(pending.takeFromClipboard({ isExact: true })).rejects.toMatchObject({
    failure: { code: 'clipboard.noKey' },
  })
})

it('uses a secret that this app copied only after a confirmation', async () => {
  const key = 'sk-pending-0123456789abcd'
  const declined = make(` Bearer ${key}`, key)
  await expect(declined.pending.takeFromClipboard()).rejects.toMatchObject({ failure: { code: 'input.declined' } })
  expect(declined.asked).toEqual([{ kind: 'reuseCopiedSecret', masked: 'sk-...abcd' }])
  const agreed = make(key, key, true)
  const { pendingId } = await agreed.pending.takeFromClipboard({ isExact: true })
  expect(agreed.pending.get(pendingId).expose()).toBe(key)
  const otherClipboard = make(key, 'sk-another-0123456789abcd')
  await otherClipboard.pending.takeFromClipboard()
  expect(otherClipboard.asked).toEqual([])
})
