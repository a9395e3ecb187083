import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Serve } from '../../../../../src/main/relay/http/connection'
import type { HttpRequest } from '../../../../../src/main/relay/http/http-request'
import type { HttpResponse } from '../../../../../src/main/relay/http/http-response'
import { HttpServer, type ServerLimits } from '../../../../../src/main/relay/http/http-server'

/** Looks at once and often. */
const often = { interval: 1 }
const usual: ServerLimits = { headMs: 15_000, requestMs: 60_000, silentMs: 120_000, connections: 100 }

/** A server on a free port that ends with the test, and a way to talk to it in plain bytes. */
async function start(serve: Serve, limits: Partial<ServerLimits> = {}) {
  const server = new HttpServer({ ...usual, ...limits }, serve)
  const port = await server.listen(0)
  onTestFinished(() => server.close(0, () => undefined))
  const open = async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    const client = { socket, got: '', isClosed: false }
    socket
      .on('error', () => undefined)
      .on('close', () => {
        client.isClosed = true
      })
    socket.on('data', (text: string) => {
      client.got += text
    })
    await once(socket, 'connect')
    return client
  }
  const say = async (text: string) => {
    const client = await open()
    client.socket.write(text, 'latin1')
    await vi.waitFor(() => expect(client.isClosed).toBe(true), often)
    return client.got
  }
  return { server, port, open, say }
}

function answer(response: HttpResponse, text: string, status = 200): void {
  response.writeHead(status, ['content-length', String(Buffer.byteLength(text))])
  response.end(Buffer.from(text))
}

/** Reads a body and then answers with what was asked. */
const echo: Serve = (request, response) => {
  const chunks: Buffer[] = []
  request.read({
    add: (chunk) => void chunks.push(chunk),
    end: () => answer(response, `${request.line.method} ${request.line.url} ${Buffer.concat(chunks).toString()}`),
    leave: () => undefined,
  })
}

