import { expect, test } from 'vitest'
import { chatResponseBody, readBody, respondWithJson, startRelayTo } from './support'

const path = '/t/x/v1/responses'
const buildBody = (overrides: object = {}): string => JSON.stringify({ model: 'aurora', input: 'Hi', ...overrides })

const chunk = (chunkFields: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'aurora', ...chunkFields })}\n\n`
const usage = { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }
const stream = [
  chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
]
const expectedEntry = {
  inputTokens: 8,
  cacheReadTokens: 4,
  outputTokens: 5,
  status: 200,
  error: undefined,
  answerId: 'chatcmpl-1',
  modelCode: 'aurora',
  standard: 'chat-completions',
}

/** A gateway of one standard with fixed responses, and a relay in front of it. */
async function startGatewayAndRelay(limits: { heldBytes?: number } = {}) {
  const receivedRequests: { readonly path: string | undefined; readonly body: Record<string, unknown> }[] = []
  const answer: Parameters<typeof startRelayTo>[0] = async (request, response) => {
    const body = JSON.parse(await readBody(request))
    receivedRequests.push({ path: request.url, body })
    if (body.stream !== true) return respondWithJson(response, chatResponseBody)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r1' })
    for (const eventText of stream) response.write(eventText)
    response.end()
  }
  return { receivedRequests, ...(await startRelayTo(answer, { limits })) }
}

test.each(['/t/x/v1/responses', '/t/x/responses'])('a request for %s is streamed and counted once', async (url) => {
  const { send, entries, receivedRequests } = await startGatewayAndRelay()
  const { status, headers, body } = await send(url, buildBody({ stream: true }))
  expect([status, headers['content-type'], headers['x-request-id']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'r1',
  ])
  const types = [...body.matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
  expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
  expect(body).toContain('"input_tokens":12,"input_tokens_details":{"cached_tokens":4}')
  expect(receivedRequests).toMatchObject([
    { path: '/v1/chat/completions', body: { stream_options: { include_usage: true } } },
  ])
  expect(entries).toMatchObject([expectedEntry])
})

test('a request without streaming gets one response', async () => {
  const { send, entries } = await startGatewayAndRelay()
  const { status, body } = await send(path, buildBody())
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    { object: 'response', output: [{ content: [{ text: 'Hi' }] }] },
  ])
  expect(entries).toMatchObject([expectedEntry])
})

test('refusals of the gateway are passed on in its own words', async () => {
  const { send, entries } = await startRelayTo((_, response) =>
    respondWithJson(response, { error: { message: 'Plan is over.' } }, 402),
  )
  const { status, body } = await send(path, buildBody({ stream: true }))
  expect([status, JSON.parse(body)]).toEqual([402, { error: { message: 'Plan is over.' } }])
  expect(entries).toMatchObject([{ status: 402, error: 'plan' }])
})

test.each([
  [
    'cannot be said',
    buildBody({ previous_response_id: 'resp_1' }),
    {},
    400,
    /cannot express an answer that was stored/,
  ],
  ['is no request', 'oops', {}, 400, /not of the Responses protocol/],
  ['is too long', Buffer.alloc(16 * 1024 * 1024 + 1, 32), {}, 413, /larger .* translates \(16 MB\)/],
  ['finds no room', buildBody({ user: 'x'.repeat(10_000) }), { heldBytes: 10_000 }, 503, /Try again/],
])('a request that %s is refused with a message, and nothing is sent', async (_name, body, limits, status, pattern) => {
  const { send, entries, receivedRequests } = await startGatewayAndRelay(limits)
  const response = await send(path, body)
  expect([response.status, JSON.parse(response.body).error.message]).toEqual([status, expect.stringMatching(pattern)])
  expect(receivedRequests).toEqual([])
  expect(entries).toMatchObject([{ status, error: 'relay' }])
})
