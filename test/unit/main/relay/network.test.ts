import { createServer } from 'node:https'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAuthority } from '../core/net/test-authority'
import { startProxy } from '../core/net/test-proxy'
import { listen } from '../gateway/answering-server'
import { answerChat, buildTable, chatResponseBody, startHarness, startRawGateway, upstream } from './support'

const authority = createAuthority(['DNS:gateway.test', 'IP:127.0.0.1'])

const refused = (reason: string) => ({ status: 502, body: expect.stringContaining(reason) })
afterAll(() => authority.remove())

async function startSecureGateway(): Promise<number> {
  const server = createServer(authority.identity, answerChat)
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return listen(server)
}

test('a gateway behind the system’s proxy is reached with the trusted certificates', async () => {
  const proxy = await startProxy({ targetPort: await startSecureGateway() })
  onTestFinished(() => proxy.close())
  const network = { kind: 'proxy', url: proxy.url.replace('//', '//user:word@') } as const
  const table = buildTable([upstream('https://gateway.test', { network })])
  const { sendChat } = await startHarness(table, { caFiles: [authority.pemFile] })
  expect((await sendChat()).status).toBe(200)
  expect(proxy.asked).toEqual([
    { line: 'CONNECT gateway.test:443', authorization: `Basic ${Buffer.from('user:word').toString('base64')}` },
  ])
})

test('a gateway with an untrusted certificate gets nothing, and the tool gets the reason', async () => {
  const gatewayUrl = `https://127.0.0.1:${await startSecureGateway()}`
  const { sendChat, entries } = await startHarness(buildTable([upstream(gatewayUrl)]))
  expect(await sendChat()).toMatchObject(refused('does not trust the certificate'))
  expect(entries).toMatchObject([{ error: 'network', status: undefined }])
})

test('a proxy that rejects the request is reported', async () => {
  const proxy = await startProxy({ targetPort: 1, refuseWith: 407 })
  onTestFinished(() => proxy.close())
  const network = { kind: 'proxy', url: proxy.url } as const
  const { sendChat } = await startHarness(buildTable([upstream('https://gateway.test', { network })]))
  expect(await sendChat()).toMatchObject(refused('proxy'))
})

describe('a response header', () => {
  const body = JSON.stringify(chatResponseBody)
  const buildOkResponse = (header = '') => `HTTP/1.1 200 OK\r\n${header}content-length: ${body.length}\r\n\r\n${body}`
  const resume = 'HTTP/1.1 100 Continue\r\n\r\n'

  test.each<[string, readonly string[]]>([
    [
      'after 103 and 102, with 100 between',
      [`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${resume}`, `HTTP/1.1 102 P\r\n\r\n`, buildOkResponse()],
    ],
    ['of 40 KB in one header', [buildOkResponse(`x-policy: ${'p'.repeat(40_000)}\r\n`)]],
    [
      'of 60 KB in many headers',
      [buildOkResponse(Array.from({ length: 600 }, (_, i) => `x-${i}: ${'p'.repeat(90)}\r\n`).join(''))],
    ],
  ])('%s reaches the tool, on one connection', async (_, chunks) => {
    const seenSockets = new Set<object>()
    const url = await startRawGateway((socket) => {
      seenSockets.add(socket)
      socket.setNoDelay(true)
      const [first = '', ...rest] = chunks
      socket.write(first)
      rest.reduce(
        (previousWrite, chunk) =>
          previousWrite.then(() => new Promise((resolve) => setTimeout(() => socket.write(chunk, resolve), 2))),
        Promise.resolve() as Promise<unknown>,
      )
    })
    const { sendChat, entries } = await startHarness(buildTable([upstream(url)]))
    for (let roundIndex = 0; roundIndex < 2; roundIndex += 1)
      expect(await sendChat()).toMatchObject({ status: 200, body })
    expect([seenSockets.size, entries.map(({ error }) => error)]).toEqual([1, [undefined, undefined]])
  })

  test('of more than 128 KB is refused with the reason', async () => {
    const url = await startRawGateway((socket) => socket.write(buildOkResponse(`x-policy: ${'p'.repeat(200_000)}\r\n`)))
    const { sendChat, entries } = await startHarness(buildTable([upstream(url)]))
    expect(await sendChat()).toMatchObject(refused('headers of more than 128 KB'))
    expect(entries).toMatchObject([{ error: 'network' }])
  })
})

const longText = 'x'.repeat(100_000)

test.each<[string, number, string]>([
  ['with bytes after its length', 429, 'content-length: 15\r\n\r\n{"error":"slow"}xx'],
  ['that is held open', 401, 'content-length: 500\r\n\r\n{"error":"no'],
  ['without a length that is held open', 402, 'x-a: b\r\n\r\n{"error":"paid'],
  ['that is only a head', 500, 'content-length: 500\r\n\r\n'],
  [
    'with a second response behind it',
    429,
    'content-length: 15\r\n\r\n{"error":"slow"}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  ],
  ['of 10 MB that is held open', 503, `content-length: 10000000\r\n\r\n${longText}`],
  ['with a chunk that is none', 403, 'transfer-encoding: chunked\r\n\r\n5\r\n{"err\r\nzz\r\n'],
  ['packed and held open', 429, `content-encoding: gzip\r\ncontent-length: 900\r\n\r\n`],
])('a refusal %s reaches the tool in time, and its connection is closed', async (_, status, headersAndBody) => {
  const closeListener = vi.fn()
  const url = await startRawGateway((socket) => {
    socket.on('close', closeListener)
    socket.write(`HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\n${headersAndBody}`)
  })
  const { sendChat, entries } = await startHarness(buildTable([upstream(url)]), { limits: { refusalTimeoutMs: 50 } })
  const response = await sendChat()
  expect(response.status).toBe(status)
  expect(headersAndBody).toContain(response.body)
  expect(entries).toMatchObject([{ status }])
  await vi.waitFor(() => expect(closeListener).toHaveBeenCalled())
})
