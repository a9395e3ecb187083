import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HttpServer } from '../../../../src/main/relay/http-server'
import { pollOptions, sendRaw } from './support'

type RequestHandler = ConstructorParameters<typeof HttpServer>[1]

type ServerLimits = ConstructorParameters<typeof HttpServer>[0]
const defaults: ServerLimits = {
  headersMs: 15_000,
  idleMs: 60_000,
  unreadMs: 60_000,
  connections: 100,
  pipelined: 32,
}

const host = 'Host: a\r\n'
const connectionCloseHeaders = `${host}Connection: close\r\n`

/** A server on a free port that closes after the test, with raw socket access. */
async function startServer(serve: RequestHandler, limits: Partial<ServerLimits> = {}) {
  const server = new HttpServer({ ...defaults, ...limits }, serve)
  const port = await server.listen(0)
  onTestFinished(() => server.close(0, () => undefined))
  const open = async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    const client = { socket, got: '', isClosed: false }
    socket.on('error', () => undefined)
    socket.on('close', () => {
      client.isClosed = true
    })
    socket.on('data', (text: string) => {
      client.got += text
    })
    await once(socket, 'connect')
    return client
  }
  return { server, port, open, say: (text: string) => sendRaw(port, text) }
}

function answer(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, ['content-length', String(Buffer.byteLength(text))])
  response.end(text)
}

/** Reads a body and echoes it. */
const respondWithRequest: RequestHandler = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => answer(response, `${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`))
}

const waitForText = (client: { got: string }, text: string) =>
  vi.waitFor(() => expect(client.got).toContain(text), pollOptions)
const splitBodies = (responseText: string) =>
  responseText.split(/HTTP\/1\.1 \d+ [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/).slice(1)

test('answers requests in sequence, and starts none before the previous one is answered', async () => {
  const startedResponses: ServerResponse[] = []
  const errorLines: string[] = []
  const { open } = await startServer(({ url }, response) => {
    errorLines.push(`begun ${url}`)
    response.prependListener('close', () => errorLines.push(`answered ${url}`))
    startedResponses.push(response)
  })
  const client = await open()
  client.socket.write(
    `GET /1 HTTP/1.1\r\n${host}\r\nGET /2 HTTP/1.1\r\n${host}\r\nGET /3 HTTP/1.1\r\n${host}\r\nGET /4`,
  )
  for (const roundIndex of [0, 1, 2]) {
    await vi.waitFor(() => expect(startedResponses.length).toBe(roundIndex + 1), pollOptions)
    const response = startedResponses[roundIndex]
    if (response !== undefined) answer(response, `answer ${roundIndex + 1}`)
    await waitForText(client, `answer ${roundIndex + 1}`)
  }
  client.socket.write(` HTTP/1.1\r\n${host}\r\n`)
  await vi.waitFor(() => expect(startedResponses.length).toBe(4), pollOptions)
  expect(errorLines).toEqual([...['/1', '/2', '/3'].flatMap((url) => [`begun ${url}`, `answered ${url}`]), 'begun /4'])
})

test('reads the body of a pipelined request once it is next', async () => {
  let firstResponse: ServerResponse | undefined
  const { open } = await startServer((request, response) => {
    if (request.url === '/long') respondWithRequest(request, response)
    else firstResponse = response
  })
  const client = await open()
  const body = 'x'.repeat(1_000_000)
  const longRequest = `POST /long HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`
  client.socket.write(`GET /first HTTP/1.1\r\n${host}\r\n${longRequest}`)
  await vi.waitFor(() => expect(firstResponse).toBeDefined(), pollOptions)
  if (firstResponse !== undefined) answer(firstResponse, 'first')
  await vi.waitFor(() => expect(splitBodies(client.got)).toEqual(['first', `POST /long ${body}`]), pollOptions)
})

test('closes a connection with too many pipelined requests without answering them', async () => {
  let count = 0
  const countRequest = () => {
    count += 1
  }
  const { open } = await startServer(countRequest, { pipelined: 3 })
  const client = await open()
  client.socket.write(`GET /a HTTP/1.1\r\n${host}\r\n`.repeat(4))
  await vi.waitFor(() => expect(count).toBe(1), pollOptions)
  expect(client.isClosed).toBe(false)
  client.socket.write(`GET /a HTTP/1.1\r\n${host}\r\n`.repeat(1000))
  await vi.waitFor(() => expect(client.isClosed).toBe(true), pollOptions)
  expect([client.got, count]).toEqual(['', 1])
})

test('closes a client that never reads, but not a slow one, regardless of clock changes', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const responses = new Map<string | undefined, ServerResponse>()
  const responseEvents = new EventEmitter()
  const { open } = await startServer(({ url }, response) => {
    const writeUntilFull = () => {
      while (response.write(Buffer.alloc(64 * 1024)));
    }
    responses.set(url, response.on('drain', writeUntilFull))
    writeUntilFull()
    responseEvents.emit('full')
  })
  const requestUntilFull = async (path: string) => {
    const { socket } = await open()
    const fullPromise = once(responseEvents, 'full')
    socket.pause().write(`GET ${path} HTTP/1.1\r\n${host}\r\n`)
    await fullPromise
    const response = responses.get(path)
    if (response === undefined) throw new Error('It was not asked.')
    return { socket, response, closed: once(response, 'close') }
  }
  const [deaf, slow] = [await requestUntilFull('/deaf'), await requestUntilFull('/slow')]
  const startMs = performance.now()
  while (!deaf.response.closed && performance.now() - startMs < 2 * defaults.unreadMs) {
    const drainedPromise = once(slow.response, 'drain')
    slow.socket.resume()
    await drainedPromise
    slow.socket.pause()
    vi.setSystemTime(Date.now() + 86_400_000)
    vi.advanceTimersByTime(defaults.unreadMs / 12)
    if (deaf.response.socket?.destroyed !== false) await deaf.closed
  }
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(defaults.unreadMs)
  expect([deaf, slow].map(({ response }) => response.closed)).toEqual([true, false])
  slow.socket.destroy()
  await slow.closed
})

