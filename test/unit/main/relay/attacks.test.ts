import { describe, expect, test } from 'vitest'
import {
  buildRawRequest,
  buildTable,
  chatPath,
  chatRequestBody,
  key,
  messagesPath,
  sendRaw,
  sendRequest,
  startHarness,
  startRawGateway,
  startRecordingRelay,
  startRelayTo,
  token,
  upstream,
} from './support'

/** A recording relay with its port and raw access. */
async function startRelay(limits: Parameters<typeof startRecordingRelay>[1] = {}) {
  const harness = await startRecordingRelay({}, limits)
  const { port } = harness.relay
  const sendRawRequest = (head: readonly string[], body = '') => sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`)
  return { ...harness, port, raw: sendRawRequest }
}

const buildValidHead = (port: number) => [
  `Host: 127.0.0.1:${port}`,
  `Authorization: Bearer ${token}`,
  'Connection: close',
]
const readStatus = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)

test('only a tool with its token, on its own host, reaches the gateway', async () => {
  const { port, raw, received, entries } = await startRelay()
  const hostHeader = `Host: 127.0.0.1:${port}`
  const authorizationLine = `Authorization: Bearer ${token}`
  const rows: readonly (readonly [number, readonly string[]])[] = [
    [421, ['Host: evil.example', authorizationLine]],
    [421, [`Host: evil.example:${port}`, authorizationLine]],
    [421, ['Host: 127.0.0.1', authorizationLine]],
    [421, [`Host: 127.0.0.1:${port + 1}`, authorizationLine]],
    [421, [`Host: 127.0.0.1.evil.example:${port}`, authorizationLine]],
    [421, [`Host: localhost.:${port}`, authorizationLine]],
    [421, [`Host: evil@127.0.0.1:${port}`, authorizationLine]],
    [400, [authorizationLine]],
    [400, [hostHeader, hostHeader, authorizationLine]],
    [403, [hostHeader, authorizationLine, 'Origin: https://evil.example']],
    [403, [hostHeader, authorizationLine, `Origin: http://127.0.0.1:${port}`]],
    [403, [hostHeader, authorizationLine, 'Origin: null']],
    [403, [hostHeader, authorizationLine, 'Origin:']],
    [403, [hostHeader, authorizationLine, 'Sec-Fetch-Site: cross-site']],
    [403, [hostHeader, authorizationLine, 'Sec-Fetch-Site: same-origin']],
    [401, [hostHeader]],
    [401, [hostHeader, 'Authorization: Bearer']],
    [401, [hostHeader, `Authorization: Bearer ${token}x`]],
    [401, [hostHeader, `Authorization: Bearer ${token.slice(0, -1)}X`]],
    [401, [hostHeader, `Authorization: Bearer ${key}`]],
    [401, [hostHeader, `Authorization: Basic ${token}`]],
    [401, [hostHeader, `Authorization: ${token}`]],
    [401, [hostHeader, 'x-api-key: ']],
    [401, [hostHeader, `X-Api-Key: ${token.toUpperCase()}`]],
    [401, [hostHeader, `Cookie: authorization=${token}`]],
    [400, [hostHeader, authorizationLine, authorizationLine]],
    [400, [hostHeader, authorizationLine, 'Upgrade: websocket', 'Connection: Upgrade']],
  ]
  for (const [status, head] of rows) {
    const response = await raw([`GET ${chatPath} HTTP/1.1`, ...head, 'Connection: close'])
    expect([head, readStatus(response)]).toEqual([head, status])
    expect(response).not.toMatch(/access-control|sk-real/i)
  }
  expect(readStatus(await raw([`GET /t/other/v1/messages HTTP/1.1`, ...buildValidHead(port)]))).toBe(401)
  expect([received, entries]).toEqual([[], []])
})

test.each([
  ['Authorization', `Bearer ${token}`],
  ['authorization', `bearer  ${token}`],
  ['X-API-Key', token],
])('accepts the token as %s', async (name, value) => {
  const { url, received } = await startRelay()
  expect((await sendRequest(url + chatPath, chatRequestBody, { [name]: value })).status).toBe(200)
  expect(received).toHaveLength(1)
})

test('accepts the token next to another credential, and answers to localhost', async () => {
  const { url, port, received } = await startRelay()
  const headers = { authorization: 'Bearer of-somebody-else', 'x-api-key': token, host: `localhost:${port}` }
  expect((await sendRequest(url + messagesPath, chatRequestBody, headers)).status).toBe(200)
  expect(JSON.stringify(received)).not.toContain('of-somebody-else')
})

