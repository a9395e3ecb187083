import { connect, type Socket } from 'node:net'

/** A malicious or broken client of the relay. */
export interface HostileClient {
  readonly name: string
  /** Bytes to write after connecting. */
  readonly writes: string | Buffer
  /**
   * Behavior after writing: repeat the bytes at full speed, drip single bytes, hold the connection, half-close it, or
   * destroy it. `leave` destroys the connection at the first byte of a response.
   */
  readonly then: 'repeat' | 'drip' | 'hold' | 'end' | 'reset' | 'leave'
  readonly reads: boolean
}

/** Address of the relay, and token and body of a tool. */
export interface HostileTarget {
  readonly port: number
  readonly token: string
  /** Path of chat-completions requests. */
  readonly path: string
}

export function hostileClients({ port, token, path }: HostileTarget): readonly HostileClient[] {
  const hostHeader = `Host: 127.0.0.1:${port}\r\n`
  const bearer = `Authorization: Bearer ${token}\r\n`
  const lines = (line: string, ...headers: readonly string[]) => `${line} HTTP/1.1\r\n${headers.join('')}\r\n`
  const post = (...headers: readonly string[]) => lines(`POST ${path}`, hostHeader, bearer, ...headers)
  const chunkedHead = post('Transfer-Encoding: chunked\r\n')
  const longBodyHead = post('Content-Length: 100000\r\n')
  const question = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
  const streamedBody = '{"model":"m","stream":true,"messages":[]}'
  const buildWholeRequest = (body: string) => post(`Content-Length: ${body.length}\r\n`) + body
  const smuggledRequest = lines('GET /health', hostHeader)
  const row = (name: string, writes: string | Buffer, then: HostileClient['then'] = 'hold', reads = true) => ({
    ...{ name, writes, then, reads },
  })
  return [
    row('asks for health without end and reads nothing', lines('GET /health', hostHeader), 'repeat', false),
    row('is refused without end and reads nothing', lines(`GET ${path}`, hostHeader), 'repeat', false),
    row('asks for unknown paths without end and reads nothing', lines('GET /nothing', hostHeader), 'repeat', false),
    row('asks with its token without end and reads nothing', buildWholeRequest(question), 'repeat', false),
    row('asks for streams without end and reads nothing', buildWholeRequest(streamedBody), 'repeat', false),
    row('asks for health without end', lines('GET /health', hostHeader), 'repeat'),
    row('says nothing', ''),
    row('begins a head and says no more', 'GET /health HTTP/1.1\r\nHo'),
    row('sends its head byte by byte', `${hostHeader}${'X-A: b\r\n'.repeat(500)}`, 'drip'),
    row('sends empty lines without end', '\r\n'.repeat(1000), 'repeat'),
    row('promises a body and sends none', longBodyHead),
    row('sends its body byte by byte', `${longBodyHead}${'x'.repeat(1000)}`, 'drip'),
    row('is told to go on and does not', post('Content-Length: 10\r\n', 'Expect: 100-continue\r\n')),
    row('ends its side within a head', 'GET /health HTTP/1.1\r\nHo', 'end'),
    row('ends its side within a body', `${longBodyHead}half`, 'end'),
    row('ends its side behind a request', buildWholeRequest(streamedBody), 'end'),
    row('is gone behind its head', longBodyHead, 'reset'),
    row('is gone within a body', `${longBodyHead}half`, 'reset'),
    row('is gone behind a request', buildWholeRequest(question), 'reset'),
    row('is gone within an answer', buildWholeRequest(streamedBody), 'leave'),
    row('sends a header that is far too long', lines('GET /health', hostHeader, `X-A: ${'a'.repeat(1_000_000)}\r\n`)),
    row('sends far too many headers', lines('GET /health', hostHeader, 'X-A: b\r\n'.repeat(100_000))),
    row('sends an address that is far too long', lines(`GET /${'a'.repeat(1_000_000)}`, hostHeader)),
    row('sends a chunk whose size is none', `${chunkedHead}zz\r\n`),
    row('sends a chunk that is longer than it said', `${chunkedHead}1\r\nabc\r\n0\r\n\r\n`),
    row('sends chunks of one byte without end', `${chunkedHead}${'1\r\nx\r\n'.repeat(10_000)}`, 'drip'),
    row('sends a chunk with an endless extension', `${chunkedHead}1;${'a'.repeat(1_000_000)}`),
    row('names two lengths', post('Content-Length: 5\r\n', 'Content-Length: 50\r\n') + smuggledRequest),
    row(
      'names a length and a coding',
      post('Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n') + smuggledRequest,
    ),
    row('folds a header', lines('GET /health', hostHeader, 'X-A: b\r\n Host: evil\r\n')),
    row('ends its lines with a line feed alone', `GET /health HTTP/1.1\n${hostHeader.trim()}\n\n`),
    row('asks for another host', lines('GET /health', 'Host: evil.example\r\n'), 'repeat'),
    row(
      'is a page of a browser',
      lines(`GET ${path}`, hostHeader, bearer, 'Origin: https://evil.example\r\n'),
      'repeat',
    ),
    row('shows no token', lines(`GET ${path}`, hostHeader), 'repeat'),
    row('shows a wrong token', lines(`GET ${path}`, hostHeader, 'Authorization: Bearer wrong\r\n'), 'repeat'),
    row('wants a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\n\r\n'),
    row(
      'wants another protocol',
      lines('GET /health', hostHeader, 'Connection: upgrade\r\n', 'Upgrade: websocket\r\n'),
    ),
    row('speaks HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    row('speaks TLS', Buffer.from('16030100a5010000a10303', 'hex')),
    row('sends zeros', Buffer.alloc(100_000)),
    row('comes and goes', '', 'reset'),
  ]
}

const dripMs = 20

/** Runs parallel clients of one kind. Each reconnects `againMs` after it was closed, until stopped. */
export function attack(port: number, client: HostileClient, count: number, againMs = dripMs): { stop(): void } {
  const openSockets = new Set<Socket>()
  let isOver = false
  const countReceived = () => {
    const socket = connect(port, '127.0.0.1')
    openSockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      openSockets.delete(socket)
      // Reconnect after a delay, so that the load is on the relay and not on this event loop.
      if (!isOver) setTimeout(countReceived, againMs).unref()
    })
    socket.on('connect', () => act(socket, client))
  }
  for (let item = 0; item < count; item += 1) countReceived()
  return {
    stop() {
      isOver = true
      for (const socket of openSockets) socket.destroy()
    },
  }
}

function act(socket: Socket, { writes, then, reads }: HostileClient): void {
  if (reads) socket.resume()
  if (then === 'leave') socket.once('data', () => socket.resetAndDestroy())
  if (then === 'drip') {
    drip(socket, Buffer.from(writes))
    return
  }
  socket.write(writes)
  if (then === 'end') socket.end()
  if (then === 'reset') setImmediate(() => socket.resetAndDestroy())
  if (then === 'repeat') repeat(socket, Buffer.from(writes))
}

function repeat(socket: Socket, bytes: Buffer): void {
  const manyBytes = Buffer.concat(Array.from({ length: Math.ceil(16_000 / bytes.length) }, () => bytes))
  const writeMore = () => {
    // Write again in the next turn of the event loop, so that other clients get a turn.
    if (socket.writable && socket.write(manyBytes)) setImmediate(writeMore)
  }
  socket.on('drain', writeMore)
  writeMore()
}

function drip(socket: Socket, bytes: Buffer): void {
  let position = 0
  const timer = setInterval(() => {
    if (position < bytes.length) socket.write(bytes.subarray(position, position + 1))
    position += 1
  }, dripMs)
  socket.on('close', () => clearInterval(timer))
}