test('sends 100 Continue to a waiting client, unless its body is refused', async () => {
  const { open } = await startServer((request, response) => {
    if (request.url === '/no') answer(response, 'no', 413)
    else respondWithRequest(request, response)
  })
  const head = (path: string) => `POST ${path} HTTP/1.1\r\n${host}Expect: 100-Continue\r\nContent-Length: 4\r\n\r\n`
  const acceptedClient = await open()
  acceptedClient.socket.write(head('/yes'))
  await waitForText(acceptedClient, 'HTTP/1.1 100 Continue\r\n\r\n')
  expect(acceptedClient.got).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  acceptedClient.socket.write('body')
  await waitForText(acceptedClient, 'POST /yes body')
  acceptedClient.socket.write(`GET /next HTTP/1.1\r\n${host}\r\n`)
  await waitForText(acceptedClient, 'GET /next')
  expect(acceptedClient.got.match(/100 Continue/g)).toHaveLength(1)
  const refusedClient = await open()
  refusedClient.socket.write(head('/no'))
  await vi.waitFor(() => expect(refusedClient.isClosed).toBe(true), pollOptions)
  expect(refusedClient.got).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close\r\n\r\nno$/i)
})

test('an early response leaves the connection open for the next request', async () => {
  const { open } = await startServer((request, response) => {
    if (request.url === '/early') answer(response, 'early', 413)
    else respondWithRequest(request, response)
  })
  const client = await open()
  const smuggledRequest = `GET /smuggled HTTP/1.1\r\n${host}\r\n`
  client.socket.write(`POST /early HTTP/1.1\r\n${host}Content-Length: 200000\r\n\r\n${smuggledRequest}`)
  await waitForText(client, 'early')
  client.socket.write(`${'x'.repeat(200_000 - smuggledRequest.length)}GET /next HTTP/1.1\r\n${host}\r\n`)
  await waitForText(client, 'GET /next')
  expect(splitBodies(client.got)).toEqual(['early', 'GET /next '])
})

test.each([
  ['ends its side', (socket: Socket) => socket.end()],
  ['is gone', (socket: Socket) => socket.resetAndDestroy()],
])('a pending response is aborted when the client %s', async (_, leave) => {
  const errorLines: string[] = []
  const { open } = await startServer((request, response) => {
    request.on('end', () => errorLines.push('end')).resume()
    response.on('close', () => errorLines.push(`closed ${response.writableEnded}`))
  })
  const client = await open()
  client.socket.write(`GET /1 HTTP/1.1\r\n${host}\r\nGET /waits HTTP/1.1\r\n${host}\r\n`)
  await vi.waitFor(() => expect(errorLines).toEqual(['end']), pollOptions)
  leave(client.socket)
  await vi.waitFor(() => expect([client.isClosed, errorLines]).toEqual([true, ['end', 'closed false']]), pollOptions)
})