test('reports an unknown token in the standard’s format', async () => {
  const { send } = await startRelay()
  const message = expect.stringMatching(/does not know this token.*Configure the tool again/)
  const error = { type: 'authentication_error', message }
  for (const [path, expected] of [
    [chatPath, { error: { ...error, param: null, code: 'relay_token' } }],
    [messagesPath, { type: 'error', error }],
  ] as const) {
    const { status, body, headers } = await send(path, chatRequestBody, { authorization: 'Bearer wrong' })
    expect([status, JSON.parse(body), headers['x-should-retry']]).toEqual([401, expected, 'false'])
  }
})

test('reports its presence to anybody, and nothing else', async () => {
  const { url, port, raw } = await startRelay()
  expect(await sendRequest(`${url}/health`)).toMatchObject({ status: 200, body: 'ok' })
  const readHealth = async (...head: string[]) =>
    readStatus(await raw(['GET /health HTTP/1.1', 'Connection: close', ...head]))
  expect(await readHealth('Host: evil.example')).toBe(421)
  expect(await readHealth(`Host: localhost:${port}`, 'Origin: http://a')).toBe(403)
})

test.each([
  ['GET http://evil.example/t/x/v1/messages HTTP/1.1', 400],
  ['GET //evil.example/t/x/v1/messages HTTP/1.1', 404],
  ['GET /t/x/../../etc HTTP/1.1', 400],
  ['POST /t/x/v1/a/../chat/completions HTTP/1.0', 400],
  ['POST /t/x/v1/chat/completions#a HTTP/1.1', 400],
  ['GET /t/x/v1%2fmessages HTTP/1.1', 400],
  ['OPTIONS /t/x/v1/messages HTTP/1.1', 405],
  ['OPTIONS * HTTP/1.1', 405],
  ['TRACE /t/x/v1/messages HTTP/1.1', 405],
  ['CONNECT evil.example:443 HTTP/1.1', 405],
  ['GET /v1/messages HTTP/1.1', 404],
])('refuses %s with %i', async (line, status) => {
  const { port, raw, received } = await startRelay()
  expect(readStatus(await raw([line, ...buildValidHead(port)]))).toBe(status)
  expect(received).toEqual([])
})

describe('ambiguous requests', () => {
  const line = `POST ${chatPath} HTTP/1.1`
  const smuggledRequest = 'GET /t/x/v1/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['both lengths', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggledRequest}`],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 5'], 'abcd'],
    ['an unknown coding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggledRequest}`],
    ['a space before the colon', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
    ['a lone line feed', ['X-A: b\nTransfer-Encoding: chunked', 'Content-Length: 0'], ''],
    ['a zero byte', ['X-A: b\0c', 'Content-Length: 0'], ''],
    ['a bad chunk size', ['Transfer-Encoding: chunked'], `zz\r\n${smuggledRequest}`],
  ]

  test.each(rows)('are refused: %s', async (_, head, body) => {
    const { port, raw, received } = await startRelay()
    const response = await raw([line, ...buildValidHead(port), ...head], body)
    expect(readStatus(response)).toBe(400)
    expect(received).toEqual([])
  })

  test('a pipelined request is checked separately', async () => {
    const { port, received } = await startRelay()
    const secondRequest = ['GET /t/x/v1/models HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: close']
    const response = await sendRaw(port, `${buildRawRequest(port, chatPath)}${secondRequest.join('\r\n')}\r\n\r\n`)
    expect([...response.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '401'])
    expect(received).toMatchObject([{ method: 'POST', url: '/v1/chat/completions', body: chatRequestBody }])
  })
})

test('sends the gateway only the key, and no hop-by-hop header of the tool', async () => {
  const { send, received, gateway } = await startRelay()
  await send(chatPath, chatRequestBody, {
    'x-api-key': token,
    'api-key': token,
    'proxy-authorization': 'Basic abc',
    connection: 'x-private, authorization',
    'x-private': 'p',
    te: 'trailers',
    'keep-alive': 'timeout=5',
    'x-http-method-override': 'POST',
    'x-original-url': '/v1/chat/completions',
    'accept-encoding': 'gzip, br',
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    'X-Mixed-Case': 'kept',
  })
  const [{ headers = [] } = {}] = received
  const names = headers.filter((_, index) => index % 2 === 0)
  expect(names).toContain('X-Mixed-Case')
  const valuesByName = names.map((name, index) => [name.toLowerCase(), headers[2 * index + 1]] as const)
  expect(valuesByName.toSorted()).toEqual([
    ['accept-encoding', 'identity'],
    ['anthropic-version', '2023-06-01'],
    ['authorization', `Bearer ${key}`],
    ['connection', 'keep-alive'],
    ['content-length', String(chatRequestBody.length)],
    ['content-type', 'application/json'],
    ['host', new URL(gateway.url).host],
    ['x-mixed-case', 'kept'],
  ])
  expect(JSON.stringify(headers)).not.toContain(token)
})