const until = (client: { got: string }, text: string) => vi.waitFor(() => expect(client.got).toContain(text), often)
const bodiesOf = (got: string) => got.split(/HTTP\/1\.1 \d+ [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/).slice(1)
const noop = () => undefined
const closing = 'Host: a\r\nConnection: close\r\n'

test('answers one request after the other, and begins none before the one ahead of it is answered', async () => {
  const begun: { request: HttpRequest; response: HttpResponse }[] = []
  const { open } = await start((request, response) => void begun.push({ request, response }))
  const client = await open()
  client.socket.write(
    'GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\n\r\nGET /4',
  )
  for (const round of [0, 1, 2]) {
    await vi.waitFor(() => expect(begun.length).toBe(round + 1), often)
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun.map(({ request }) => request.line.url)).toEqual(['/1', '/2', '/3'].slice(0, round + 1))
    const { response } = begun[round] ?? {}
    if (response !== undefined) answer(response, `answer ${round + 1}`)
    await until(client, `answer ${round + 1}`)
  }
  client.socket.write(' HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(begun.length).toBe(4), often)
})

test('takes only so much of what stands behind a request that is being answered', async () => {
  let first: HttpResponse | undefined
  let count = 0
  const { open } = await start((_, response) => {
    count += 1
    if (first === undefined) first = response
    else answer(response, 'ok')
  })
  const client = await open()
  const joined = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => joined.mockRestore())
  const more = 'GET /more HTTP/1.1\r\nX-A: b\r\n\r\n'.repeat(1000)
  let isHeld = false
  client.socket.write('GET /first HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(first).toBeDefined(), often)
  for (let sent = 0; sent < 40_000_000 && !isHeld; sent += more.length)
    isHeld = !client.socket.write(more) && (await isStuck(client.socket))
  expect([isHeld, count]).toEqual([true, 1])
  const kept = joined.mock.results.map(({ value }) => value.length)
  expect([Math.max(...kept) > 64 * 1024, Math.max(...kept) <= 128 * 1024]).toEqual([true, true])
  if (first !== undefined) answer(first, 'first')
  await vi.waitFor(() => expect(count).toBeGreaterThan(10_000), often)
  client.socket.destroy()
})

/** Whether nothing is taken from it any more. */
async function isStuck(socket: Socket): Promise<boolean> {
  const before = socket.bytesWritten - socket.writableLength
  await new Promise((resolve) => setTimeout(resolve, 100))
  // The other end is in this process as well: what it may take it has taken after some turns.
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return socket.writableLength > 0 && socket.bytesWritten - socket.writableLength === before
}

test('tells a client that waits for it to send its body, and none whose body is not wanted', async () => {
  const { open } = await start((request, response) => {
    if (request.line.url === '/no') answer(response, 'no', 413)
    else echo(request, response)
  })
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n`
  const wanted = await open()
  wanted.socket.write(head('/yes'))
  await until(wanted, 'HTTP/1.1 100 Continue\r\n\r\n')
  expect(wanted.got).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  wanted.socket.write('body')
  await until(wanted, 'POST /yes body')
  expect(wanted.got.match(/100 Continue/g)).toHaveLength(1)
  const refused = await open()
  refused.socket.write(head('/no'))
  await until(refused, '413')
  expect(refused.got).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close\r\n\r\nno$/)
  const hasSentAlready = await open()
  hasSentAlready.socket.write(`${head('/yes')}body`)
  await until(hasSentAlready, 'POST /yes body')
  expect(hasSentAlready.got).not.toContain('100 Continue')
})

test('an answer that comes before the request is through leaves the connection to the next request', async () => {
  const { open, say } = await start((request, response) => {
    if (request.line.url === '/early') answer(response, 'early', 413)
    else echo(request, response)
  })
  const client = await open()
  client.socket.write('POST /early HTTP/1.1\r\nContent-Length: 200000\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n')
  await until(client, 'early')
  const left = 200_000 - 'GET /smuggled HTTP/1.1\r\n\r\n'.length
  client.socket.write(`${'x'.repeat(left)}GET /next HTTP/1.1\r\n\r\n`)
  await until(client, 'GET /next')
  expect(bodiesOf(client.got)).toEqual(['early', 'GET /next '])
  const body = 'x'.repeat(2_000_000)
  const told = await say(`POST /early HTTP/1.1\r\n${closing}Content-Length: ${body.length}\r\n\r\n${body}`)
  expect(told).toMatch(/413[\s\S]*early$/)
})

test('a body that was held back does not hold back the next request', async () => {
  const told: string[] = []
  let late: HttpResponse | undefined
  const { open } = await start((request, response) => {
    const { url } = request.line
    if (url === '/next') return echo(request, response)
    request.read({ add: () => request.pause(), end: () => void told.push('end'), leave: () => void told.push('left') })
    response.onceClosed((isComplete) => void told.push(`closed ${isComplete}`))
    if (url === '/early') answer(response, 'early')
    else late = response
  })
  const client = await open()
  client.socket.write('POST /early HTTP/1.1\r\nContent-Length: 8\r\n\r\nhalf')
  await until(client, 'early')
  client.socket.write('restGET /next HTTP/1.1\r\n\r\n')
  await until(client, 'GET /next')
  client.socket.write('POST /late HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody')
  await vi.waitFor(() => expect(told).toEqual(['closed true', 'end']), often)
  client.socket.write('GET /next HTTP/1.1\r\n\r\n')
  if (late !== undefined) answer(late, 'late')
  await vi.waitFor(() => expect(bodiesOf(client.got)).toEqual(['early', 'GET /next ', 'late', 'GET /next ']), often)
})

test('a long request that waits behind another is read on once its turn has come', async () => {
  let first: HttpResponse | undefined
  const { open } = await start((request, response) => {
    if (request.line.url === '/long') echo(request, response)
    else first = response
  })
  const client = await open()
  const body = 'x'.repeat(1_000_000)
  client.socket.write(`GET /first HTTP/1.1\r\n\r\nPOST /long HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await vi.waitFor(() => expect(first).toBeDefined(), often)
  await new Promise((resolve) => setTimeout(resolve, 50))
  if (first !== undefined) answer(first, 'first')
  await vi.waitFor(() => expect(bodiesOf(client.got)).toEqual(['first', `POST /long ${body}`]), often)
})

test.each([
  ['HEAD', 200, ['content-length', '5'], ''],
  ['GET', 204, [], ''],
  ['GET', 304, ['etag', '"a"'], ''],
  ['GET', 200, ['content-length', '5'], 'Hello'],
  ['GET', 200, [], '5\r\nHello\r\n0\r\n\r\n'],
])(
  'an answer to %s with %i has the body that belongs to it, and the next one follows',
  async (method, status, headers, body) => {
    const { open } = await start((request, response) => {
      if (request.line.url === '/next') return answer(response, 'next')
      response.writeHead(status, headers)
      response.write(Buffer.from('Hello'))
      response.write(Buffer.alloc(0))
      response.end()
    })
    const client = await open()
    client.socket.write(`${method} / HTTP/1.1\r\n\r\nGET /next HTTP/1.1\r\n\r\n`)
    await until(client, 'next')
    expect(bodiesOf(client.got)).toEqual([body, 'next'])
    expect(client.got.includes('transfer-encoding: chunked')).toBe(body.startsWith('5\r\n'))
  },
)

test('the end of the connection is the end of an answer of unknown length for a client of HTTP/1.0', async () => {
  const { say, open } = await start((request, response) => {
    if (request.line.url === '/length') return answer(response, 'known')
    response.writeHead(200, ['x-a', 'b'])
    response.write(Buffer.from('Hello '))
    response.end(Buffer.from('there'))
  })
  expect(await say('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')).toBe(
    'HTTP/1.1 200 OK\r\nx-a: b\r\nconnection: close\r\n\r\nHello there',
  )
  // Also where the request is not through, and never will be.
  expect(await say('POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\nhalf')).toMatch(/\r\n\r\nHello there$/)
  expect(await say('GET /length HTTP/1.0\r\n\r\n')).toMatch(/connection: close\r\n\r\nknown$/)
  const kept = await open()
  kept.socket.write('GET /length HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  await until(kept, 'known')
  kept.socket.write('GET /length HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  await vi.waitFor(() => expect(bodiesOf(kept.got)).toEqual(['known', 'known']), often)
})

test('closes behind a request that asks for it, and behind one for another protocol', async () => {
  const { say } = await start(echo)
  expect(await say(`GET /a HTTP/1.1\r\n${closing}\r\nGET /b HTTP/1.1\r\n\r\n`)).toMatch(
    /connection: close\r\n\r\nGET \/a $/,
  )
  const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\n'
  expect(await say(`GET /a HTTP/1.1\r\n${upgrade}\r\nGET /b HTTP/1.1\r\n\r\n`)).toMatch(
    /connection: close\r\n\r\nGET \/a $/,
  )
})

test('what is said before and after an answer is understood: empty lines are not a request, and nonsense is refused', async () => {
  const { open, say } = await start(echo)
  const client = await open()
  client.socket.write('\r\n\r\nGET /a HTTP/1.1\r\n\r\n')
  await until(client, 'GET /a')
  client.socket.write('nonsense\r\n\r\n')
  await vi.waitFor(() => expect(client.isClosed).toBe(true), often)
  expect(client.got).toMatch(/HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n$/)
  expect(await say(`POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`)).toMatch(
    /^HTTP\/1\.1 400 /,
  )
})

test('nonsense within a body whose answer has begun ends the connection without another answer', async () => {
  const ends: boolean[] = []
  const left = vi.fn()
  const { open } = await start((request, response) => {
    request.read({ add: () => undefined, end: () => undefined, leave: left })
    response.onceClosed((isComplete) => void ends.push(isComplete))
    response.writeHead(200, [])
    response.write(Buffer.from('begun'))
  })
  const client = await open()
  client.socket.write('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n')
  await until(client, 'begun')
  client.socket.write('zz\r\n')
  await vi.waitFor(() => expect([client.isClosed, ends]).toEqual([true, [false]]), often)
  expect(client.got.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(left).toHaveBeenCalledOnce()
})

test.each([
  ['ends its side', (socket: Socket) => socket.end()],
  ['is gone', (socket: Socket) => socket.resetAndDestroy()],
])('whoever waits for an answer hears at once that the client %s', async (_, leave) => {
  const told: string[] = []
  const { open } = await start((request, response) => {
    const add = () => void told.push('body')
    request.read({ add, end: () => void told.push('end'), leave: () => void told.push('request') })
    response.onceClosed((isComplete) => void told.push(`response ${isComplete}`))
  })
  const answered = await open()
  answered.socket.write('GET /complete HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(told).toEqual(['end']), often)
  leave(answered.socket)
  await vi.waitFor(() => expect(told.slice(1)).toEqual(['response false']), often)
  const sending = await open()
  sending.socket.write('POST /half HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf')
  await vi.waitFor(() => expect(told.slice(2)).toEqual(['body']), often)
  leave(sending.socket)
  await vi.waitFor(() => expect(told.slice(3)).toEqual(['request', 'response false']), often)
})

test('what was answered still goes out to a client that ends its side, however slowly it reads', async () => {
  const body = 'x'.repeat(8_000_000)
  const { open } = await start((_, response) => answer(response, body))
  const client = await open()
  client.socket.pause()
  client.socket.end('GET / HTTP/1.1\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  client.socket.resume()
  await vi.waitFor(() => expect(client.isClosed).toBe(true), often)
  expect(client.got.length).toBe(client.got.indexOf('\r\n\r\n') + 4 + body.length)
})

test('a request that is not through in time is told so; one that is idle or silent is closed', async () => {
  const { open, say } = await start((_, response) => answer(response, 'kept'), { headMs: 50, requestMs: 200 })
  expect(await say('GET / HTTP/1.1\r\nHo')).toBe(
    'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  )
  const reading = await start((request) => request.read({ add: noop, end: noop, leave: noop }), {
    headMs: 50,
    requestMs: 200,
  })
  expect(await reading.say('POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nabc')).toMatch(/^HTTP\/1\.1 408 /)
  const kept = await open()
  kept.socket.write('GET /kept HTTP/1.1\r\n\r\n')
  await until(kept, 'kept')
  // Some clients end a body with an empty line that is not of it.
  kept.socket.write('\r\n')
  await new Promise((resolve) => setTimeout(resolve, 200))
  kept.socket.write('GET /kept HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(bodiesOf(kept.got)).toEqual(['kept', 'kept']), often)
  expect(kept.isClosed).toBe(false)
  const silent = await start(noop, { headMs: 50, silentMs: 300 })
  const startedMs = performance.now()
  expect(await silent.say('GET / HTTP/1.1\r\n\r\n')).toBe('')
  expect(performance.now() - startedMs).toBeGreaterThan(250)
})

test('an idle connection is closed once the time is over that its answer named', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { open } = await start(echo)
  const [fresh, used] = [await open(), await open()]
  used.socket.write('GET /a HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(used.got).toMatch(/keep-alive: timeout=65\r\n\r\nGET \/a $/))
  vi.advanceTimersByTime(64_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect([fresh.isClosed, used.isClosed]).toEqual([false, false])
  vi.advanceTimersByTime(7_000)
  await vi.waitFor(() => expect([fresh.isClosed, used.isClosed]).toEqual([true, true]))
})

test('a request and a response that are over have nothing more to say on their connection', async () => {
  const over: { request: HttpRequest; response: HttpResponse }[] = []
  const { open } = await start((request, response) => {
    over.push({ request, response })
    if (over.length === 1) answer(response, 'first')
  })
  const client = await open()
  client.socket.write('GET /1 HTTP/1.1\r\n\r\n')
  await until(client, 'first')
  client.socket.write('GET /2 HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(over.length).toBe(2), often)
  const [first, second] = over
  first?.request.pause()
  first?.response.writeHead(200, [])
  first?.response.flushHead()
  first?.response.write(Buffer.from('late'))
  first?.response.end(Buffer.from('late'))
  first?.response.cut()
  if (second !== undefined) answer(second.response, 'second')
  await until(client, 'second')
  expect(bodiesOf(client.got)).toEqual(['first', 'second'])
})

test('takes no more connections than it may', async () => {
  const { open, say } = await start(echo, { connections: 2 })
  const [first] = [await open(), await open()]
  expect(await say('GET /third HTTP/1.1\r\n\r\n')).toBe('')
  first.socket.destroy()
  await vi.waitFor(async () => {
    expect(await say(`GET /again HTTP/1.1\r\n${closing}\r\n`)).toContain('/again')
  })
})

test('closing ends idle connections at once, lets answers come to their end, and says that it is the last', async () => {
  const responses: HttpResponse[] = []
  const { open, server } = await start((_, response) => void responses.push(response))
  const [idle, waiting, endless, begun] = [await open(), await open(), await open(), await open()]
  waiting.socket.write('GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n')
  endless.socket.write('GET /3 HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(responses.length).toBe(2), often)
  begun.socket.write('GET /4 HTTP/1.1\r\n\r\n')
  await vi.waitFor(() => expect(responses.length).toBe(3), often)
  responses[2]?.writeHead(200, ['content-length', '4'])
  responses[2]?.flushHead()
  await until(begun, 'keep-alive')
  const beforeEnding = vi.fn()
  const closed = server.close(1500, beforeEnding)
  await vi.waitFor(() => expect(idle.isClosed).toBe(true), often)
  expect([waiting, endless, begun].map(({ isClosed }) => isClosed)).toEqual([false, false, false])
  responses[2]?.end(Buffer.from('rest'))
  await vi.waitFor(() => expect(begun.isClosed).toBe(true), often)
  expect([begun.got.endsWith('rest'), endless.isClosed, beforeEnding.mock.calls.length]).toEqual([true, false, 0])
  if (responses[0] !== undefined) answer(responses[0], 'last')
  await vi.waitFor(() => expect(waiting.isClosed).toBe(true), often)
  expect(waiting.got).toMatch(/connection: close\r\n\r\nlast$/)
  await closed
  expect([endless.got, responses.length, beforeEnding.mock.calls.length]).toEqual(['', 3, 1])
})

test('a client of node:http is answered over one connection, with bodies of both kinds', async () => {
  const { port } = await start(echo)
  const ask = async (headers: Record<string, string>, body: string) => {
    const request = httpRequest({ port, host: '127.0.0.1', path: '/p', method: 'POST', headers })
    request.end(body)
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response) text += chunk
    return text
  }
  expect(await ask({}, 'plain')).toBe('POST /p plain')
  expect(await ask({ 'transfer-encoding': 'chunked' }, 'in chunks')).toBe('POST /p in chunks')
})
