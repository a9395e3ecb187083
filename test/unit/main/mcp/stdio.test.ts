import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { maxMcpMessageBytes } from '@shared/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { McpServices } from '../../../../src/main/mcp/services'
import { serveOverStdio } from '../../../../src/main/mcp/stdio'
import { buildQuotas, createServer, fakeServices } from './fake-services'

const initializeRequest = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
}

/** Fields of a request of the newer protocol, which has no initialization. */
const buildMeta = (protocolVersion: string) => ({
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
})

/** A client that writes arbitrary lines. */
function startServer(services: McpServices = fakeServices().services) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const log = { info: () => undefined, error: () => undefined }
  const serverEnd = serveOverStdio({ createServer: () => createServer(services), stdin, stdout, log })
  onTestFinished(async () => {
    stdin.end()
    await serverEnd
  })
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const readNextMessage = async () => JSON.parse((await lines.next()).value ?? '{}')
  return {
    stdin,
    stdout,
    ended: serverEnd,
    next: readNextMessage,
    say: (line: unknown) => stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
  }
}

describe('the MCP server over standard input and output', () => {
  it.each([
    { what: 'no JSON', line: '{"jsonrpc": "2.0", ', code: -32_700, id: null },
    { what: 'no message', line: '{"jsonrpc":"2.0","id":7}', code: -32_600, id: 7 },
    { what: 'an older version of JSON-RPC', line: '{"jsonrpc":"1.0","id":8,"method":"ping"}', code: -32_600, id: 8 },
    { what: 'a batch', line: '[{"jsonrpc":"2.0","id":9,"method":"ping"}]', code: -32_600, id: null },
    { what: 'an id that is none', line: '{"jsonrpc":"2.0","id":{},"method":"ping"}', code: -32_600, id: null },
  ])('answers a line that is $what with an error, and continues', async ({ line, code, id }) => {
    const { say, next } = startServer()
    say(line)
    expect(await next()).toMatchObject({ jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/\w+/) } })
    say(initializeRequest)
    expect(await next()).toMatchObject({ id: 1, result: { serverInfo: { name: 'platform-companion' } } })
  })

  it('lists the supported versions for a newer, unknown one', async () => {
    const { say, next } = startServer()
    say({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: buildMeta('2999-01-01') } })
    expect(await next()).toMatchObject({ id: 2, error: { message: expect.stringContaining('2999-01-01') } })
  })

  it('supports the newer protocol, with tools before initialization and quota events for subscribers', async () => {
    let usedTokens = 250
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { services } = fakeServices({ quotas: async () => buildQuotas(usedTokens) })
    const { say, next } = startServer(services)
    const _meta = buildMeta('2026-07-28')
    const sendCall = (id: number, method: string, params: object) =>
      say({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
    sendCall(1, 'tools/call', { name: 'models', arguments: {} })
    expect(await next()).toMatchObject({ id: 1, result: { structuredContent: { models: [{}, {}] } } })
    sendCall(2, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['companion://quota'] } })
    expect(await next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    sendCall(3, 'resources/read', { uri: 'companion://quota' })
    expect(await next()).toMatchObject({ id: 3, result: { contents: [{ uri: 'companion://quota' }] } })
    usedTokens = 400
    vi.advanceTimersByTime(30_000)
    const params = { uri: 'companion://quota' }
    expect(await next()).toMatchObject({ method: 'notifications/resources/updated', params })
  })

  it('refuses 10 MB of arguments by the call’s id without buffering them, and continues', async () => {
    const { say, next, stdin } = startServer()
    say(initializeRequest)
    await next()
    const bufferBytesBefore = process.memoryUsage().arrayBuffers
    const call = { method: 'tools/call', params: { name: 'plans', arguments: { cursor: '' } }, jsonrpc: '2.0', id: 33 }
    const [head, tail = ''] = JSON.stringify(call).split('"cursor":"')
    stdin.write(`${head}"cursor":"`)
    const block = Buffer.alloc(100_000, 'x')
    for (let sentCount = 0; sentCount < 10_000_000; sentCount += block.length) stdin.write(block)
    say(tail)
    const { id, error } = await next()
    expect({ id, code: error.code }).toEqual({ id: 33, code: -32_600 })
    expect(error.message).toContain(String(maxMcpMessageBytes))
    expect(process.memoryUsage().arrayBuffers - bufferBytesBefore).toBeLessThan(40_000_000)
    say({ jsonrpc: '2.0', id: 34, method: 'ping' })
    expect(await next()).toMatchObject({ id: 34, result: {} })
  })

  it('ends when its client dies, and aborts pending calls', async () => {
    const signals: AbortSignal[] = []
    const askModel: McpServices['ask'] = (_, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const { services } = fakeServices({ ask: askModel }, ['ask_model'])
    const { say, next, stdin, ended: serverEnd } = startServer(services)
    say(initializeRequest)
    await next()
    say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const params = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Hi' } }
    say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    await expect.poll(() => signals.length).toBe(1)
    stdin.destroy()
    await serverEnd
    expect(signals[0]?.aborted).toBe(true)
  })

  it('ends when its answers are no longer read', async () => {
    const { stdout, ended: serverEnd } = startServer()
    stdout.destroy(new Error('EPIPE'))
    await serverEnd
    expect(stdout.destroyed).toBe(true)
  })
})
