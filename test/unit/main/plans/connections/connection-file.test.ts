import { describe, expect, it } from 'vitest'
import { readDraft, toConnectionFile } from '../../../../../src/main/plans/connections/connection-file'

const connectionFile = {
  name: 'work',
  tokenPlanUrl: 'https://gw.example.com',
  consoleUrl: 'https://console.example.com/api',
  identityApiUrl: 'https://iam.example.com/api/v1',
  runtimeApiUrl: 'https://runtime.example.com',
  memoryApiUrl: 'https://memory.example.com',
  registryApiUrl: 'https://registry.example.com',
  aipApiUrl: 'https://aip.example.com',
  inferenceUrl: 'https://inference.example.com/v1',
  registryHost: 'registry.example.com',
  tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/token', clientId: 'app', scope: 'all' },
  caFile: '/etc/ssl/own.pem',
}

const nestArrays = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
const toDraft = (file: unknown) => readDraft(JSON.stringify(file))

describe('a connection file', () => {
  it.each([
    ['everything', connectionFile],
    ['a name only', { name: 'empty' }],
    ['a command', { name: 'c', tokenSource: { kind: 'command', command: ['helper', '--for', 'a b'] } }],
    ['a pasted token', { name: 'p', tokenSource: { kind: 'pasted' } }],
  ])('with %s is read, and written again unchanged', (_, file) => {
    const { corrections, ...draft } = toDraft(file)
    expect(corrections).toEqual([])
    const record = { id: 'i', createdAt: '2026-01-01T00:00:00Z', kept: 'keychain' as const, secretAt: 'x', ...draft }
    expect(JSON.parse(JSON.stringify(toConnectionFile(record)))).toEqual(file)
  })

  it('makes the connection’s name unambiguous', () => {
    expect(toDraft({ name: ' of\u202efice\u0000\n two ' }).name).toBe('office two')
    expect(() => toDraft({ name: '\u200b' })).toThrow(/name is not valid/)
    expect(() =>
      toDraft(
        Object.fromEntries([
          ['name', 'a'],
          ['x\u202ey\n', 1],
        ]),
      ),
    ).toThrow(/has no xy\. Correct/)
  })

  it('reports corrections, also of the token address', () => {
    const draft = readDraft(
      `\uFEFF${JSON.stringify({
        name: '  work ',
        tokenPlanUrl: 'https://gw.example.com/v1',
        tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/t/', clientId: 'a' },
      })}`,
    )
    expect(draft).toMatchObject({ name: 'work', addresses: { tokenPlanUrl: 'https://gw.example.com' } })
    expect(draft.corrections).toEqual([
      { field: 'tokenPlanUrl', correction: 'suffixRemoved' },
      { field: 'tokenUrl', correction: 'trailingSlashRemoved' },
    ])
  })

  const CANARY = 'canary-0123456789abcdef'
  const source = { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/t', clientId: 'a' }
  it.each([
    ['a client secret', { name: 'a', tokenSource: { ...source, clientSecret: CANARY } }, 'clientSecret'],
    ['a secret as servers write it', { name: 'a', client_secret: CANARY }, 'client_secret'],
    ['a token', { name: 'a', tokenSource: { kind: 'pasted', token: CANARY } }, 'token'],
    ['a password', { name: 'a', password: CANARY }, 'password'],
    ['an API key', { name: 'a', apiKey: CANARY }, 'apiKey'],
    ['a secret deep inside', { name: 'a', more: [{ access_token: CANARY }] }, 'access_token'],
    ['a token in its command', { name: 'a', tokenSource: { kind: 'command', command: [`sk-${CANARY}`] } }, 'command'],
    [
      'a user in an address',
      { name: 'a', aipApiUrl: `https://me:${CANARY}@h.example.com` },
      'aipApiUrl',
      'address.credentials',
    ],
    ['an unknown key', { name: 'a', identityUrl: 'https://x.example.com' }, 'identityUrl'],
    ['an unknown key of its source', { name: 'a', tokenSource: { ...source, audience: 'x' } }, 'audience'],
    ['no name', { tokenPlanUrl: 'https://gw.example.com' }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['an address that is a number', { name: 'a', aipApiUrl: 7 }, 'aipApiUrl'],
    ['an unsafe address', { name: 'a', aipApiUrl: 'http://h.example.com' }, 'aipApiUrl', 'address.insecure'],
    [
      'an unsafe token address',
      { name: 'a', tokenSource: { ...source, tokenUrl: 'http://h.example.com' } },
      'tokenUrl',
      'address.insecure',
    ],
    ['another kind of source', { name: 'a', tokenSource: { kind: 'magic' } }, 'tokenSource.kind'],
    [
      'a source without its client',
      { name: 'a', tokenSource: { kind: 'client-credentials', tokenUrl: 'https://h.example.com' } },
      'tokenSource.clientId',
    ],
    [
      'a command without a program',
      { name: 'a', tokenSource: { kind: 'command', command: [] } },
      'tokenSource.command',
    ],
    ['a command line', { name: 'a', tokenSource: { kind: 'command', command: 'helper' } }, 'tokenSource.command'],
  ])('with %s is refused', (_, file, field, code = 'input.invalid') => {
    const parseDraft = () => toDraft(file)
    expect(parseDraft).toThrow(expect.objectContaining({ failure: expect.objectContaining({ code, field }) }))
    expect(parseDraft).not.toThrow(new RegExp(CANARY))
  })

  it.each([
    ['no JSON', '{\n  "name": "a",\n  oops\n}', { code: 'file.unparsable', line: 3 }],
    ['nothing', '', { code: 'file.unparsable' }],
    ['a comment', '{\n  // mine\n  "name": "a"\n}', { code: 'file.notStrict', line: 2 }],
    ['a list', '[]', { code: 'file.unparsable', line: 1 }],
    ['a text', '"sk-0123456789abcdef"', { code: 'file.unparsable' }],
    ['null', 'null', { code: 'file.unparsable' }],
    ['a very deep list', nestArrays(30_000), { code: 'input.invalid' }],
    ['a deep list', nestArrays(4_000), { code: 'input.invalid' }],
  ])('that contains %s is refused', (_, text, failure) => {
    expect(() => readDraft(text)).toThrow(expect.objectContaining({ failure: expect.objectContaining(failure) }))
    expect(() => readDraft(text)).not.toThrow(/sk-|oops/)
  })
})
