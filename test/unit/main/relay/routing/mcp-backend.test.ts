import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { McpBackend } from '../../../../../src/main/relay/routing/mcp-backend'
import { startRelay } from '../../../../../src/main/relay/start-relay'
import { makeFolder } from '../../../support/folders'
import { sendRaw, sendRequest } from '../support'

const token = 'relay-mcp-token-of-cursor'

/** Program that replaces `companion`. It reports its input, with only the head and the length of the body. */
const server = `
const http = require('node:http')
let secret = ''
process.stdin.once('data', (line) => {
  secret = String(line).trim()
  http.createServer((request, response) => {
    let length = 0
    request.on('data', (chunk) => { length += chunk.length }).on('end', () => {
      const { headers, method } = request
      response.setHeader('content-type', 'application/json').setHeader('x-own', 'stays')
      response.end(JSON.stringify({ isTold: headers['x-companion-secret'] === secret, headers, method, length }))
      if (headers['mcp-session-id'] === 'crash') process.exit(1)
    })
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
})
process.stdin.on('end', () => process.exit())
`

/** Starts a relay that accepts one tool and uses `program` as its backend. */
async function startBackend(program = server) {
  const path = join(makeFolder(), 'companion')
  writeFileSync(path, `#!${process.execPath}\n${program}`, { mode: 0o700 })
  const backend = new McpBackend(path)
  const table = { clients: [], isPaused: false, mcp: [{ toolId: 'cursor', token: new Secret(token) }] }
  const options = { port: 0, table, record: () => undefined, caFiles: [] }
  const relay = await startRelay({ ...options, serveMcp: (...exchange) => backend.serve(...exchange) })
  onTestFinished(async () => {
    await relay.close(0)
    await backend.close()
  })
  const url = `http://127.0.0.1:${relay.port}/mcp/cursor`
  const send = (body = '{}', headers: Record<string, string> = {}) =>
    sendRequest(url, body, { authorization: `Bearer ${token}`, ...headers })
  return { relay, url, send }
}

describe('the MCP server behind the relay', () => {
  it('gets requests of a tool with its token, without the token, and is started once', async () => {
    const { send } = await startBackend()
    const sentHeaders = { 'mcp-session-id': 's1', cookie: 'a=b', 'content-type': 'application/json' }
    const responses = await Promise.all(Array.from({ length: 20 }, () => send('{"a":1}', sentHeaders)))
    for (const { status, body, headers } of responses) {
      expect([status, headers['content-type'], headers['x-own']]).toEqual([200, 'application/json', undefined])
      const rpcMessage = JSON.parse(body)
      expect(rpcMessage).toMatchObject({ isTold: true, method: 'POST', length: 7 })
      expect(rpcMessage.headers).toMatchObject({ 'mcp-session-id': 's1', 'x-companion-tool': 'cursor' })
      expect(body).not.toContain(token)
      expect(rpcMessage.headers.cookie).toBeUndefined()
    }
  })

  it.each([
    ['another token', { authorization: 'Bearer relay-mcp-token-of-cursor-2' }, 401],
    ['no token', { authorization: '' }, 401],
    ['a page in a browser', { origin: 'https://example.com' }, 403],
    ['another host', { host: 'evil.example:80' }, 421],
  ])('is never reached by %s', async (_, headers, status) => {
    const { send } = await startBackend('process.exit(1)')
    expect((await send('{}', headers)).status).toBe(status)
  })

  it("is not reached with one tool's token on another's path, nor after the table revoked it", async () => {
    const { relay, url, send } = await startBackend()
    const otherResponse = await sendRequest(url.replace('cursor', 'goose'), '{}', { authorization: `Bearer ${token}` })
    expect(otherResponse.status).toBe(401)
    expect((await send()).status).toBe(200)
    relay.setTable({ clients: [], isPaused: false })
    expect((await send()).status).toBe(404)
  })

  it('is restarted after it exits, and pending requests get an error', async () => {
    const { send } = await startBackend()
    await send('{}', { 'mcp-session-id': 'crash' }).catch(() => undefined)
    await expect.poll(async () => (await send().catch(() => undefined))?.status).toBe(200)
  })

  it('reports that it cannot be started', async () => {
    const { send } = await startBackend('process.exit(1)')
    const { status, body } = await send()
    expect([status, JSON.parse(body).error.code]).toEqual([502, 'mcp_failed'])
  })

  it('keeps working for others when a tool dies in the middle of its request', async () => {
    const { relay, send } = await startBackend()
    const head = `POST /mcp/cursor HTTP/1.1\r\nhost: 127.0.0.1:${relay.port}\r\nx-api-key: ${token}\r\n`
    const abortedRequest = sendRaw(relay.port, `${head}content-length: 100\r\nconnection: close\r\n\r\nabc`)
    expect((await send()).status).toBe(200)
    await relay.close(0)
    expect(await abortedRequest).not.toContain('200')
  })

  it.each([
    ['its length', {}],
    ['its body alone', { 'transfer-encoding': 'chunked' }],
  ])('is not reached by a message that is too large by %s, and the tool gets an error', async (_, headers) => {
    const { send } = await startBackend()
    const { status, body } = await send(`"${'x'.repeat(2_100_000)}"`, headers)
    expect([status, JSON.parse(body).error.code]).toEqual([413, 'request_too_large'])
    expect((await send()).status).toBe(200)
  })
})
