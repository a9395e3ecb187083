import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { startLocalServer } from '../support/local-server'

const Tool = z.looseObject({ name: z.string().optional(), function: z.looseObject({ name: z.string() }).optional() })
const Body = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })), tools: z.array(Tool).default([]) })

/** A tool call of the model: the end of the tool's name in the client, and arguments. */
interface RequestedCall {
  readonly name: string
  readonly input: object
}

/** A gateway whose model calls each tool once and then stops. */
export interface ToolCallingModel {
  readonly url: string
  /** The conversation of the latest request that had tools, as text. */
  conversation(): string
  stop(): Promise<void>
}

const usage = { input_tokens: 7, output_tokens: 5 }

/** The events of an answer on the path of each standard. */
const events: Readonly<Record<string, (call: { id: string; name: string; input: string } | undefined) => object[]>> = {
  '/v1/chat/completions': (call) => {
    const callDelta = call && { index: 0, id: call.id, function: { name: call.name, arguments: call.input } }
    const delta = callDelta ? { tool_calls: [{ type: 'function', ...callDelta }] } : { content: 'Done.' }
    const finishChoice = { index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }
    return [{ index: 0, delta: { role: 'assistant', ...delta } }, finishChoice].map((choice) => ({
      id: 'chat_1',
      object: 'chat.completion.chunk',
      model: 'aurora-large',
      choices: [choice],
    }))
  },
  '/v1/messages': (call) => {
    const block = call ? { type: 'tool_use', id: call.id, name: call.name, input: {} } : { type: 'text', text: '' }
    const delta = call ? { type: 'input_json_delta', partial_json: call.input } : { type: 'text_delta', text: 'Done.' }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'aurora-large', content: [], usage }
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
  },
}

/**
 * Creates a call of the tool by its name in the client. If the client loads tools on demand, first calls its tool
 * search.
 */
function createToolCall({ name, input }: RequestedCall, { names, said }: { names: readonly string[]; said: string }) {
  const id = `call_of_${name}`
  // Some clients use a tool's own name, others put the server's name in front.
  const listedTool = names.find((item) => new RegExp(`(?:^|companion[_-]+)${name}$`).test(item))
  if (listedTool) return { id, name: listedTool, input: JSON.stringify(input) }
  const search = names.find((item) => /^(?:tool_?search|WaitForMcpServers)$/i.test(item))
  if (!search) return undefined
  const qualifiedToolName = new RegExp(`\\w*companion_+${name}\\b`).exec(said)?.[0] ?? name
  if (!said.includes(`search_of_${name}`)) {
    const query = search.startsWith('Wait') ? {} : { query: `select:${qualifiedToolName}` }
    return { id: `search_of_${name}`, name: search, input: JSON.stringify(query) }
  }
  return { id, name: 'tool_call', input: JSON.stringify({ name: qualifiedToolName, arguments: input }) }
}

export async function startToolCallingModel(calls: readonly RequestedCall[]): Promise<ToolCallingModel> {
  let conversation = ''
  const server = createServer(async (request, response) => {
    const answer = events[new URL(request.url ?? '', 'http://x').pathname]
    if (!answer || request.method !== 'POST') return response.writeHead(404).end('{}')
    const { messages, tools } = Body.parse(JSON.parse(await text(request)))
    const messagesText = JSON.stringify(messages)
    // Some tools send their own requests too, for example to save memories.
    if (tools.length > 0 && (conversation === '' || messagesText.includes('call_of_'))) conversation = messagesText
    const names = tools.map((tool) => tool.name ?? tool.function?.name ?? '')
    const nextCall = calls.find(({ name }) => !messagesText.includes(`call_of_${name}`))
    const call = nextCall && createToolCall(nextCall, { names, said: messagesText })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of answer(call)) {
      const type = 'type' in event ? `event: ${String(event.type)}\n` : ''
      response.write(`${type}data: ${JSON.stringify(event)}\n\n`)
    }
    response.end(request.url?.includes('chat') ? 'data: [DONE]\n\n' : '')
  })
  return {
    ...(await startLocalServer(server)),
    conversation: () => conversation,
  }
}
