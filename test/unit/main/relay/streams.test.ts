import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import {
  buildRawRequest,
  chatPath,
  chatRequestBody,
  collectText,
  messagesPath,
  openRequest,
  pollOptions,
  readBody,
  startRelayTo,
} from './support'

/** A gateway that starts a stream and lets the test send the rest. */
async function startStreaming() {
  const open: { request: IncomingMessage; response: ServerResponse }[] = []
  const harness = await startRelayTo(async (request, response) => {
    await readBody(request).catch(() => '')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    open.push({ request, response })
  })
  return { ...harness, open }
}

/** Starts a request and returns its response after the header. */
async function startStream(url: string, path = messagesPath, body = chatRequestBody): Promise<IncomingMessage> {
  const request = openRequest(url + path).end(body)
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (response === undefined) throw new Error('no answer')
  return response.on('error', () => undefined)
}

const start = `data: ${JSON.stringify({ type: 'message_start', message: { id: 'msg_1', model: 'aurora', usage: { input_tokens: 9, output_tokens: 1 } } })}\n\n`
const deltaEvent = 'data: {"type":"message_delta","usage":{"output_tokens":3}}\n\n'

test('each chunk reaches the tool before the next one is sent, byte for byte', async () => {
  const { url, open, entries } = await startStreaming()
  const response = await startStream(url)
  const received = collectText(response)
  let sentText = ''
  for (const chunk of [start, 'data: {"half', '":"\u1ec7"}\r\n\r', '\n', ': comment\n\n', deltaEvent]) {
    open[0]?.response.write(chunk)
    sentText += chunk
    await vi.waitFor(() => expect(received.text).toBe(sentText), pollOptions)
  }
  expect(entries).toEqual([])
  open[0]?.response.end()
  await once(response, 'end')
  expect(entries).toMatchObject([
    {
      source: 'relay',
      toolId: 'x',
      planId: 'plan-1',
      keyId: 'key-1',
      modelCode: 'aurora',
      standard: 'messages',
      status: 200,
      error: undefined,
      answerId: 'msg_1',
      inputTokens: 9,
      outputTokens: 3,
    },
  ])
  const { firstByteMs = -1, durationMs = -1, at = 0 } = entries[0] ?? {}
  expect([firstByteMs > 0, durationMs >= firstByteMs, Date.now() - at < 60_000]).toEqual([true, true, true])
})

test('a tool that disconnects aborts the gateway request within 50 ms, recorded as aborted', async () => {
  const { url, open, entries, relay } = await startStreaming()
  const latencies: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const response = await startStream(url)
    open[round]?.response.write(start)
    await once(response, 'data')
    const closedAt = once(open[round]?.request.socket ?? response, 'close').then(() => performance.now())
    const startMs = performance.now()
    response.destroy()
    latencies.push((await closedAt) - startMs)
  }
  expect(Math.min(...latencies)).toBeLessThan(50)
  await vi.waitFor(() => expect(entries.length).toBe(5), pollOptions)
  expect(entries[0]).toMatchObject({ error: 'aborted', status: 200, inputTokens: 9 })
  expect(entries[0]?.outputTokens).toBeUndefined()
  expect(relay.open().get('x')).toBe(0)
})

test('a tool that disconnects before the response aborts the request as well', async () => {
  let closedCount = 0
  const answer: RequestListener = ({ socket }) => void socket.on('close', () => (closedCount += 1))
  const { gateway, url, entries } = await startRelayTo(answer)
  const request = openRequest(url + chatPath).end(chatRequestBody)
  await vi.waitFor(() => expect(gateway.sockets.size).toBe(1), pollOptions)
  request.destroy()
  await vi.waitFor(() => expect([closedCount, entries.length]).toEqual([1, 1]), pollOptions)
  expect(entries).toMatchObject([{ error: 'aborted', status: undefined, modelCode: 'aurora' }])
})

