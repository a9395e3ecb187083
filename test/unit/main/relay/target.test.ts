import { expect, test } from 'vitest'
import { readTarget } from '../../../../src/main/relay/target'

const chat = '/v1/chat/completions'
const messages = '/v1/messages'

test.each([
  ['/t/x/v1/chat/completions', chat],
  ['/t/x/chat/completions', chat],
  ['/t/x/v1/v1/chat/completions', chat],
  ['/t/x//v1/chat/completions', chat],
  ['/t/x/v1//chat/completions?a=%2Fb&c=..', `${chat}?a=%2Fb&c=..`],
  ['/t/x/v1/messages?beta=true', `${messages}?beta=true`],
  ['/t/x/messages', messages],
  ['/t/x/messages/count_tokens', `${messages}/count_tokens`],
  ['/t/x/models', '/v1/models'],
  ['/t/x/v1/responses', chat],
  ['/t/x', '/'],
  ['/t/x/api/hello', '/api/hello'],
  ['/t/x/v1/v1/other//path/?q', '/v1/v1/other//path/?q'],
  ['/t/x/v1beta/models/m:generate', '/v1beta/models/m:generate'],
  ['/t/x/v1/chat/completions/', chat],
  ['/t/x/V1//Chat/%63ompletions%20;x=1', chat],
  ['/t/x/v1/messages/batches', `${messages}/batches`],
  ['/t/x/rerank', '/v1/rerank'],
  ['/t/x/v1/models/gw/Large', '/v1/models/gw/Large'],
  ['/t/x/openai/v1/Chat/completions', '/openai/v1/Chat/completions'],
])('%s goes to %s', (url, path) => {
  expect(readTarget(url)).toMatchObject({ toolId: 'x', path })
})

test.each([
  '/t/x/../y/v1/messages',
  '/t/x/v1/..',
  '/t/x/./v1',
  '/t/x/..;/v1',
  '/t/x/%2e%2e/v1',
  '/t/x/%252e%252e/v1',
  '/t/x/v1%2Fmessages',
  '/t/x/v1%5cmessages',
  '/t/x/v1/chat/completions%3f',
  '/t/x/v1/chat/%2563ompletions',
  '/t/x/v1/chat/completions%zz',
  '/t/x/v1/chat/completions%ff',
  '/t/x/v1\\messages',
  '/t/x/v1%00',
  '/t/x/v1%0d%0aHost:%20evil',
  '/t/x/v1#/messages',
  '/t/x/v1/\u00fc',
  '/t/x/a b',
  'http://evil.example/t/x/v1/messages',
  '*',
  '',
])('%s is refused', (url) => {
  expect(readTarget(url)).toBe('refused')
})

test.each(['/', '/v1/messages', '/t', '/t/', '/t//v1', '/T-x', '/tx/v1', '/t/-x/v1', `/t/${'x'.repeat(65)}/v1`])(
  '%s is invalid',
  (url) => {
    expect(readTarget(url)).toBe('unknown')
  },
)
