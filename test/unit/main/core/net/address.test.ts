import { AddressCorrection } from '@shared/contract/common'
import { AppError, Failure } from '@shared/failure'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baseAddress,
  getOtherShape,
  isSameOrigin,
  parseExternalUrl,
  parseGatewayAddress,
  printableAddress,
  requestAddress,
  requestAddressFor,
} from '../../../../../src/main/core/net/address'

const ROOT = 'https://gw.example.com'

function expectAccepted(input: string) {
  const parseResult = parseGatewayAddress(input)
  if (!parseResult.ok) throw new Error(`refused: ${parseResult.error.message}`)
  return parseResult.value
}

function expectAddressRefused(input: string): Failure {
  const parseResult = parseGatewayAddress(input)
  if (parseResult.ok) throw new Error(`accepted as ${parseResult.value.url}`)
  return parseResult.error
}

describe('a pasted gateway address', () => {
  it.each([
    ROOT,
    'https://gw.example.com:8443',
    'http://localhost:4860',
    'http://gateway.localhost:4860',
    'http://127.0.0.1:4860',
    'http://127.9.8.7',
    'http://[::1]:4860',
    'https://[2001:db8::1]:8443',
    'https://10.0.0.7',
    'https://localhost',
    'https://my_host.example.com',
    'https://xn--mnchen-3ya.example',
    'https://gw.example.com:80',
    'http://localhost:443',
  ])('stays unchanged when it is correct: %s', (url) => {
    expect(expectAccepted(url)).toEqual({ url, corrections: [] })
  })

  it.each<[string, string, string, string[]]>([
    ['spaces around', `  ${ROOT}\t`, ROOT, ['trimmed']],
    ['no-break spaces', `\u00a0${ROOT}\u00a0`, ROOT, ['trimmed']],
    ['a final line break', `${ROOT}\r\n`, ROOT, ['trimmed']],
    ['a byte order mark', `\ufeff${ROOT}`, ROOT, ['trimmed']],
    ['zero-width characters inside', 'https://gw.\u200bexample\u200d.com', ROOT, ['trimmed']],
    ['a line break where it was wrapped', `${ROOT}\n  /v1/messages`, ROOT, ['trimmed', 'suffixRemoved']],
    ['a line break after a slash', 'https://\ngw.example.com', ROOT, ['trimmed']],
    ['double quotes', `"${ROOT}"`, ROOT, ['unquoted']],
    ['curly quotes', `“${ROOT}”`, ROOT, ['unquoted']],
    ['round brackets', `(${ROOT})`, ROOT, ['unquoted']],
    ['escaped quotes', `\\"${ROOT}\\"`, ROOT, ['unquoted']],
    ['the end of a sentence', `${ROOT}/v1.`, ROOT, ['unquoted', 'suffixRemoved']],
    ['a comma after quotes', `"${ROOT}",`, ROOT, ['unquoted']],
    ['spaces inside quotes', `" ${ROOT} "`, ROOT, ['unquoted', 'trimmed']],
    ['a variable’s name', `export ANTHROPIC_BASE_URL="${ROOT}"`, ROOT, ['unquoted']],
    ['a setting’s name', `"baseURL": "${ROOT}/v1",`, ROOT, ['unquoted', 'suffixRemoved']],
    ['no scheme', 'gw.example.com', ROOT, ['schemeAdded']],
    ['no scheme but a port', 'gw.example.com:8443', `${ROOT}:8443`, ['schemeAdded']],
    ['no scheme but slashes', '//gw.example.com', ROOT, ['schemeAdded']],
    ['no scheme but a colon and slashes', '://gw.example.com', ROOT, ['schemeAdded']],
    ['no scheme on this machine', 'localhost:4860', 'http://localhost:4860', ['schemeAdded']],
    ['no scheme and a loopback number', '127.0.0.1:4860/v1', 'http://127.0.0.1:4860', ['schemeAdded', 'suffixRemoved']],
    ['no scheme and a loopback IPv6', '[::1]:4860', 'http://[::1]:4860', ['schemeAdded']],
    ['a host named like a scheme', 'https.example.com', 'https://https.example.com', ['schemeAdded']],
    ['a missing colon', 'https//gw.example.com', ROOT, ['schemeRepaired']],
    ['a missing slash', 'https:/gw.example.com', ROOT, ['schemeRepaired']],
    ['missing slashes', 'https:gw.example.com', ROOT, ['schemeRepaired']],
    ['a slash too many', 'https:///gw.example.com', ROOT, ['schemeRepaired']],
    ['a colon too many', 'https:://gw.example.com', ROOT, ['schemeRepaired']],
    ['a semicolon for the colon', 'https;//gw.example.com', ROOT, ['schemeRepaired']],
    ['a mistyped scheme', 'htps://gw.example.com', ROOT, ['schemeRepaired']],
    ['a cut scheme', 'ttps://gw.example.com', ROOT, ['schemeRepaired']],
    ['the scheme twice', 'https://https://gw.example.com', ROOT, ['schemeRepaired']],
    ['a scheme before another', 'http://https://gw.example.com', ROOT, ['schemeRepaired']],
    [
      'backslashes',
      'https:\\\\gw.example.com\\v1\\',
      ROOT,
      ['schemeRepaired', 'suffixRemoved', 'trailingSlashRemoved'],
    ],
    ['upper case in the scheme', 'HTTPS://gw.example.com', ROOT, ['lowercased']],
    ['upper case in the host', 'https://GW.Example.com', ROOT, ['lowercased']],
    ['upper case in the suffix', `${ROOT}/V1/Chat/Completions`, ROOT, ['suffixRemoved', 'lowercased']],
    ['a final slash', `${ROOT}/`, ROOT, ['trailingSlashRemoved']],
    ['final slashes', `${ROOT}///`, ROOT, ['trailingSlashRemoved']],
    ['/v1/', `${ROOT}/v1/`, ROOT, ['suffixRemoved', 'trailingSlashRemoved']],
    ['//v1', `${ROOT}//v1`, ROOT, ['suffixRemoved']],
    ['a query', `${ROOT}/v1/messages?beta=true`, ROOT, ['queryRemoved', 'suffixRemoved']],
    ['a fragment', `${ROOT}/#/plans`, ROOT, ['fragmentRemoved', 'trailingSlashRemoved']],
    ['a query without a path', `${ROOT}?a=b`, ROOT, ['queryRemoved']],
    ['an @ in its query', `${ROOT}?mail=a@b.c`, ROOT, ['queryRemoved']],
    ['the default port of https', `${ROOT}:443/v1`, ROOT, ['suffixRemoved', 'defaultPortRemoved']],
    ['the default port of http', 'http://localhost:80', 'http://localhost', ['defaultPortRemoved']],
    ['an international name', 'https://münchen.example', 'https://xn--mnchen-3ya.example', ['hostEncoded']],
    [
      'an upper-case international name',
      'https://MÜNCHEN.example',
      'https://xn--mnchen-3ya.example',
      ['lowercased', 'hostEncoded'],
    ],
    ['full-width letters', 'https://ｇｗ.example.com', ROOT, ['hostEncoded']],
    ['a final dot of the name', 'https://gw.example.com.:8443', `${ROOT}:8443`, ['hostEncoded']],
    ['a long IPv6', 'https://[2001:0DB8:0:0:0:0:0:1]', 'https://[2001:db8::1]', ['lowercased', 'hostEncoded']],
    ['leading zeros in the port', `${ROOT}:08443`, `${ROOT}:8443`, ['hostEncoded']],
    [
      'everything at once',
      ' <HTTPS//GW.example.com:443/V1/messages/?a=b#c>\n',
      ROOT,
      'trimmed unquoted schemeRepaired queryRemoved fragmentRemoved lowercased suffixRemoved trailingSlashRemoved defaultPortRemoved'.split(
        ' ',
      ),
    ],
  ])('is corrected when it has %s', (_name, input, url, corrections) => {
    const parsedAddress = expectAccepted(input)
    expect(parsedAddress.url).toBe(url)
    expect([...parsedAddress.corrections].sort()).toEqual([...corrections].sort())
  })

  it.each<[string, string, Failure['code'], RegExp]>([
    ['nothing', '', 'address.empty', /paste/i],
    ['spaces', ' \n\t ', 'address.empty', /paste/i],
    ['empty quotes', '""', 'address.empty', /paste/i],
    ['words', 'my gateway address', 'address.notAnAddress', /alone/],
    ['an address among words', `use ${ROOT} please`, 'address.notAnAddress', /alone/],
    ['two addresses', `${ROOT}\nhttps://other.example.com`, 'address.notAnAddress', /alone/],
    ['a novel', `https://${'a'.repeat(3000)}.com`, 'address.notAnAddress', /too long/],
    ['ftp', 'ftp://gw.example.com', 'address.scheme', /ftp:.*https:\/\//],
    ['a file', 'file:///etc/hosts', 'address.scheme', /https:\/\//],
    ['a script', 'javascript:alert(1)', 'address.scheme', /https:\/\//],
    ['http to another machine', 'http://gw.example.com/v1', 'address.insecure', /https:\/\/gw\.example\.com/],
    ['http to a private network', 'http://10.0.0.7:8080', 'address.insecure', /https:\/\//],
    ['http to a name that begins like this machine', 'http://127.0.0.1.example.com', 'address.insecure', /https/],
    ['http to a name that ends like this machine', 'http://notlocalhost.com', 'address.insecure', /https/],
    ['a mapped loopback over http', 'http://[::ffff:127.0.0.1]', 'address.insecure', /https/],
    ['a user and a password', 'https://ann:hunter22@gw.example.com', 'address.credentials', /own field/],
    ['a user and a password without a scheme', 'ann:hunter22@gw.example.com', 'address.credentials', /own field/],
    ['a user', 'https://hunter22@gw.example.com', 'address.credentials', /own field/],
    ['a password with a slash', 'https://ann:hunter/22@gw.example.com', 'address.credentials', /own field/],
    ['a path of its own', `${ROOT}/console/plans`, 'address.path', /\/console\/plans.*https:\/\/gw\.example\.com$/],
    ['a path before the suffix', `${ROOT}/api/v1`, 'address.path', /\/api\/v1.*https:\/\/gw\.example\.com$/],
    ['a path after the suffix', `${ROOT}/v1/files`, 'address.path', /\/v1\/files/],
    ['another version', `${ROOT}/v2`, 'address.path', /\/v2/],
    ['a host without a dot', 'https://gateway', 'address.notAnAddress', /no dot/],
    ['one word', 'gateway', 'address.notAnAddress', /no dot/],
    ['a drive', 'C:\\Users\\ann', 'address.notAnAddress', /./],
    ['a scheme alone', 'https://', 'address.notAnAddress', /host/],
    ['no host', 'https://:8443', 'address.notAnAddress', /host/],
    ['a dot alone', 'https://./v1', 'address.notAnAddress', /host/],
    ['two dots', 'https://gw..example.com', 'address.notAnAddress', /host/],
    ['a hyphen at the end of a label', 'https://gw-.example.com', 'address.notAnAddress', /host/],
    ['a character no host has', 'https://gw,example.com', 'address.notAnAddress', /host/],
    ['a label that is too long', `https://${'a'.repeat(64)}.com`, 'address.notAnAddress', /host/],
    ['one number', 'http://2130706433', 'address.notAnAddress', /host/],
    ['a hexadecimal number', 'http://0x7f.1', 'address.notAnAddress', /host/],
    ['a short number', 'http://127.1', 'address.notAnAddress', /host/],
    ['octal numbers', 'http://0177.0.0.1', 'address.notAnAddress', /host/],
    ['numbers above 255', 'https://256.1.1.1', 'address.notAnAddress', /host/],
    ['too few numbers', 'https://1.2.3', 'address.notAnAddress', /host/],
    ['a group address', 'https://224.0.0.1', 'address.notAnAddress', /host/],
    ['the port 0', `${ROOT}:0`, 'address.notAnAddress', /1 to 65535/],
    ['a port above 65535', `${ROOT}:65536`, 'address.notAnAddress', /1 to 65535/],
    ['a port of letters', `${ROOT}:abc`, 'address.notAnAddress', /1 to 65535/],
    ['a negative port', `${ROOT}:-1`, 'address.notAnAddress', /1 to 65535/],
    ['an IPv6 without brackets', 'http://::1', 'address.notAnAddress', /./],
    ['a broken IPv6', 'http://[::1', 'address.notAnAddress', /./],
    ['the wildcard', 'http://0.0.0.0:4860', 'address.notAnAddress', /127\.0\.0\.1/],
    ['the IPv6 wildcard', 'http://[::]:4860', 'address.notAnAddress', /127\.0\.0\.1/],
  ])('is refused when it is %s', (_name, input, code, messagePattern) => {
    const failure = expectAddressRefused(input)
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(messagePattern)
    expect(failure.field).toBe('gatewayUrl')
  })

  it.each([
    'sk-abcdef0123456789abcdef',
    'sk-abcdef0123456789abcdef:443',
    'Bearer sk-abcdef0123456789abcdef',
    'https://ann:sk-abcdef0123456789abcdef@gw.example.com',
    'https://ann:abcdef0123456789abcdef@gw.example.com/v9',
    'https://gw.example.com/use/sk-abcdef0123456789abcdef',
    'https://gw.example.com/v9?key=abcdef0123456789abcdef',
  ])('is refused without repeating a key in it: %s', (input) => {
    expect(JSON.stringify(expectAddressRefused(input))).not.toContain('abcdef0123')
  })
})

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/)
const arbitraryValidUrl = fc.oneof(
  fc.tuple(label, label).map(([first, second]) => `https://${first}.${second}`),
  fc
    .tuple(label, label, fc.integer({ min: 1, max: 65_535 }))
    .map(([a, b, port]) => (port === 443 ? `https://${a}.${b}` : `https://${a}.${b}:${port}`)),
  fc.integer({ min: 1024, max: 65_535 }).map((port) => `http://127.0.0.1:${port}`),
  fc.constantFrom(
    'http://localhost:4860',
    'http://[::1]:4860',
    'https://[2001:db8::1]',
    'https://xn--mnchen-3ya.example',
  ),
)
const suffix = fc.constantFrom(
  ...['', '/', '//', '/v1', '/v1/', '/v1/v1', '/V1', '/v1/chat/completions', '/chat/completions', '/v1/messages'],
  ...['/messages', '/messages/', '/v1/v1/chat/completions', '/v1/messages/count_tokens', '/v1/models', '/v1/responses'],
)
const urlSuffix = fc.constantFrom('', '?', '?beta=true', '#', '#top', '?a=b#c')
const arbitraryWrapper = fc.constantFrom<(text: string) => string>(
  (text) => ` ${text}`,
  (text) => `${text}\n`,
  (text) => `\u200b${text}\ufeff`,
  (text) => `"${text}"`,
  (text) => `'${text}'`,
  (text) => `<${text}>`,
  (text) => `\`${text}\``,
)
const schemeChange = fc.constantFrom<(url: string) => string>(
  (url) => url,
  (url) => url.replace(/^https?/, (scheme) => scheme.toUpperCase()),
  (url) => url.replace('://', '//'),
  (url) => url.replace('://', ':/'),
  (url) => url.replace('://', ':///'),
  (url) => url.replace('://', ':\\\\'),
  (url) => url.replace(/^https?:\/\//, ''),
)

describe('for any address', () => {
  it('every decoration of a good host gives the same root', () => {
    fc.assert(
      fc.property(
        arbitraryValidUrl,
        schemeChange,
        suffix,
        urlSuffix,
        fc.array(arbitraryWrapper, { maxLength: 4 }),
        (...args) => {
          const [url, change, path, urlTail, wraps] = args
          const pastedUrl = wraps.reduce((text, wrap) => wrap(text), change(url) + path + urlTail)
          expect(expectAccepted(pastedUrl).url).toBe(url)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('reports a correction exactly when the text was not the root itself', () => {
    fc.assert(
      fc.property(arbitraryValidUrl, suffix, urlSuffix, (url, path, urlTail) => {
        expect(expectAccepted(url + path + urlTail).corrections.length > 0).toBe(path + urlTail !== '')
      }),
    )
  })

  const arbitraryText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https', 'ftp'] }),
    fc.domain(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `https://[${address}]`),
    fc
      .array(
        fc.constantFrom(
          '\n',
          ' ',
          ...['http', 's', ':', '/', '@', '.', '#', '?', '[', ']', 'v1', 'a.b', '=', '"', '\\', '0'],
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )

  it('never throws, and returns a clean root or a failure', () => {
    fc.assert(
      fc.property(arbitraryText, (input) => {
        const parseResult = parseGatewayAddress(input)
        if (!parseResult.ok) {
          expect(Failure.safeParse(parseResult.error).success).toBe(true)
          expect(parseResult.error.code).toMatch(/^address\./)
          return
        }
        const { url, corrections } = parseResult.value
        expect(url).toBe(new URL(url).origin)
        expect(url).not.toMatch(/\/$|[^/]\/v1|\s/)
        expect(corrections.every((correction) => AddressCorrection.safeParse(correction).success)).toBe(true)
        expect(new Set(corrections).size).toBe(corrections.length)
      }),
      { numRuns: 3000 },
    )
  })

  it('parsing the result again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText, arbitraryValidUrl), (input) => {
        const parseResult = parseGatewayAddress(input)
        fc.pre(parseResult.ok)
        if (parseResult.ok)
          expect(expectAccepted(parseResult.value.url)).toEqual({ url: parseResult.value.url, corrections: [] })
      }),
      { numRuns: 500 },
    )
  })

  it('reads adversarial texts without backtracking', () => {
    for (const fragment of [' ', '\n', '"', '\\"', 'https://', '/v1', '.', ':', 'a.', '?', 'url:'])
      expect(parseGatewayAddress(`${fragment.repeat(2000 / fragment.length)}!`)).toMatchObject({ ok: false })
  })
})

describe('the suffix rule', () => {
  it.each([
    ['chat-completions', `${ROOT}/v1`, `${ROOT}/v1/chat/completions`],
    ['messages', ROOT, `${ROOT}/v1/messages`],
  ] as const)('leads the tools of %s to the path that the gateway serves', (standard, base, request) => {
    expect([baseAddress(ROOT, standard), requestAddressFor(ROOT, standard)]).toEqual([base, request])
  })

  it.each([
    [ROOT, '/v1/messages', `${ROOT}/v1/messages`],
    [`${ROOT}/`, '/v1/messages', `${ROOT}/v1/messages`],
    [`${ROOT}/v1/messages`, '', `${ROOT}/v1/messages`],
    [`${ROOT}/v1//`, 'chat/completions', `${ROOT}/v1/chat/completions`],
    [`${ROOT}/v1`, '/v1/messages', `${ROOT}/v1/v1/messages`],
  ])('joins %s and %s with one slash', (base, path, expected) => {
    expect(requestAddress(base, path)).toBe(expected)
  })

  it('resolves every base and request address that it creates to the same root', () => {
    fc.assert(
      fc.property(arbitraryValidUrl, fc.constantFrom('chat-completions', 'messages'), (url, standard) => {
        expect(expectAccepted(baseAddress(url, standard)).url).toBe(url)
        expect(expectAccepted(requestAddressFor(url, standard)).url).toBe(url)
        expect(isSameOrigin(baseAddress(url, standard), url)).toBe(true)
        expect(getOtherShape(getOtherShape(baseAddress(url, standard)))).toBe(baseAddress(url, standard))
      }),
    )
  })
})

it.each([
  [ROOT, true],
  [`${ROOT}/v1/v1/chat/completions?a=b`, true],
  [`${ROOT}:443/`, true],
  ['https://other.example.com', false],
  [`${ROOT}:8443`, false],
  ['http://gw.example.com', false],
  ['https://ann:pw@gw.example.com', false],
  ['gw.example.com', false],
  ['', false],
])('a base %j in a tool’s file leads to the gateway: %s', (base, leads) => {
  expect(isSameOrigin(base, ROOT)).toBe(leads)
})

it.each([
  [ROOT, `${ROOT}/v1`],
  [`${ROOT}/`, `${ROOT}/v1`],
  [`${ROOT}/v1`, ROOT],
  [`${ROOT}/v1/`, ROOT],
  [`${ROOT}/v1/v1`, `${ROOT}/v1`],
  [`${ROOT}/v1/chat/completions`, `${ROOT}/chat/completions`],
  [`${ROOT}/chat/completions`, `${ROOT}/v1/chat/completions`],
  [`${ROOT}/v1x`, `${ROOT}/v1/v1x`],
  [`${ROOT}/t/pi`, `${ROOT}/v1/t/pi`],
  ['http://127.0.0.1:4870/t/pi', 'http://127.0.0.1:4870/t/pi/v1'],
  ['http://127.0.0.1:4870/t/pi/v1/', 'http://127.0.0.1:4870/t/pi'],
])('the base %s for the other standard is %s', (base, otherBase) => {
  expect(getOtherShape(base)).toBe(otherBase)
})

it('an address is shown without user, password, query and fragment', () => {
  expect(printableAddress('https://ann:pw@gw.example.com/v1?key=x#y')).toBe(`${ROOT}/v1`)
  expect(printableAddress('ann:pw@nowhere')).toBe('')
})

it.each(['https://example.com/a?b#c', 'http://example.com/', 'mailto:someone@example.com'])('opens %s', (url) => {
  expect(parseExternalUrl(url)).toBe(url)
})

it.each(['file:///etc/passwd', 'javascript:alert(1)', 'https://me:pass@example.com', 'ms-settings:', 'x', ''])(
  'never opens %j',
  (url) => {
    expect(() => parseExternalUrl(url)).toThrow(AppError)
  },
)