test('an unauthenticated connection is evicted for a new one, oldest first, and others stay', async () => {
  const { open, server } = await startServer(
    (request, response) => {
      if (request.url === '/token') server.markAuthenticated(request)
      answer(response, `answer to ${request.url}`)
    },
    { connections: 3 },
  )
  const firstClient = await open()
  firstClient.socket.write(`GET /token HTTP/1.1\r\n${host}\r\n`)
  await waitForText(firstClient, '/token')
  const [first, second] = [await open(), await open()]
  first.socket.write('GET /slow')
  const thirdClient = await open()
  await vi.waitFor(() => expect(first.isClosed).toBe(true), pollOptions)
  for (const [client, path] of [
    [second, '/2'],
    [thirdClient, '/3'],
    [firstClient, '/again'],
  ] as const) {
    client.socket.write(`GET ${path} HTTP/1.1\r\n${host}\r\n`)
    await waitForText(client, `answer to ${path}`)
  }
  for (const client of [second, thirdClient]) {
    client.socket.write(`GET /token HTTP/1.1\r\n${host}\r\n`)
    await waitForText(client, '/token')
  }
  const rejectedClient = await open()
  await vi.waitFor(() => expect(rejectedClient.isClosed).toBe(true), pollOptions)
  expect([firstClient, second, thirdClient].map(({ isClosed }) => isClosed)).toEqual([false, false, false])
})

test('a request that is incomplete at its timeout gets a response', async () => {
  const limits = { headersMs: 50, idleMs: 200 }
  const { say } = await startServer((_, response) => answer(response, 'kept'), limits)
  expect(await say('GET / HTTP/1.1\r\nHo')).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  const readingServer = await startServer((request) => void request.resume(), limits)
  expect(await readingServer.say(`POST / HTTP/1.1\r\n${host}Content-Length: 4\r\n\r\nabc`)).toMatch(/^HTTP\/1\.1 408 /)
})

test('closing ends idle connections immediately, finishes responses, and announces the end', async () => {
  const responses: ServerResponse[] = []
  const { open, server } = await startServer((_, response) => void responses.push(response))
  const [idle, waiting, endless] = [await open(), await open(), await open()]
  waiting.socket.write(`GET /1 HTTP/1.1\r\n${host}\r\nGET /2 HTTP/1.1\r\n${host}\r\n`)
  endless.socket.write(`GET /3 HTTP/1.1\r\n${host}\r\n`)
  await vi.waitFor(() => expect(responses.length).toBe(2), pollOptions)
  const beforeCloseMock = vi.fn()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const shutdownGraceMs = 24 * 3_600_000
  const closePromise = server.close(shutdownGraceMs, beforeCloseMock)
  await vi.waitFor(() => expect(idle.isClosed).toBe(true), pollOptions)
  expect([waiting, endless].map(({ isClosed }) => isClosed)).toEqual([false, false])
  if (responses[0] !== undefined) answer(responses[0], 'last')
  await vi.waitFor(() => expect(waiting.isClosed).toBe(true), pollOptions)
  expect(waiting.got).toMatch(/last$/)
  expect(beforeCloseMock).not.toHaveBeenCalled()
  vi.advanceTimersByTime(shutdownGraceMs)
  await closePromise
  expect([endless.got, responses.length, beforeCloseMock.mock.calls.length]).toEqual(['', 2, 1])
})

test('a client that requests a tunnel and disconnects ends nothing', async () => {
  const { open, say } = await startServer(respondWithRequest)
  const errors: unknown[] = []
  const recordError = (error: unknown): void => void errors.push(error)
  process.on('uncaughtException', recordError)
  onTestFinished(() => void process.off('uncaughtException', recordError))
  for (let requestCount = 0; requestCount < 100; requestCount += 1) {
    const { socket } = await open()
    socket.write(`CONNECT a:443 HTTP/1.1\r\n${host}\r\n`)
    await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0), pollOptions)
    socket.resetAndDestroy()
  }
  expect(await say(`POST / HTTP/1.1\r\n${connectionCloseHeaders}Content-Length: 2\r\n\r\nHi`)).toContain('POST / Hi')
  expect(errors).toEqual([])
})

const connectMany = `
  const { connect } = require('node:net')
  let connected = 0
  const tell = () => { console.log(connected); process.exit() }
  for (let times = 0; times < 1500; times += 1)
    connect(Number(process.argv[1]), '127.0.0.1', () => { if (++connected === 1500) tell() }).on('error', () => undefined)
  setTimeout(tell, 10_000)
`

const maxBacklog = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1')) : 0

// Other systems allow a smaller backlog, whatever a program requests.
test.runIf(maxBacklog >= 1500)('fifteen hundred connections during a busy period are accepted', async () => {
  const { port } = await startServer(respondWithRequest, { connections: 2000 })
  // `execFileSync` blocks the server's thread, so the server accepts no connection until it returns.
  const connectOutput = execFileSync(process.execPath, ['-e', connectMany, String(port)], { encoding: 'utf8' })
  expect(Number(connectOutput)).toBe(1500)
})
