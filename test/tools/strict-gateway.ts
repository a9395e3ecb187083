import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { startLocalServer } from '../support/local-server'

const Call = z.object({ id: z.string(), function: z.object({ name: z.string() }) })
const Message = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(Call).nullish(),
  reasoning_content: z.string().nullish(),
})
const Schema = z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) })
const ChatTool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: Schema }) })
const ChatRequest = z.looseObject({
  stream: z.boolean().optional(),
  stream_options: z.undefined().optional(),
  messages: z.array(Message),
  tools: z.array(ChatTool).default([]),
})
const MessagesRequest = z.looseObject({
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
})
const Blocks = z.array(
  z.looseObject({ type: z.string(), id: z.string().optional(), tool_use_id: z.string().optional() }),
)

/** Harmless tools that the model calls, which need no confirmation, with arguments that each client accepts. */
const safeToolCalls: readonly (readonly [RegExp, object])[] = [
  [/^glob$/i, { pattern: '*.txt' }],
  [/^exec_command$/, { cmd: 'echo looked' }],
  [/^Read$/, { file_path: 'notes.txt' }],
]
const requiredCallCount = 3
const thinkingText = 'I look at the files first.'

interface Usage {
  readonly input: number
  readonly output: number
}

/** A gateway with strict validation, whose model calls a tool three times. */
export interface StrictGateway {
  readonly url: string
  /** Received model requests. `usage` has the gateway's token counts of successful ones. */
  readonly requests: { readonly status: number; readonly usage: Usage; readonly complaint?: string }[]
  /** Number of tool results in the latest conversation. */
  results(): number
  stop(): Promise<void>
}

export async function startStrictGateway(): Promise<StrictGateway> {
  const requests: StrictGateway['requests'][number][] = []
  let results = 0
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    const isMessagesPath = path === '/v1/messages'
    if (request.method !== 'POST' || !(isMessagesPath || path === '/v1/chat/completions')) {
      return void response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"message":"Not found"}}')
    }
    const body: unknown = JSON.parse(await text(request))
    const protocolViolation = isMessagesPath ? findMessagesViolation(body) : findChatViolation(body)
    const usage = { input: 100 + requests.length, output: 10 + requests.length }
    requests.push({
      status: protocolViolation === undefined ? 200 : 400,
      usage,
      ...(protocolViolation ? { complaint: protocolViolation } : {}),
    })
    if (protocolViolation !== undefined) {
      const error = { type: 'invalid_request_error', message: protocolViolation }
      return void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ type: 'error', error }))
    }
    const modelRequest = isMessagesPath ? readMessages(body) : readChat(body)
    results = Math.max(results, modelRequest.results)
    const call = modelRequest.results < requiredCallCount ? findCall(modelRequest.tools, requests.length) : undefined
    ;(isMessagesPath ? respondWithMessages : respondWithChat)(response, {
      call,
      usage,
      isStream: modelRequest.isStream,
    })
  })
  return {
    ...(await startLocalServer(server)),
    requests,
    results: () => results,
  }
}

/** Finds an unknown field, a schema that is not an object, mismatched calls and results, or missing reasoning. */
function findChatViolation(body: unknown): string | undefined {
  const parsedRequest = ChatRequest.safeParse(body)
  if (!parsedRequest.success)
    return parsedRequest.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  let openToolIds: string[] = []
  for (const { role, tool_call_id: id, tool_calls: calls, reasoning_content: thoughts } of parsedRequest.data
    .messages) {
    if (role === 'tool') {
      if (id === undefined || !openToolIds.includes(id)) return `The result ${id} has no call before it.`
      openToolIds = openToolIds.filter((item) => item !== id)
    } else if (openToolIds.length > 0) return `The calls ${openToolIds.join(', ')} have no result.`
    if (role === 'assistant' && calls && calls.length > 0) {
      openToolIds = calls.map((call) => call.id)
      if (isThinkingCall(openToolIds[0]) && thoughts !== thinkingText)
        return 'The reasoning_content must be passed back.'
    }
  }
  return openToolIds.length > 0 ? `The calls ${openToolIds.join(', ')} have no result.` : undefined
}

