import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Calls } from '../../../../src/main/mcp/calls'
import { serveOverHttp } from '../../../../src/main/mcp/http'
import { createMcpServer } from '../../../../src/main/mcp/server'
import type { McpServices } from '../../../../src/main/mcp/services'
import { fakeServices } from './fake-services'

const secret = 'what-only-the-relay-knows'

/** The server behind the relay on its own port, with mock services. */
async function startMcpServer(
  overrides: Partial<McpServices> = {},
  limits: Parameters<typeof serveOverHttp>[0]['limits'] = {},
) {
  const { services, calls } = fakeServices(overrides, ['ask_model'])
  const log = { info: () => undefined, error: () => undefined }
  const callsByTool = new Map<string, Calls>()
  const clientAbort = new AbortController()
  const { port, ended: serverEnd } = await new Promise<{ port: number; ended: Promise<void> }>((resolve, reject) => {
    const serverEnd = serveOverHttp({
      secret,
      log,
      limits,
      onListen: (port) => resolve({ port, ended: serverEnd }),
      left: once(clientAbort.signal, 'abort').then(() => undefined),
      createServer: (toolId) => {
        const toolCalls = callsByTool.get(toolId) ?? new Calls({ services, toolId, log })
        callsByTool.set(toolId, toolCalls)
        return createMcpServer({ version: '1', services, toolId, log, calls: toolCalls })
      },
    })
    serverEnd.catch(reject)
    onTestFinished(async () => {
      clientAbort.abort()
      await serverEnd
    })
  })
  const url = new URL(`http://127.0.0.1:${port}/`)
  const buildHeaders = (toolId: string) => ({ 'x-companion-secret': secret, 'x-companion-tool': toolId })
  const connect = async (toolId = 'claude-code', mode: 'auto' | 'legacy' = 'legacy') => {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: buildHeaders(toolId) } })
    await client.connect(transport)
    onTestFinished(() => client.close())
    return { client, transport }
  }
  const sendPost = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...buildHeaders('claude-code'),
        ...headers,
      },
      body,
    })
  return { connect, post: sendPost, calls, url, ended: serverEnd }
}

const initializeBody = (protocolVersion: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  })

const toolCall = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Hi' } }

describe.each(['legacy', 'auto'] as const)('MCP over HTTP with a client of version %s', (mode) => {
  it('lists and calls tools, a hundred concurrently', async () => {
    const { connect, calls } = await startMcpServer()
    const { client } = await connect('claude-code', mode)
    expect((await client.listTools()).tools).toHaveLength(9)
    const callPlans = () => client.callTool({ name: 'plans', arguments: {} })
    for (const { structuredContent } of await Promise.all(Array.from({ length: 100 }, callPlans)))
      expect(JSON.stringify(structuredContent)).toContain('team-plan')
    expect(calls.filter(({ toolId, outcome }) => toolId === 'claude-code' && outcome === 'ok')).toHaveLength(100)
  })

  it('receives progress, and refuses tools that are not allowed', async () => {
    const { connect } = await startMcpServer()
    const { client } = await connect('claude-code', mode)
    const progressMessages: string[] = []
    const onprogress = ({ message = '' }) => void progressMessages.push(message)
    const toolResult = await client.callTool(toolCall, { onprogress })
    expect(toolResult.structuredContent).toMatchObject({ text: 'You said: Hi' })
    expect(progressMessages).toEqual(['You said: ', 'Hi'])
    const otherClient = await connect('cursor', mode)
    const refusedCall = await otherClient.client.callTool(toolCall)
    expect(JSON.stringify(refusedCall)).toContain('companion mcp allow cursor ask_model')
  })

  it.each(['a call is cancelled', 'the client dies'])('stops the call when %s', async (interruption) => {
    const signals: AbortSignal[] = []
    const askModel: McpServices['ask'] = (_, { signal }) => {
      signals.push(signal)
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { connect, calls } = await startMcpServer({ ask: askModel })
    const { client, transport } = await connect('claude-code', mode)
    const clientController = new AbortController()
    const answer = client.callTool(toolCall, { signal: clientController.signal })
    const failedCall = expect(answer).rejects.toThrow()
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    if (interruption === 'a call is cancelled') clientController.abort()
    else await transport.close()
    await failedCall
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
    await vi.waitFor(() => expect(calls).toMatchObject([{ outcome: 'cancelled' }]))
  })
})

describe('MCP over HTTP', () => {
  it('serves only requests through the relay', async () => {
    const { post, calls } = await startMcpServer()
    for (const visibleText of ['', 'what-only-the-relay-knowz']) {
      const { status } = await post(initializeBody('2025-06-18'), { 'x-companion-secret': visibleText })
      expect(status).toBe(403)
    }
    expect(calls).toEqual([])
  })

  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32_700],
    ['no JSON-RPC', '{"hello":1}', 400, -32_600],
    ['10 MB of arguments', JSON.stringify({ jsonrpc: '2.0', id: 1, params: 'x'.repeat(10_000_000) }), 413, -32_600],
  ])('refuses %s with a clear error', async (_, body, status, code) => {
    const { post } = await startMcpServer()
    const response = await post(body)
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect((await post(initializeBody('2025-06-18'))).status).toBe(200)
  })

  it('offers a supported version to a client that requests another, and refuses an unknown header version', async () => {
    const { post } = await startMcpServer()
    const response = await post(initializeBody('1999-01-01'))
    expect(await response.text()).toMatch(/"protocolVersion":"20\d\d-\d\d-\d\d"/)
    const session = response.headers.get('mcp-session-id') ?? ''
    const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
    const wrongVersionResponse = await post(list, { 'mcp-session-id': session, 'mcp-protocol-version': '1999-01-01' })
    expect(wrongVersionResponse.status).toBe(400)
    expect(await wrongVersionResponse.text()).toContain('1999-01-01')
  })

  it('ends a session on request, isolates tools from each other, and evicts the oldest session', async () => {
    const { post, url } = await startMcpServer({}, { sessions: 2 })
    const openSession = async (): Promise<string> => {
      const response = await post(initializeBody('2025-06-18'))
      await response.text()
      return response.headers.get('mcp-session-id') ?? ''
    }
    const listToolsWithSession = async (id: string, toolId = 'claude-code') => {
      const headers = { 'mcp-session-id': id, 'x-companion-tool': toolId }
      const response = await post('{"jsonrpc":"2.0","id":2,"method":"tools/list"}', headers)
      await response.text()
      return response.status
    }
    const [first, second] = [await openSession(), await openSession()]
    expect([await listToolsWithSession(first), await listToolsWithSession(first, 'cursor')]).toEqual([200, 404])
    const headers = { 'x-companion-secret': secret, 'x-companion-tool': 'claude-code', 'mcp-session-id': second }
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200)
    expect(await listToolsWithSession(second)).toBe(404)
    await openSession()
    await openSession()
    expect(await listToolsWithSession(first)).toBe(404)
  })

  it('closes after an idle period', async () => {
    const { post, ended: serverEnd } = await startMcpServer({}, { sessionMs: 20, idleMs: 500, checkMs: 5 })
    await (await post(initializeBody('2025-06-18'))).text()
    await serverEnd
    await expect(post(initializeBody('2025-06-18'))).rejects.toThrow()
  })
})
