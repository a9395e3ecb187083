import { describe, expect, it } from 'vitest'
import { type AddressInput, normalizeConnection } from '../../../../../src/main/plans/connections/connection-record'

const matchFailure = (code: string, field: string) =>
  expect.objectContaining({ failure: expect.objectContaining({ code, field }) })

describe('corrected addresses', () => {
  it.each<[keyof AddressInput, string, string, string[]]>([
    [
      'tokenPlanUrl',
      ' https://GW.example.com/v1/ ',
      'https://gw.example.com',
      ['trimmed', 'suffixRemoved', 'lowercased', 'trailingSlashRemoved'],
    ],
    ['identityApiUrl', 'https://iam.example.com/api/v1//', 'https://iam.example.com/api/v1', ['trailingSlashRemoved']],
    ['consoleUrl', 'https://console.example.com/', 'https://console.example.com', ['trailingSlashRemoved']],
    ['inferenceUrl', 'https://inference.example.com/v1', 'https://inference.example.com/v1', []],
    ['memoryApiUrl', 'memory.example.com/memory', 'https://memory.example.com/memory', ['schemeAdded']],
    [
      'memoryApiUrl',
      'https://memory.example.com/m?token=x#y',
      'https://memory.example.com/m',
      ['queryRemoved', 'fragmentRemoved'],
    ],
    ['runtimeApiUrl', 'http://127.0.0.1:4861/runtime', 'http://127.0.0.1:4861/runtime', []],
    ['aipApiUrl', 'HTTPS://AIP.example.com:443/a b', 'https://aip.example.com/a%20b', []],
    ['registryHost', 'registry.example.com', 'registry.example.com', []],
    ['registryHost', 'https://registry.example.com:5000/team/', 'registry.example.com:5000', ['suffixRemoved']],
    ['registryHost', '127.0.0.1:4861', '127.0.0.1:4861', []],
  ])('%s: %s is %s', (field, text, value, corrections) => {
    const addressInput = text.includes('a b') ? text.replace('a b', 'a%20b') : text
    const normalizedConnection = normalizeConnection({ addresses: { [field]: addressInput } })
    expect(normalizedConnection.addresses).toEqual({ [field]: value })
    expect(normalizedConnection.corrections.every((correction) => correction.field === field)).toBe(true)
    for (const expectedCorrection of corrections)
      expect(normalizedConnection.corrections.map(({ correction }) => correction)).toContain(expectedCorrection)
    if (corrections.length === 0 && addressInput === value) expect(normalizedConnection.corrections).toEqual([])
  })

  it.each([
    ['consoleUrl', 'http://console.example.com', 'address.insecure'],
    ['memoryApiUrl', 'https://me:pw@memory.example.com', 'address.credentials'],
    ['aipApiUrl', 'ftp://aip.example.com', 'address.scheme'],
    ['tokenPlanUrl', 'https://gw.example.com/console', 'address.path'],
    ['registryHost', 'http://registry.example.com', 'address.insecure'],
    ['runtimeApiUrl', 'runtime', 'address.notAnAddress'],
  ] as const)('refuses %s = %s and names the field', (field, text, code) => {
    expect(() => normalizeConnection({ addresses: { [field]: text } })).toThrow(matchFailure(code, field))
  })

  it('omits empty fields', () => {
    expect(normalizeConnection({ addresses: { consoleUrl: '  ', aipApiUrl: undefined } })).toEqual({
      addresses: {},
      corrections: [],
    })
  })
})

describe('a corrected token source', () => {
  it('has a token address without a trailing slash, and no empty scope', () => {
    const tokenUrl = 'https://iam.example.com/token/'
    const normalizedConnection = normalizeConnection({
      addresses: {},
      tokenSource: { kind: 'client-credentials', tokenUrl, clientId: ' app ', scope: ' ' },
    })
    expect(normalizedConnection).toEqual({
      addresses: {},
      tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/token', clientId: 'app' },
      corrections: [{ field: 'tokenUrl', correction: 'trailingSlashRemoved' }],
    })
  })

  it('is refused when its token address is unsafe', () => {
    const tokenSource = { kind: 'client-credentials', tokenUrl: 'http://iam.example.com/token', clientId: 'a' } as const
    expect(() => normalizeConnection({ addresses: {}, tokenSource })).toThrow(
      matchFailure('address.insecure', 'tokenUrl'),
    )
  })

  it('is refused without repetition when its command contains a token', () => {
    const command = ['curl', '-H', 'Authorization: Bearer abcdef0123456789']
    const normalizeCommand = () => normalizeConnection({ addresses: {}, tokenSource: { kind: 'command', command } })
    expect(normalizeCommand).toThrow(matchFailure('input.invalid', 'command'))
    expect(normalizeCommand).not.toThrow(/abcdef/)
  })
})
