import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import type {
  RelayBudget,
  RelayClient,
  RelayOptions,
  RelayTable,
  RelayUpstream,
} from '../../../../src/main/relay/ports'
import { type RelayLimits, relayLimits } from '../../../../src/main/relay/ports'
import { startRelay } from '../../../../src/main/relay/start-relay'
import type { LedgerEntry } from '../../../../src/main/usage/ports'
import { listen } from '../gateway/answering-server'

export const token = 'relay-token-of-tool-0123456789'
export const key = 'sk-real-key-of-the-plan-0123456789'

/** A small gateway that closes after the test. */
export async function startGateway(answer: RequestListener): Promise<{ url: string; sockets: Set<Socket> }> {
  const server = createServer(answer)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, sockets }
}

/** A gateway that writes raw bytes and closes after the test. */
export async function startRawGateway(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    let request = ''
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        request += chunk.toString('latin1')
        const [head = '', body] = request.split('\r\n\r\n', 2)
        if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
        request = ''
        answer(socket)
      })
  })
  const port = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

export const upstream = (gatewayUrl: string, change: Partial<RelayUpstream> = {}): RelayUpstream => ({
  planId: 'plan-1',
  keyId: 'key-1',
  gatewayUrl,
  key: new Secret(key),
  models: [],
  network: { kind: 'direct' },
  ...change,
})

/** A budget of the tool `x`. */
export const buildBudget = (change: Partial<RelayBudget> = {}): RelayBudget => ({
  id: 'b',
  name: 'Team',
  of: { toolId: 'x' },
  unit: 'requests',
  limit: 1,
  period: { kind: 'day' },
  ...change,
})

export const buildTable = (upstreams: readonly RelayUpstream[], change: Partial<RelayClient> = {}): RelayTable => ({
  clients: [{ toolId: 'x', token: new Secret(token), upstreams, ...change }],
  isPaused: false,
})

interface RelayResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type HarnessOptions = Partial<Pick<RelayOptions, 'caFiles' | 'countTokens' | 'readBudget' | 'onSwitch'>> & {
  readonly limits?: Partial<RelayLimits>
}

/** Starts a relay on a free port that closes after the test. */
export async function startHarness(
  table: RelayTable,
  { limits = {}, caFiles = [], countTokens, readBudget, onSwitch }: HarnessOptions = {},
) {
  const entries: LedgerEntry[] = []
  const record = (entry: LedgerEntry) => void entries.push(entry)
  const relay = await startRelay(
    { port: 0, table, record, caFiles, countTokens, readBudget, onSwitch },
    { ...relayLimits, ...limits },
  )
  onTestFinished(() => relay.close(0))
  const url = `http://127.0.0.1:${relay.port}`
  /** Sends a request with the relay's token, as `POST` if there is a body. */
  const send = (path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
    sendRequest(url + path, body, { authorization: `Bearer ${token}`, ...headers })
  return { relay, url, entries, send, sendChat: () => send(chatPath, chatRequestBody) }
}

/** Starts a small gateway, and a relay in front of it with its key. Both close after the test. */
export async function startRelayTo(answer: RequestListener, options?: HarnessOptions, table: Partial<RelayTable> = {}) {
  const gateway = await startGateway(answer)
  return { gateway, ...(await startHarness({ ...buildTable([upstream(gateway.url)]), ...table }, options)) }
}

/** Starts a relay in front of a gateway that records its requests and answers each with a small response. */
export async function startRecordingRelay(table: Partial<RelayTable> = {}, limits: Partial<RelayLimits> = {}) {
  const received: { method: string; url: string; headers: readonly string[]; body: string }[] = []
  const answer: RequestListener = async (request, response) => {
    const { method = '', url = '', rawHeaders: headers } = request
    const body = await readBody(request).catch(() => undefined)
    if (body === undefined) return
    received.push({ method, url, headers, body })
    respondWithJson(response, chatResponseBody)
  }
  return { received, ...(await startRelayTo(answer, { limits }, table)) }
}

/** Opens a `POST` request with the relay's token. The caller ends it. */
export function openRequest(address: string, options: RequestOptions = { agent: false }): ClientRequest {
  const headers = { authorization: `Bearer ${token}` }
  return httpRequest(address, { method: 'POST', headers, ...options }).on('error', () => undefined)
}

/** Sends a raw chat request for `sendRaw` or an open socket. */
export const buildRawRequest = (port: number, path = messagesPath, version = '1.1') =>
  [
    `POST ${path} HTTP/${version}`,
    `Host: 127.0.0.1:${port}`,
    `x-api-key: ${token}`,
    `Content-Length: ${chatRequestBody.length}\r\n`,
    chatRequestBody,
  ].join('\r\n')

/** Sends a node:http request and returns its complete response. Rejects when the response is cut off. */
export function sendRequest(
  address: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<RelayResponse> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const request = httpRequest(address, { method, headers, agent: false, maxHeaderSize: 200_000 })
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response
        resolve({ status, headers: answered, body: Buffer.concat(chunks).toString() })
      })
    })
    request.end(body)
  })
}

/** Sends raw bytes and returns the response until the connection ends. */
export function sendRaw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('latin1').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => undefined).on('close', () => resolve(answer))
  })
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** Answers like a gateway, after the whole request. */
export const answerChat: RequestListener = async (request, response) => {
  await readBody(request).catch(() => undefined)
  if (!response.destroyed) respondWithJson(response, chatResponseBody)
}

/** Collects the text of a stream from now on. */
export function collectText(stream: NodeJS.ReadableStream): { text: string } {
  const collected = { text: '' }
  stream.on('data', (chunk) => {
    collected.text += chunk
  })
  return collected
}

export const pollOptions = { interval: 1 }

export function respondWithJson(response: ServerResponse, value: unknown, status = 200): void {
  const text = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** A zstd frame with one stored block (RFC 8878). */
export const compressZstdRaw = (body: Buffer) => {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32LE(body.length, 5)
  header.writeUIntLE((body.length << 3) | 1, 9, 3)
  return Buffer.concat([header, body])
}

const packInTwo = (body: Buffer, pack: (part: Buffer) => Buffer) =>
  Buffer.concat([pack(body.subarray(0, 9)), pack(body.subarray(9))])

/** Values of `content-encoding`, each with a function that packs a body so. */
export const contentCodings: readonly (readonly [string, (body: Buffer) => Buffer])[] = [
  ['identity', (body) => body],
  ['gzip', (body) => packInTwo(body, gzipSync)],
  ['X-GZIP', gzipSync],
  ['identity, gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['Deflate', deflateRawSync],
  ['gzip, br', (body) => brotliCompressSync(gzipSync(body))],
  ['gzip,zstd', (body) => compressZstdRaw(gzipSync(body))],
  ['ZSTD , identity', (body) => packInTwo(body, compressZstdRaw)],
]

/** A small chat-completions response. */
export const chatResponseBody = {
  id: 'chatcmpl-1',
  model: 'aurora',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, prompt_tokens_details: { cached_tokens: 4 } },
}

export const chatPath = '/t/x/v1/chat/completions'
export const messagesPath = '/t/x/v1/messages'
export const chatRequestBody = JSON.stringify({ model: 'aurora', messages: [{ role: 'user', content: 'Hi' }] })
