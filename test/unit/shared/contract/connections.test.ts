import { ConnectionDraft, ConnectionView, contract, TokenSource } from '@shared/contract'
import { describe, expect, it } from 'vitest'

const view = {
  id: 'i',
  name: 'work',
  addresses: { tokenPlanUrl: 'https://gw.example.com' },
  tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/t', clientId: 'a' },
  secret: 'keychain',
  isBuiltIn: false,
  isActive: true,
  createdAt: '2026-01-01T00:00:00.000Z',
}
describe('the window’s view of connections', () => {
  it('accepts a connection', () => {
    expect(ConnectionView.parse(view)).toEqual(view)
  })

  it.each([
    ['a secret beside it', { ...view, clientSecret: 'canary' }],
    ['a secret in its source', { ...view, tokenSource: { ...view.tokenSource, clientSecret: 'canary' } }],
    ['a secret where its state belongs', { ...view, secret: 'canary' }],
    ['an address that no one knows', { ...view, addresses: { evilUrl: 'https://evil.example.com' } }],
    ['a record of the settings', { ...view, kept: 'keychain', secretAt: '2026-01-01' }],
  ])('never contains %s', (_, value) => {
    expect(ConnectionView.safeParse(value).success).toBe(false)
  })

  it.each([
    ['a pasted token', { kind: 'pasted', token: 'canary' }],
    ['an empty command', { kind: 'command', command: [] }],
    ['an empty program', { kind: 'command', command: [''] }],
    ['a command as one text', { kind: 'command', command: 'helper --x' }],
    ['another kind', { kind: 'password' }],
  ])('never contains a token source with %s', (_, value) => {
    expect(TokenSource.safeParse(value).success).toBe(false)
  })

  it('accepts a draft without a secret', () => {
    const draft = { name: 'a', addresses: {}, corrections: [{ field: 'tokenUrl', correction: 'trimmed' }] }
    expect(ConnectionDraft.parse(draft)).toEqual(draft)
    expect(ConnectionDraft.safeParse({ ...draft, secret: 'canary' }).success).toBe(false)
  })
})

it.each([
  ['connections.save', { name: 'a', addresses: {}, secret: 'canary' }],
  ['connections.save', { name: '  ', addresses: {} }],
  ['connections.test', { id: 'i', part: 'everything', callId: '1' }],
  ['connections.test', { id: 'i', part: 'token' }],
  ['connections.readFile', { path: '/etc/passwd' }],
  ['connections.writeFile', { id: 'i', path: '/etc/passwd' }],
] as const)('%s accepts only its own input', (name, input) => {
  expect(contract[name].input.safeParse(input).success).toBe(false)
})
