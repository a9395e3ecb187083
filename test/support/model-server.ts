import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { startLocalServer } from './local-server'

const Body = z.looseObject({ model: z.string(), input: z.array(z.string()).optional(), stream: z.boolean().optional() })

/** A request that the model server received. */
export interface ModelRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: z.infer<typeof Body>
}

/** Chunks of a streamed response. With an async iterable the test decides when the next one comes. */
export type TextPieces = Iterable<string> | AsyncIterable<string>

/** A local model server with scripted responses that records its requests. */
export interface ModelServer {
  readonly url: string
  readonly asked: readonly ModelRequest[]
  answer(createChunks: (request: ModelRequest) => TextPieces): void
  stop(): Promise<void>
}

/** Formats response chunks for a path. */
interface ModelProtocol {
  readonly begin: readonly object[]
  piece(text: string): object
  readonly end: readonly (object | '[DONE]')[]
}

const usage = { input_tokens: 7, output_tokens: 5 }
const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
const modelProtocols: Readonly<Record<string, ModelProtocol>> = {
  '/v1/chat/completions': {
    begin: [],
    piece: (content) => ({ choices: [{ index: 0, delta: { content } }] }),
    end: [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]'],
  },
  '/v1/completions': {
    begin: [],
    piece: (content) => ({ choices: [{ index: 0, text: content }] }),
    end: [{ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }, '[DONE]'],
  },
  '/v1/messages': {
    begin: [{ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage } }, block],
    piece: (content) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: content } }),
    end: [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  },
}

async function stream(response: ServerResponse, wire: ModelProtocol, chunks: TextPieces): Promise<void> {
  const writeEvent = (event: object | '[DONE]'): void => {
    const name = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}\n` : ''
    response.write(`${name}data: ${event === '[DONE]' ? event : JSON.stringify(event)}\n\n`)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req-of-this-server' })
  for (const event of wire.begin) writeEvent(event)
  for await (const chunk of chunks) writeEvent(wire.piece(chunk))
  for (const event of wire.end) writeEvent(event)
  response.end()
}

/** A vector derived from the letters of a text. */
const embedInput = (input: string): number[] => {
  const vector = Array.from({ length: 8 }, () => 1)
  for (const character of input)
    vector[(character.codePointAt(0) ?? 0) % 8] = ((character.codePointAt(0) ?? 0) % 31) + 1
  return vector
}

export async function startModelServer(): Promise<ModelServer> {
  const modelRequests: ModelRequest[] = []
  let answer: (request: ModelRequest) => TextPieces = () => ['Hello from ', 'this computer.']
  const server = createServer(async (request, response) => {
    // This server has no list of models.
    if (request.method === 'GET') return response.writeHead(404).end()
    const path = request.url ?? ''
    const modelRequest = { path, headers: request.headers, body: Body.parse(JSON.parse(await text(request))) }
    modelRequests.push(modelRequest)
    const modelProtocol = modelProtocols[path]
    if (modelProtocol) return stream(response, modelProtocol, answer(modelRequest))
    const data = modelRequest.body.input?.map((input, index) => ({ index, embedding: embedInput(input) }))
    response.writeHead(data ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(data ? { data, usage: { prompt_tokens: 9 } } : { error: { message: 'not here' } }))
  })
  const { url, stop } = await startLocalServer(server)
  return {
    url: `${url}/v1`,
    asked: modelRequests,
    answer(createChunks) {
      answer = createChunks
    },
    stop,
  }
}

/** An answer whose chunks and end the test controls. */
export function createChunkQueue() {
  const queuedPieces: (string | undefined)[] = []
  let resumeStream = (): void => undefined
  const writeFileAt = (chunk: string | undefined): void => {
    queuedPieces.push(chunk)
    resumeStream()
  }
  async function* streamChunks(): AsyncGenerator<string> {
    for (;;) {
      while (queuedPieces.length === 0) await new Promise<void>((resolve) => (resumeStream = resolve))
      const chunk = queuedPieces.shift()
      if (chunk === undefined) return
      yield chunk
    }
  }
  return { pieces: streamChunks(), say: (chunk: string) => writeFileAt(chunk), finish: () => writeFileAt(undefined) }
}