test.each([
  ['chunked', {}],
  ['with a length', { 'content-length': '100000' }],
])('a response that breaks off is cut for the tool and recorded as cut: %s', async (_, headers) => {
  const { url, entries } = await startRelayTo((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    response.write(start, () => setImmediate(() => response.socket?.destroySoon()))
  })
  const response = await startStream(url)
  const received = collectText(response)
  await new Promise((resolve) => response.once('close', resolve))
  expect([response.complete, received.text]).toEqual([false, start])
  expect(entries).toMatchObject([{ error: 'cut', status: 200, inputTokens: 9 }])
})

test('an HTTP/1.0 client gets a reset when a response is cut', async () => {
  const { relay, open } = await startStreaming()
  const socket = connect(relay.port, '127.0.0.1')
  const socketClosePromise = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined).on('data', () => undefined)
  socket.write(buildRawRequest(relay.port, messagesPath, '1.0'))
  await vi.waitFor(() => expect(open.length).toBe(1), pollOptions)
  open[0]?.response.write(start)
  await once(socket, 'data')
  open[0]?.request.socket.destroy()
  expect(await socketClosePromise).toBe(true)
})

test.each([
  [
    'before a response',
    chatPath,
    chatRequestBody,
    504,
    /^\{"error":\{"message":".*did not answer in time.*"code":"relay_timeout"/,
  ],
  [
    'in Messages',
    messagesPath,
    '{"model":"begin"}',
    200,
    /\nevent: error\ndata: \{"type":"error".*did not answer in time/,
  ],
  [
    'in a chat',
    chatPath,
    '{"model":"begin"}',
    200,
    /\nevent: error\ndata: \{"error":\{"message":".*did not answer in time/,
  ],
  [
    'in Responses',
    '/t/x/v1/responses',
    '{"model":"begin","input":"Hi","stream":true}',
    200,
    /response\.failed.*did not answer in time/,
  ],
])(
  'a gateway that stays silent too long %s times out with a message',
  async (_, path, requestBody, status, pattern) => {
    const { url, entries } = await startRelayTo(
      async (request, response) => {
        const body = await readBody(request)
        if (!body.includes('begin')) return
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(start)
      },
      { limits: { idleMs: 300, headersMs: 300 } },
    )
    const response = await startStream(url, path, requestBody)
    const received = collectText(response)
    await new Promise((resolve) => response.once('close', resolve))
    expect([response.statusCode, received.text]).toEqual([status, expect.stringMatching(pattern)])
    expect(entries).toMatchObject([{ error: status === 200 ? 'cut' : 'network' }])
  },
)

test('closing waits for running requests up to its limit, then aborts them', async () => {
  const { url, open, entries, relay } = await startStreaming()
  const firstStream = await startStream(url)
  const secondStream = await startStream(url)
  expect(relay.open().get('x')).toBe(2)
  const closePromise = relay.close(400)
  await expect(startStream(url)).rejects.toThrow()
  firstStream.resume()
  secondStream.resume()
  open[0]?.response.end(start + deltaEvent)
  await once(firstStream, 'end')
  await closePromise
  expect([firstStream.complete, secondStream.complete, relay.open().get('x')]).toEqual([true, false, 0])
  expect(entries).toMatchObject([{ error: undefined, outputTokens: 3 }, { error: 'relay' }])
})

test('a stream with a content length loses it when its usage is removed', async () => {
  const text = 'data: {"id":"c1","choices":[{"delta":{"content":"Hi"}}]}\n\n'
  const usage = 'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n'
  const { send } = await startRelayTo(async (request, response) => {
    await readBody(request)
    const length = String(text.length + usage.length)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': length }).end(text + usage)
  })
  const changedResponse = await send(chatPath, '{"model":"a","stream":true}')
  expect([changedResponse.body, changedResponse.headers['content-length']]).toEqual([text, undefined])
  const headers = { 'content-length': String(text.length + usage.length) }
  expect(await send(messagesPath, '{"model":"a","stream":true}')).toMatchObject({ body: text + usage, headers })
})
