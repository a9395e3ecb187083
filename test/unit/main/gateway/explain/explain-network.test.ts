import { describe, expect, it } from 'vitest'
import { explainNetworkError } from '../../../../../src/main/gateway/explain'

const ADDRESS = 'https://gw.example.com/v1/messages'

/** An error like that of fetch, with the code on the cause. */
const fetchError = (code: string, name = 'Error') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`secret words of ${code}`), { code, name }) })

describe('an error of fetch', () => {
  it.each([
    ['ECONNREFUSED', 'net.refused', /refused.*port/],
    ['ENOTFOUND', 'net.hostNotFound', /not found.*spelling/],
    ['EAI_AGAIN', 'net.hostNotFound', /online/],
    ['ETIMEDOUT', 'net.timeout', /in time/],
    ['UND_ERR_CONNECT_TIMEOUT', 'net.timeout', /in time/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'net.tls', /trust.*NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'net.tls', /trust/],
    ['CERT_UNTRUSTED', 'net.tls', /trust/],
    ['CERT_HAS_EXPIRED', 'net.tls', /valid today.*clock/],
    ['CERT_NOT_YET_VALID', 'net.tls', /valid today/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'net.tls', /another host/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'net.tls', /https on this port/],
    ['EPROTO', 'net.tls', /https on this port/],
    ['ECONNRESET', 'net.cut', /cut the connection/],
    ['UND_ERR_SOCKET', 'net.cut', /cut the connection/],
    ['EPIPE', 'net.cut', /cut the connection/],
    ['HPE_INVALID_CONSTANT', 'gateway.notAGateway', /use HTTP/],
    ['HTTPParserError', 'gateway.notAGateway', /use HTTP/],
    ['ENETUNREACH', 'net.other', /online/],
    ['EUNHEARDOF', 'net.other', /EUNHEARDOF/],
  ])('with %s is %s', (code, expected, messagePattern) => {
    const failure = explainNetworkError(fetchError(code), ADDRESS)
    expect(failure.code).toBe(expected)
    expect(failure.message).toMatch(messagePattern)
    expect(failure.message).toContain('https://gw.example.com')
    expect(failure.message).not.toContain('secret words')
  })

  it('is found in an error that contains one for each address of a host', () => {
    const aggregateError = new AggregateError([fetchError('ECONNREFUSED').cause, fetchError('ECONNREFUSED').cause])
    expect(explainNetworkError(new TypeError('fetch failed', { cause: aggregateError }), ADDRESS).code).toBe(
      'net.refused',
    )
  })

  it('is a timeout after the deadline and a cancellation when the caller stopped it', () => {
    expect(explainNetworkError(new DOMException('x', 'TimeoutError'), ADDRESS).code).toBe('net.timeout')
    const abortFailure = explainNetworkError(new DOMException('x', 'AbortError'), ADDRESS)
    expect(abortFailure).toMatchObject({ code: 'net.other', message: expect.stringContaining('canceled') })
  })

  it.each([undefined, null, 'text', 42, new Error('private words'), Object.assign(new Error('x'), { code: 7 })])(
    'of any other kind is net.other: %s',
    (error) => {
      const failure = explainNetworkError(error, ADDRESS)
      expect(failure.code).toBe('net.other')
      expect(failure.message).not.toMatch(/private|undefined|\{/)
    },
  )

  it('terminates for an error that is its own cause', () => {
    const circularValue = new Error('x')
    circularValue.cause = circularValue
    expect(explainNetworkError(circularValue, ADDRESS).code).toBe('net.other')
  })

  it('names the gateway without an address, and nothing for an invalid one', () => {
    expect(explainNetworkError(fetchError('ECONNREFUSED')).message).toMatch(/^The gateway refused/)
    expect(explainNetworkError(fetchError('ECONNREFUSED'), 'ann:pw@x').message).not.toContain('pw')
  })
})
