import { expect } from 'vitest'
import { buildChatBody, chatPath, messagesPath, rawRequest, startHarness, test } from '../support'

const pathCases: readonly [string, string, string][] = [
  ['POST', '/v1/v1/messages', 'for this standard set the base address to {url}'],
  ['POST', '/v1/v1/messages/count_tokens', 'for this standard set the base address to {url}'],
  ['POST', '/v1/messages/v1/messages', 'for this standard set the base address to {url}'],
  ['POST', '/messages', 'this tool adds only /messages, so set its base address to {url}/v1'],
  ['POST', '/chat/completions', 'for this standard set the base address to {url}/v1'],
  [
    'POST',
    '/v1/v1/chat/completions',
    'for this standard set the base address to {url}/v1, or to {url} if the tool adds /v1 itself',
  ],
  ['POST', '/v1/chat/completions/chat/completions', 'for this standard set the base address to {url}/v1'],
  ['POST', '/v1/responses', 'the Responses API is not served; use chat-completions with the base address {url}/v1'],
  ['GET', '/v1/models', 'there is no model list; name a model code of the plan'],
  ['GET', chatPath, 'this path takes POST requests'],
  ['PUT', messagesPath, 'this path takes POST requests'],
  ['POST', '/v1/embeddings', 'the gateway of a plan serves no embeddings; the inference API of the platform does'],
  [
    'POST',
    '/v1/completions',
    'set the base address to {url}/v1 for a chat-completions tool, or to {url} for a tool of the messages standard',
  ],
]
test.each(pathCases)('an unknown path: %s %s is a 404 that names the remedy', async (method, path, remedy) => {
  const { gatewayUrl } = await startHarness()
  const response = await fetch(`${gatewayUrl}${path}?beta=true`, { method })
  const body = await response.json()
  expect(response.status).toBe(404)
  expect(body.error.message).toBe(`You asked for ${method} ${path}; ${remedy.replaceAll('{url}', gatewayUrl)}`)
  expect(body.type === 'error').toBe(path.includes('/messages'))
})

test('every response contains the sandbox’s clock, like the platform’s', async ({ harness: { post, control } }) => {
  await control('clock', { advanceMs: 7 * 86_400_000 })
  const response = await post(chatPath, buildChatBody('hi'))
  const { created } = await response.json()
  for (const timeMs of [Date.parse(response.headers.get('date') ?? ''), created * 1000])
    expect(Math.round((timeMs - Date.now()) / 86_400_000)).toBe(7)
})

test('the start-up probe of a coding tool is a 404 without a body', async ({ harness: { gatewayUrl } }) => {
  const response = await rawRequest(`${gatewayUrl}/api/hello`, { method: 'HEAD' })
  expect([response.status, response.text, response.isComplete]).toEqual([404, '', true])
})
