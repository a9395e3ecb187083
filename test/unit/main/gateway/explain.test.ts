import { Failure } from '@shared/failure'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { explainNetworkError, explainStatus } from '../../../../src/main/gateway/explain'
import { readRetryAfter, readServerMessage } from '../../../../src/main/gateway/server-message'

type UnexpectedAnswer = Parameters<typeof explainStatus>[0]

const ROOT = 'https://gw.example.com'
const KEY = 'plainkeywithoutform123'

const explainTestStatus = (overrides: Partial<UnexpectedAnswer>): Failure =>
  explainStatus({
    status: 500,
    body: '{}',
    standard: 'chat-completions',
    requestAddress: `${ROOT}/v1/chat/completions`,
    ...overrides,
  })

const errorBody = (message: string, code?: string) => JSON.stringify({ error: { message, code } })

type StatusCase = [number, string, Failure['code'], RegExp]

describe('a status', () => {
  it.each<StatusCase>([
    [401, errorBody('no'), 'gateway.keyRejected', /copy the key again.*active/i],
    [402, errorBody('no'), 'gateway.planExpired', /expired.*buy the plan again.*auto-renew/i],
    [402, errorBody('Plan expired, its allowance is void'), 'gateway.planExpired', /buy/i],
    [402, errorBody('insufficient quota'), 'gateway.quotaExhausted', /next cycle/],
    [403, errorBody('no'), 'gateway.modelNotInPlan', /model code of the plan/],
    [403, errorBody('The quota of this model is used up'), 'gateway.quotaExhausted', /next cycle/],
    [403, '<!DOCTYPE html><title>Blocked</title>', 'gateway.notAGateway', /web page.*Blocked/],
    [404, errorBody('no'), 'gateway.wrongSuffix', /Check the gateway address/],
    [404, errorBody('The model `nope` does not exist.'), 'gateway.modelNotInPlan', /exactly as listed/],
    ...[
      'The model `gpt-4.1-nope` does not exist or you do not have access to it.',
      'model "qwen2.5-coder:7b" not found, try pulling it first',
      'Unknown model: glm-4.5',
      "The requested model 'kimi-k2' doesn't exist",
      'Could not find model nope',
    ].map((text): StatusCase => [404, errorBody(text), 'gateway.modelNotInPlan', /exactly as listed/]),
    [404, errorBody('There is no model list. This page was not found.'), 'gateway.wrongSuffix', /suffix/],
    [404, errorBody('model: claude-nope'), 'gateway.modelNotInPlan', /exactly as listed/],
    [404, errorBody('no', 'model_not_found'), 'gateway.modelNotInPlan', /exactly as listed/],
    [429, errorBody('slow down'), 'gateway.rateLimited', /try again/i],
    [429, errorBody('no', 'quota_exhausted'), 'gateway.quotaExhausted', /next cycle.*pay-as-you-go/],
    [429, errorBody('Monthly allowance reached'), 'gateway.quotaExhausted', /next cycle/],
    [429, JSON.stringify({ error: { type: 'insufficient_quota' } }), 'gateway.quotaExhausted', /next cycle/],
    [400, errorBody('Your allowance is used up'), 'gateway.quotaExhausted', /next cycle/],
    [400, errorBody('no'), 'gateway.badRequest', /model code/],
    [422, errorBody('no'), 'gateway.badRequest', /422/],
    [405, '', 'gateway.notAGateway', /405.*Check the gateway address/],
    [408, '', 'gateway.serverError', /try again/i],
    [500, errorBody('quota service down'), 'gateway.serverError', /try again/i],
    [502, '<html><title>Bad Gateway</title></html>', 'gateway.serverError', /502.*Bad Gateway/],
    [529, errorBody('overloaded'), 'gateway.serverError', /overloaded/],
    [301, '', 'gateway.notAGateway', /redirects \(301\)/],
    [200, '', 'gateway.notAGateway', /empty/],
    [200, '\n<HTML>', 'gateway.notAGateway', /web page/],
    [200, 'hello', 'gateway.notAGateway', /not JSON.*hello/],
    [200, '{"hello":1}', 'gateway.notAGateway', /chat-completions standard/],
    [204, '', 'gateway.notAGateway', /empty/],
  ])('%s with %s is %s', (status, body, code, messagePattern) => {
    const failure = explainTestStatus({ status, body })
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(messagePattern)
    expect(failure.message).toContain('gw.example.com')
  })

  it('404 at a wrong base names the correct base and the resulting address', () => {
    const explainAddress = (requestAddress: string, standard: UnexpectedAnswer['standard'] = 'chat-completions') =>
      explainTestStatus({ status: 404, standard, requestAddress }).message
    const doubledPathMessage = explainAddress(`${ROOT}/v1/v1/messages`, 'messages')
    expect(doubledPathMessage).toContain(`${ROOT}/v1/v1/messages`)
    expect(doubledPathMessage).toContain(`Set the base address to ${ROOT},`)
    expect(doubledPathMessage).toContain(`calls ${ROOT}/v1/messages.`)
    expect(explainAddress(`${ROOT}/chat/completions`)).toContain(`Set the base address to ${ROOT}/v1,`)
    const relayRoot = 'http://127.0.0.1:4870/t/pi'
    expect(explainAddress(`${relayRoot}/chat/completions`)).toContain(`Set the base address to ${relayRoot}/v1,`)
  })

  it('403 and 429 name the requested model', () => {
    expect(explainTestStatus({ status: 403, model: 'gw-large' }).message).toContain('gw-large')
    const quotaFailure = explainTestStatus({ status: 429, body: errorBody('quota'), model: 'gw-large' })
    expect(quotaFailure.message).toContain('gw-large')
  })

  it('of a redirect names its target without path and query', () => {
    const { message } = explainTestStatus({ status: 302, location: 'https://login.example.com/sso?key=hunter22' })
    expect(message).toContain('https://login.example.com')
    expect(message).not.toContain('hunter22')
    expect(explainTestStatus({ status: 302, location: null }).message).toContain('redirects (302). Check')
    expect(explainTestStatus({ status: 302, location: 'https://%' }).code).toBe('gateway.notAGateway')
  })

  it('contains the request id and the retry delay', () => {
    const failure = explainTestStatus({ status: 429, body: '', retryAfter: '3', requestId: 'req-7' })
    expect(failure).toMatchObject({ requestId: 'req-7', retryAfterMs: 3000 })
    expect(failure.message).toContain('3 s')
    expect(explainTestStatus({ status: 503, retryAfter: '2' }).retryAfterMs).toBe(2000)
    expect(explainTestStatus({ status: 429 })).not.toHaveProperty('retryAfterMs')
  })

  it('always becomes a failure that may cross a process boundary', () => {
    const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom('<html>', '{"error":null}', '{"errors":[]}', '[]'))
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), body, fc.string(), (status, text, retryAfter) => {
        const failure = explainTestStatus({ status, body: text, retryAfter })
        expect(Failure.safeParse(failure).success).toBe(true)
        expect(failure.code).toMatch(/^gateway\./)
      }),
    )
  })
})

