import { describe, expect, it, test } from 'vitest'
import {
  type Entries,
  keepsSecret,
  toConnectionInput,
  toEntries,
  toFieldName,
} from '../../../../../src/renderer/features/connections/entries'
import { connection } from '../../support/connections'

const entries = (overrides: Partial<Entries> = {}): Entries => ({ ...toEntries(), name: 'Lab', ...overrides })
const pendingKey = { pendingId: 'held-1', masked: '...9f3c' }

describe('the saved data', () => {
  it('omits empty fields and keeps each argument unchanged', () => {
    const typedEntries = entries({
      name: ' Lab ',
      consoleUrl: '  ',
      memoryApiUrl: 'https://m.example.com',
      kind: 'command',
      program: ' login ',
      args: '--for\n\n  two words \r\n',
    })
    expect(toConnectionInput(typedEntries)).toEqual({
      name: 'Lab',
      addresses: { memoryApiUrl: 'https://m.example.com' },
      tokenSource: { kind: 'command', command: ['login', '--for', '  two words '] },
    })
  })

  it('contains a pasted secret only for a sign-in that needs one', () => {
    expect(toConnectionInput(entries({ kind: 'pasted', pending: pendingKey }))).toMatchObject({ pendingId: 'held-1' })
    for (const kind of ['none', 'command'] as const)
      expect(toConnectionInput(entries({ kind, program: 'x', pending: pendingKey }))).not.toHaveProperty('pendingId')
  })
})

describe('a form', () => {
  test.each([
    ['addresses.consoleUrl', 'consoleUrl'],
    ['tokenSource.command.0', 'program'],
    ['tokenSource.tokenUrl', 'tokenUrl'],
    ['tokenSource', 'signIn'],
    ['pendingId', 'secret'],
    ['caFile', 'caFile'],
    ['whatever', undefined],
    [undefined, undefined],
  ])('shows a refusal of %s at %s', (named, field) => {
    expect(toFieldName(named)).toBe(field)
  })

  test.each([
    [{}, true],
    [{ tokenUrl: 'https://iam.example.com/oauth2/token' }, true],
    [{ tokenUrl: 'https://elsewhere.example.com/token' }, false],
    [{ tokenUrl: 'not an address' }, false],
    [{ clientId: 'another' }, false],
    [{ kind: 'pasted' as const }, false],
  ])('with %j keeps the stored secret: %s', (typed, isKept) => {
    expect(keepsSecret(connection(), { ...toEntries(connection()), ...typed })).toBe(isKept)
  })
})
