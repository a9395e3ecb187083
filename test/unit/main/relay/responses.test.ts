import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { toProjectId } from '../../../../src/main/usage/project'
import {
  buildTable,
  chatResponseBody,
  collectText,
  openRequest,
  pollOptions,
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
  const response = await send(url, buildBody({ stream: true }))
  const { body } = response
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'r1' }
  expect(response).toMatchObject({ status: 200, headers })
  const types = [...body.matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
  expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
  expect(body).toContain('"input_tokens":12,"input_tokens_details":{"cached_tokens":4}')
  expect(receivedRequests).toMatchObject([
    { path: '/v1/chat/completions', body: { stream_options: { include_usage: true } } },
  ])
  expect(entries).toMatchObject([expectedEntry])
})

const eventStream = { 'content-type': 'text/event-stream' }
const chatId = { id: 'chatcmpl-7', created: 5, model: 'aurora-1' }
const buildDelta = (delta: object, finish_reason: string | null = null) => ({
  ...chatId,
  choices: [{ delta, finish_reason }],
})
const longUsage = {
  ...chatId,
  choices: [],
  usage: { ...usage, completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 8 } },
}

/** Events of the response to a streamed request, which the gateway answers with these chunks. */
async function readEvents(chunks: readonly object[]) {
  const { send } = await startRelayTo((_, response) => {
    response.writeHead(200, eventStream).end([...chunks.map(chunk), 'data: [DONE]\n\n'].join(''))
  })
  const tools = [
    { type: 'function', name: 'exec', parameters: {} },
    { type: 'custom', name: 'apply_patch' },
    { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'close', parameters: {} }] },
    { type: 'local_shell' },
  ]
  const { body } = await send(path, buildBody({ stream: true, tools }))
  return [...body.matchAll(/^event: response\.(.+)\ndata: (.+)$/gm)].map(([, type, data = '']) => {
    const event = JSON.parse(data)
    expect(event.type).toBe(`response.${type}`)
    return { ...event, type }
  })
}

test('a streamed text is complete and has numbered events', async () => {
  const events = await readEvents([
    buildDelta({ role: 'assistant', content: '' }),
    buildDelta({ content: 'Hi' }),
    buildDelta({}, 'stop'),
    longUsage,
  ])
  expect(events.map(({ type }) => type)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ])
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  const content = [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }]
  expect(events.at(-1).response).toMatchObject({
    id: 'resp_7',
    object: 'response',
    created_at: 5,
    model: 'aurora-1',
    status: 'completed',
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 8 },
      total_tokens: 32,
    },
    output: [{ id: 'msg_7_0', type: 'message', status: 'completed', role: 'assistant', content }],
  })
})

test('reasoning, text and parallel calls are separate items', async () => {
  const buildCall = (index: number, id: string, name: string, text = '') =>
    buildDelta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })
  const buildArguments = (index: number, text: string) =>
    buildDelta({ tool_calls: [{ index, function: { arguments: text } }] })
  const events = await readEvents([
    buildDelta({ reasoning_content: 'Hm. ' }),
    buildDelta({ content: 'Xin chào, ' }),
    buildDelta({ content: 'đây “là” 🎉' }),
    buildCall(0, 'c1', 'exec'),
    buildArguments(0, '{"cmd":"l'),
    buildCall(1, 'c2', 'agents__close', '{}'),
    buildArguments(0, 's"}'),
    buildCall(2, 'c3', 'apply_patch', '{"input":"*** Begin'),
    buildArguments(2, ' Patch\\n*** End Patch"}'),
    buildCall(3, 'c4', 'local_shell', '{"command":["ls","-l"]}'),
    buildDelta({}, 'tool_calls'),
  ])
  const { output } = events.at(-1).response
  expect(output).toMatchObject([
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm. ' }] },
    { type: 'message', content: [{ text: 'Xin chào, đây “là” 🎉' }] },
    { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{"cmd":"ls"}', status: 'completed' },
    { type: 'function_call', call_id: 'c2', namespace: 'agents', name: 'close', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'c3', name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' },
    { type: 'local_shell_call', call_id: 'c4', action: { type: 'exec', command: ['ls', '-l'], env: {} } },
  ])
  expect(output[2]).not.toHaveProperty('namespace')
})

test('each word reaches the tool before the next one is sent', async () => {
  let endResponse = (): unknown => undefined
  const { url } = await startRelayTo((_, response) => {
    response.writeHead(200, eventStream).write(chunk(buildDelta({ content: 'first' })))
    endResponse = () => response.end()
  })
  const [response] = await once(openRequest(url + path).end(buildBody({ stream: true })), 'response')
  const received = collectText(response)
  await vi.waitFor(() => expect(received.text).toContain('"delta":"first"'), pollOptions)
  endResponse()
})

test.each([
  [{ message: 'Slow down.', code: 'rate_limited' }, 'rate_limited', 'Slow down.'],
  ['broken', 'server_error', 'broken'],
])('a stream with the error %j fails with the gateway’s message', async (error, code, message) => {
  const events = await readEvents([buildDelta({ content: 'Hi' }), { error }, buildDelta({ content: 'more' })])
  expect(events.at(-1)).toMatchObject({
    type: 'failed',
    response: { status: 'failed', error: { code, message }, output: [{ status: 'incomplete' }] },
  })
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
  const createPlan = (...models: string[]) => upstream(gateway.url, { models })
  const plans = [createPlan('aurora', 'gw/large'), createPlan('aurora', 'small')]
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