describe('a server’s own message', () => {
  it.each([
    ['error.message first', '{"error":{"message":"a"},"message":"b","detail":"c"}', 'a'],
    ['then message', '{"error":{"code":1},"message":"b","detail":"c"}', 'b'],
    ['then detail', '{"detail":"c","errors":[{"message":"d"}]}', 'c'],
    ['then the first of errors', '{"errors":[{"message":"d"},{"message":"e"}]}', 'd'],
    ['an error that is text', '{"error":"plain"}', 'plain'],
    ['the text when a message is not text', '{"message":{"a":1}}', '{"message":{"a":1}}'],
    ['plain text', 'Service down', 'Service down'],
    ['the title of a page', '<html><head><title>\n Sign in </title></head><body>x</body>', 'Sign in'],
    ['nothing of a page without a title', '<html><body>x</body>', ''],
    ['nothing of nothing', '', ''],
    ['one line of several', 'a\n\n  b\tc', 'a b c'],
    ['nothing that moves a terminal', 'a\u001b[31mb\u0007\u202ec', 'a[31mbc'],
  ])('is %s', (_name, body, text) => {
    expect(readServerMessage(body).text).toBe(text)
  })

  it('is cut at 200 characters', () => {
    expect(readServerMessage(errorBody('ä'.repeat(200))).text).toBe('ä'.repeat(200))
    expect(readServerMessage(errorBody('ä'.repeat(201))).text).toBe(`${'ä'.repeat(199)}…`)
  })

  it('contains no part of a key that is cut at 200 characters', () => {
    const body = errorBody(`${'x'.repeat(190)} ${KEY}`)
    expect(readServerMessage(body, [new Secret(KEY)]).text).not.toContain('plain')
  })

  it('is read from long adversarial pages without backtracking', () => {
    for (const fragment of ['<html><title', '<html ', '{"error":', 'eyJ-', ' \n'])
      expect((readServerMessage(`<html>${fragment.repeat(20_000)}`).text ?? '').length).toBeLessThanOrEqual(200)
  })
})

const nowMs = Date.parse('2026-11-21T10:00:00Z')

it.each([
  ['0', 0],
  ['7', 7000],
  [' 7 ', 7000],
  ['1.5', 1500],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['Soon, I hope', undefined],
  ['2026-11-21', undefined],
  ['1e9', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('Retry-After %j is %s ms', (header, expected) => {
  expect(readRetryAfter(header, nowMs)).toBe(expected)
})

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
    const cause = new AggregateError([fetchError('ECONNREFUSED').cause, fetchError('ECONNREFUSED').cause])
    expect(explainNetworkError(new TypeError('fetch failed', { cause }), ADDRESS).code).toBe('net.refused')
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