function findMessagesViolation(body: unknown): string | undefined {
  const { messages } = MessagesRequest.parse(body)
  const blocks = messages.flatMap(({ content }) => Blocks.safeParse(content).data ?? [])
  const answeredIds = new Set(blocks.map(({ tool_use_id: id }) => id))
  const unansweredCall = blocks.find(({ type, id }) => type === 'tool_use' && !answeredIds.has(id))
  return unansweredCall && `tool_use ${unansweredCall.id} has no tool_result.`
}

function readChat(body: unknown) {
  const { messages, tools, stream = false } = ChatRequest.parse(body)
  const names = tools.map((tool) => tool.function.name)
  return { tools: names, results: messages.filter(({ role }) => role === 'tool').length, isStream: stream }
}

function readMessages(body: unknown) {
  const { messages, tools, stream = false } = MessagesRequest.parse(body)
  const blocks = messages.flatMap(({ content }) => Blocks.safeParse(content).data ?? [])
  const results = blocks.filter(({ type }) => type === 'tool_result').length
  return { tools: tools.map(({ name }) => name), results, isStream: stream }
}

interface ScriptedAnswer {
  readonly call: { readonly id: string; readonly name: string; readonly input: string } | undefined
  readonly usage: Usage
  readonly isStream: boolean
}

/** Only Codex gets reasoning. The other tools decide themselves whether to send it back. */
const isThinkingCall = (id: string | undefined): boolean => id?.startsWith('call_thought') === true

function findCall(tools: readonly string[], number: number): ScriptedAnswer['call'] {
  for (const [pattern, input] of safeToolCalls) {
    const name = tools.find((tool) => pattern.test(tool))
    const prefix = name === 'exec_command' ? 'call_thought' : 'call'
    if (name !== undefined) return { id: `${prefix}_${number}`, name, input: JSON.stringify(input) }
  }
  return undefined
}

function respondWithChat(response: ServerResponse, { call, usage, isStream }: ScriptedAnswer): void {
  const usageFields = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  }
  const reasoningFields = call && isThinkingCall(call.id) ? { reasoning_content: thinkingText } : {}
  const toolCall = call && { id: call.id, type: 'function', function: { name: call.name, arguments: call.input } }
  const deltaFields = toolCall
    ? { content: null, tool_calls: [{ index: 0, ...toolCall }], ...reasoningFields }
    : { content: 'Done.' }
  const finish_reason = call ? 'tool_calls' : 'stop'
  const commonFields = { id: 'chat_1', model: 'aurora-large' }
  if (!isStream) {
    const choices = [{ index: 0, message: { role: 'assistant', ...deltaFields }, finish_reason }]
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...commonFields, object: 'chat.completion', choices, usage: usageFields }))
  }
  const chunks = [
    {
      ...commonFields,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', ...deltaFields } }],
    },
    {
      ...commonFields,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason }],
      usage: usageFields,
    },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`)
}

function respondWithMessages(response: ServerResponse, { call, usage, isStream }: ScriptedAnswer): void {
  const usageFields = { input_tokens: usage.input, output_tokens: usage.output }
  const stop_reason = call ? 'tool_use' : 'end_turn'
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'aurora-large' }
  const block = call ? { type: 'tool_use', id: call.id, name: call.name, input: {} } : { type: 'text', text: '' }
  const delta = call ? { type: 'input_json_delta', partial_json: call.input } : { type: 'text_delta', text: 'Done.' }
  if (!isStream) {
    const content = [call ? { ...block, input: JSON.parse(call.input) } : { type: 'text', text: 'Done.' }]
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...message, content, stop_reason, usage: usageFields }))
  }
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage: { ...usageFields, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: usage.output } },
    { type: 'message_stop' },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}
