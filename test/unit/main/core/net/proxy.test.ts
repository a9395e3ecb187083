import { describe, expect, it } from 'vitest'
import { proxyFromEnvironment, readProxyList } from '../../../../../src/main/core/net/proxy'
import { expectFailure } from '../../../support/failures'

const directRoute = { kind: 'direct' }
const expectedProxyRoute = (url: string) => ({ kind: 'proxy', url })

describe('a resolved proxy list', () => {
  it.each([
    ['DIRECT', directRoute],
    ['', directRoute],
    [' direct ; PROXY a:1', directRoute],
    ['PROXY proxy.example.com:3128; DIRECT', expectedProxyRoute('http://proxy.example.com:3128/')],
    ['HTTPS proxy.example.com:443;DIRECT', expectedProxyRoute('https://proxy.example.com/')],
    ['HTTP 10.0.0.1:80', expectedProxyRoute('http://10.0.0.1/')],
    ['PROXY [::1]:8080', expectedProxyRoute('http://[::1]:8080/')],
    ['SOCKS5 s:1080; PROXY p:1', expectedProxyRoute('socks5://s:1080')],
    ['SOCKS s:1080; DIRECT', expectedProxyRoute('socks4://s:1080')],
    ['SOCKS4 s:1080', expectedProxyRoute('socks4://s:1080')],
    ['QUIC q:443; PROXY p:1', expectedProxyRoute('http://p:1/')],
  ])('%j leads %j', (text, route) => {
    expect(readProxyList(text)).toEqual(route)
  })

  it.each(['QUIC q:443; DIRECT', 'SOCKS5', 'PROXY', 'PROXY :80', 'nonsense'])('%j leads nowhere', (text) => {
    expect(() => readProxyList(text)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'net.proxy' }) }),
    )
  })
})

const HTTPS = 'https://api.example.com/x'
const HTTP = 'http://api.example.com'
const PROXY = { HTTPS_PROXY: 'http://p.example.com:3128' }
const toProxy = expectedProxyRoute('http://p.example.com:3128/')

describe('the proxy variables', () => {
  it.each([
    ['none', {}, HTTPS, directRoute],
    ['empty', { HTTPS_PROXY: '', https_proxy: ' ' }, HTTPS, directRoute],
    ['one for https', PROXY, HTTPS, toProxy],
    ['the small spelling first', { ...PROXY, https_proxy: 'http://q:1' }, HTTPS, expectedProxyRoute('http://q:1/')],
    ['no scheme', { HTTPS_PROXY: 'p.example.com:3128' }, HTTPS, toProxy],
    ['user and password', { HTTPS_PROXY: 'http://u:p%40@p:1' }, HTTPS, expectedProxyRoute('http://u:p%40@p:1/')],
    ['one for http only', { HTTP_PROXY: 'http://p:1' }, HTTPS, directRoute],
    ['one for http', { HTTP_PROXY: 'http://p:1' }, HTTP, expectedProxyRoute('http://p:1/')],
    ['one for https, not for http', PROXY, HTTP, directRoute],
    ['one for all', { ALL_PROXY: 'socks5h://s:1080' }, HTTPS, expectedProxyRoute('socks5h://s:1080')],
    ['one for all in lower case', { all_proxy: 'socks4a://s:1' }, HTTP, expectedProxyRoute('socks4a://s:1')],
    ['one for https before one for all', { ...PROXY, ALL_PROXY: 'socks5://s:1080' }, HTTPS, toProxy],
    [
      'SOCKS with user and password',
      { HTTPS_PROXY: 'socks5://u:p@s:1' },
      HTTPS,
      expectedProxyRoute('socks5://u:p@s:1'),
    ],
  ])('select the proxy with %s', async (_, variables, url, route) => {
    expect(await proxyFromEnvironment(variables)(url)).toEqual(route)
  })

  it.each([
    ['*', HTTPS, directRoute],
    ['api.example.com', HTTPS, directRoute],
    ['API.Example.com', HTTPS, directRoute],
    ['example.com', HTTPS, directRoute],
    ['.example.com', HTTPS, directRoute],
    ['*.example.com', HTTPS, directRoute],
    ['other.com, example.com', HTTPS, directRoute],
    ['other.com example.com', HTTPS, directRoute],
    ['api.example.com:443', HTTPS, directRoute],
    ['api.example.com:8443', 'https://api.example.com:8443', directRoute],
    ['api.example.com:8443', HTTPS, toProxy],
    ['ample.com', HTTPS, toProxy],
    ['example.com.evil', HTTPS, toProxy],
    ['.', HTTPS, toProxy],
    ['', HTTPS, toProxy],
    ['10.0.0.0/8', 'https://10.20.30.40', directRoute],
    ['10.0.0.0/8', 'https://11.20.30.40', toProxy],
    ['10.0.0.0/99', 'https://10.20.30.40', toProxy],
    ['10.0.0.0/8', 'https://[::1]', toProxy],
    ['fd00::/8', 'https://[fd12::1]', directRoute],
    ['10.1.2.3', 'https://10.1.2.3', directRoute],
    ['[fd12::1]', 'https://[fd12::1]', directRoute],
    ['fd12::1', 'https://[fd12::1]', directRoute],
    ['[fd12::1]:443', 'https://[fd12::1]', directRoute],
    ['[fd12::1]:444', 'https://[fd12::1]', toProxy],
    ['x/y', HTTPS, toProxy],
  ])('with NO_PROXY %j select for %s the proxy %j', async (list, url, route) => {
    expect(await proxyFromEnvironment({ ...PROXY, NO_PROXY: list })(url)).toEqual(route)
    expect(await proxyFromEnvironment({ ...PROXY, no_proxy: list })(url)).toEqual(route)
  })

  it('defer to the system only when they name no proxy', async () => {
    const system = readProxyList('PROXY system.example.com:8080')
    const routeTo = (variables: Record<string, string>) => proxyFromEnvironment(variables, async () => system)(HTTPS)
    expect(await routeTo({})).toEqual(system)
    expect(await routeTo({ HTTP_PROXY: 'http://p:1' })).toEqual(system)
    expect(await routeTo(PROXY)).toEqual(toProxy)
    expect(await routeTo({ ...PROXY, NO_PROXY: '*' })).toEqual(directRoute)
  })

  it.each(['ftp://u:hunter2@p:1', 'socks6://u:hunter2@p:1', 'http://', 'http://u:hunter2@p:port'])(
    'with %j are invalid, and not repeated',
    async (proxySetting) => {
      const proxyRoute = proxyFromEnvironment({ HTTPS_PROXY: proxySetting })(HTTPS)
      await expectFailure(proxyRoute, { code: 'net.proxy', message: expect.not.stringContaining('hunter2') })
    },
  )
})