test('sends the tool the gateway’s response, without hop-by-hop headers and without access for web pages', async () => {
  const { sendChat } = await startRelayTo((_, response) => {
    response.writeHead(418, {
      'X-Request-Id': 'req_1',
      'Set-Cookie': ['a=1', 'b=2'],
      'X-Hop': 'h',
      Connection: 'X-Hop',
      'Access-Control-Allow-Origin': '*',
      'Alt-Svc': 'h3=":443"',
      'Keep-Alive': 'timeout=9',
      Date: 'then',
    })
    response.end('teapot')
  })
  const answer = await sendChat()
  expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([418, 'teapot', ['a=1', 'b=2']])
  expect(answer.headers).toMatchObject({ 'x-request-id': 'req_1', date: 'then' })
  for (const name of ['access-control-allow-origin', 'alt-svc', 'x-hop'])
    expect(answer.headers).not.toHaveProperty(name)
})

test.each([
  ['a folded header', 'X-A: b\r\n X-Evil: 1'],
  ['a lone carriage return', 'X-A: b\rX-Evil: 1'],
  ['a zero byte', 'X-A: b\0c'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3'],
  ['both lengths', 'Content-Length: 2\r\nTransfer-Encoding: chunked'],
  ['another status line', 'X-A: b\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: 1\r\nContent-Length: 2'],
])('an ambiguous response passes no header of its own to the tool: %s', async (_, header) => {
  const gatewayUrl = await startRawGateway((socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${header}\r\n\r\n{}`, 'latin1')
  })
  const { relay } = await startHarness(buildTable([upstream(gatewayUrl)]))
  const request = buildRawRequest(relay.port, chatPath).replace('Host:', 'Connection: close\r\nHost:')
  const [lines = ''] = (await sendRaw(relay.port, request)).split('\r\n\r\n', 1)
  expect(lines).toMatch(/^HTTP\/1\.1 (?:200|502) /)
  expect(lines.split('\r\n').some((line) => /^x-evil/i.test(line))).toBe(false)
  expect(lines).not.toMatch(/\r(?!\n)|(?<!\r)\n|\0/)
})

test('reports and records the reason while it is paused or without a plan', async () => {
  const { send, sendChat, relay, entries, gateway } = await startRelay()
  const keyless = buildTable([], { reason: { code: 'vault.keyMissing', message: 'The key is gone.' } })
  for (const [path, table, reason] of [
    [chatPath, { ...buildTable([upstream(gateway.url)]), isPaused: true }, 'paused'],
    [messagesPath, buildTable([]), 'no plan'],
    [chatPath, keyless, 'The key is gone.'],
    [chatPath, buildTable([upstream('http://not-this-machine.example')]), ''],
  ] as const) {
    relay.setTable(table)
    expect(await send(path, chatRequestBody)).toMatchObject({ status: 503, body: expect.stringContaining(reason) })
  }
  expect(entries).toMatchObject(Array(4).fill({ error: 'relay', status: 503, toolId: 'x' }))
  relay.setTable(buildTable([upstream(gateway.url)]))
  expect((await sendChat()).status).toBe(200)
})

test.each([
  ['announced', (bytes: number) => [`Content-Length: ${bytes}`]],
  ['chunk by chunk', () => ['Transfer-Encoding: chunked']],
])('refuses a body that is too large, %s', async (framing, toLength) => {
  const bytes = 3_000_000
  const { port, raw, entries, received } = await startRelay({ bodyBytes: 2_000_000 })
  const body = 'x'.repeat(bytes)
  const encodedBody = framing === 'announced' ? body : `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const response = await raw([`POST ${chatPath} HTTP/1.1`, ...buildValidHead(port), ...toLength(bytes)], encodedBody)
  expect([readStatus(response), response]).toEqual([413, expect.stringContaining('request_too_large')])
  expect(entries).toMatchObject([{ error: 'relay', toolId: 'x' }])
  expect(received).toEqual([])
})

test('an oversized header is refused', async () => {
  const { port, raw } = await startRelay()
  const head = [`GET ${chatPath} HTTP/1.1`, ...buildValidHead(port), `X-A: ${'a'.repeat(20_000)}`]
  expect(readStatus(await raw(head))).toBe(431)
})
