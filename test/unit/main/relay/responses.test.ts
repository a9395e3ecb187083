import { expect, test } from 'vitest'
import { toProjectId } from '../../../../src/main/usage/project'
import {
  buildTable,
  chatResponseBody,
  readBody,
  respondWithJson,
  startGateway,
  startHarness,
  startRelayTo,
  upstream,
} from './support'

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

test('Codex gets the models of all its plans in its own format, without a gateway request', async () => {
  const gateway = await startGateway((_, response) => respondWithJson(response, { data: [{ id: 'of-gateway' }] }))
  const plans = [
    ['aurora', 'gw/large'],
    ['aurora', 'small'],
  ].map((models) => upstream(gateway.url, { models }))
  const { send, entries } = await startHarness(buildTable(plans))
  const { status, body } = await send('/t/x/v1/models?client_version=0.169.0')
  const { models } = JSON.parse(body)
  expect([status, models.map(({ slug }: { slug: string }) => slug)]).toEqual([200, ['aurora', 'gw/large', 'small']])
  // Codex 0.169 rejects a model list with any of these fields missing.
  for (const model of models) {
    expect(model).toMatchObject({
      display_name: model.slug,
      supported_reasoning_levels: [],
      shell_type: 'default',
      visibility: 'list',
      supported_in_api: true,
      base_instructions: expect.stringMatching(/coding agent/),
      experimental_supported_tools: [],
      supports_reasoning_summaries: false,
      support_verbosity: false,
      supports_parallel_tool_calls: true,
      truncation_policy: { mode: 'bytes', limit: 10_000 },
    })
  }
  expect(JSON.parse((await send('/t/x/v1/models')).body)).toEqual({ data: [{ id: 'of-gateway' }] })
  expect(entries).toEqual([])
})

test('the project of a Codex turn is in the ledger, and other metadata is ignored', async () => {
  const { send, entries } = await startRelayTo((_, response) => respondWithJson(response, {}))
  const root = '/home/an/Dự án'
  const turn = JSON.stringify({ turn_id: '1', workspaces: { [root]: { has_changes: true } } })
  const escaped = turn.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const sent = [escaped, '{"workspaces":[]}', '{"workspaces":', undefined]
  for (const metadata of sent) {
    const headers = metadata === undefined ? {} : { 'x-codex-turn-metadata': metadata }
    await send('/t/x/v1/chat/completions', '{"model":"aurora","messages":[]}', headers)
  }
  expect(entries.map(({ projectId }) => projectId)).toEqual([toProjectId(root), undefined, undefined, undefined])
})

test('a used-up quota reaches Codex as an error that it explains, in the gateway’s words', async () => {
  const error = { message: 'The allowance of “aurora” là 0.', code: 'quota_exhausted' }
  const { send, entries } = await startRelayTo((_, response) => respondWithJson(response, { error }, 429))
  const { status, body, headers } = await send('/t/x/v1/responses', '{"model":"aurora","input":"Hi","stream":true}')
  expect(headers['x-codex-promo-message']).toBe('The allowance of ?aurora? la 0')
  expect([status, JSON.parse(body).error]).toEqual([
    429,
    { message: error.message, type: 'usage_limit_reached', param: null, code: 'quota_exhausted' },
  ])
  expect(entries).toMatchObject([{ status: 429, error: 'quota', modelCode: 'aurora' }])
})
