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
  const authorizationLine = `Authorization: Bearer ${token}\r\n`
  const lines = (line: string, ...headers: readonly string[]) => `${line} HTTP/1.1\r\n${headers.join('')}\r\n`
  const buildPostRequest = (...headers: readonly string[]) =>
    lines(`POST ${path}`, hostHeader, authorizationLine, ...headers)
  const chunkedHead = buildPostRequest('Transfer-Encoding: chunked\r\n')
  const longBodyHead = buildPostRequest('Content-Length: 100000\r\n')
  const requestBody = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
  const streamedBody = '{"model":"m","stream":true,"messages":[]}'
  const buildRequest = (body: string) => buildPostRequest(`Content-Length: ${body.length}\r\n`) + body
  const smuggledRequest = lines('GET /health', hostHeader)
  const row = (name: string, writes: string | Buffer, then: HostileClient['then'] = 'hold', reads = true) => ({
    name,
    writes,
    then,
    reads,
  })
  return [
    row('asks for health without end and reads nothing', lines('GET /health', hostHeader), 'repeat', false),
    row('is refused without end and reads nothing', lines(`GET ${path}`, hostHeader), 'repeat', false),
    row('asks for unknown paths without end and reads nothing', lines('GET /nothing', hostHeader), 'repeat', false),
    row('asks with its token without end and reads nothing', buildRequest(requestBody), 'repeat', false),
    row('asks for streams without end and reads nothing', buildRequest(streamedBody), 'repeat', false),
    row('asks for health without end', lines('GET /health', hostHeader), 'repeat'),
    row('says nothing', ''),
    row('begins a head and says no more', 'GET /health HTTP/1.1\r\nHo'),
    row('sends its head byte by byte', `${hostHeader}${'X-A: b\r\n'.repeat(500)}`, 'drip'),
    row('sends empty lines without end', '\r\n'.repeat(1000), 'repeat'),
    row('promises a body and sends none', longBodyHead),
    row('sends its body byte by byte', `${longBodyHead}${'x'.repeat(1000)}`, 'drip'),
    row('is told to go on and does not', buildPostRequest('Content-Length: 10\r\n', 'Expect: 100-continue\r\n')),
    row('ends its side within a head', 'GET /health HTTP/1.1\r\nHo', 'end'),
    row('ends its side within a body', `${longBodyHead}half`, 'end'),
    row('ends its side behind a request', buildRequest(streamedBody), 'end'),
    row('is gone behind its head', longBodyHead, 'reset'),
    row('is gone within a body', `${longBodyHead}half`, 'reset'),
    row('is gone behind a request', buildRequest(requestBody), 'reset'),
    row('is gone within an answer', buildRequest(streamedBody), 'leave'),
    row('sends a header that is far too long', lines('GET /health', hostHeader, `X-A: ${'a'.repeat(1_000_000)}\r\n`)),
    row('sends far too many headers', lines('GET /health', hostHeader, 'X-A: b\r\n'.repeat(100_000))),
    row('sends an address that is far too long', lines(`GET /${'a'.repeat(1_000_000)}`, hostHeader)),
    row('sends a chunk whose size is none', `${chunkedHead}zz\r\n`),
    row('sends a chunk that is longer than it said', `${chunkedHead}1\r\nabc\r\n0\r\n\r\n`),
    row('sends chunks of one byte without end', `${chunkedHead}${'1\r\nx\r\n'.repeat(10_000)}`, 'drip'),
    row('sends a chunk with an endless extension', `${chunkedHead}1;${'a'.repeat(1_000_000)}`),
    row('names two lengths', buildPostRequest('Content-Length: 5\r\n', 'Content-Length: 50\r\n') + smuggledRequest),
    row(
      'names a length and a coding',
      buildPostRequest('Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n') + smuggledRequest,
    ),
    row('folds a header', lines('GET /health', hostHeader, 'X-A: b\r\n Host: evil\r\n')),
    row('ends its lines with a line feed alone', `GET /health HTTP/1.1\n${hostHeader.trim()}\n\n`),
    row('asks for another host', lines('GET /health', 'Host: evil.example\r\n'), 'repeat'),
    row(
      'is a page of a browser',
      lines(`GET ${path}`, hostHeader, authorizationLine, 'Origin: https://evil.example\r\n'),
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

const dripIntervalMs = 20

/** Runs parallel clients of one kind. Each reconnects `againMs` after it was closed, until stopped. */
export function startAttack(
  port: number,
  client: HostileClient,
  count: number,
  againMs = dripIntervalMs,
): { stop(): void } {
  const openSockets = new Set<Socket>()
  let hasEnded = false
  const openCountingSocket = () => {
    const socket = connect(port, '127.0.0.1')
    openSockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      openSockets.delete(socket)
      // Reconnect after a delay, so that the load is on the relay and not on this event loop.
      if (!hasEnded) setTimeout(openCountingSocket, againMs).unref()
    })
    socket.on('connect', () => runClient(socket, client))
  }
  for (let item = 0; item < count; item += 1) openCountingSocket()
  return {
    stop() {
      hasEnded = true
      for (const socket of openSockets) socket.destroy()
    },
  }
}

function runClient(socket: Socket, { writes, then, reads }: HostileClient): void {
  if (reads) socket.resume()
  if (then === 'leave') socket.once('data', () => socket.resetAndDestroy())
  if (then === 'drip') {
    sendSlowly(socket, Buffer.from(writes))
    return
  }
  socket.write(writes)
  if (then === 'end') socket.end()
  if (then === 'reset') setImmediate(() => socket.resetAndDestroy())
  if (then === 'repeat') writeRepeatedly(socket, Buffer.from(writes))
}

function writeRepeatedly(socket: Socket, bytes: Buffer): void {
  const manyBytes = Buffer.concat(Array.from({ length: Math.ceil(16_000 / bytes.length) }, () => bytes))
  const writeUntilFull = () => {
    // Write again in the next turn of the event loop, so that other clients get a turn.
    if (socket.writable && socket.write(manyBytes)) setImmediate(writeUntilFull)
  }
  socket.on('drain', writeUntilFull)
  writeUntilFull()
}

function sendSlowly(socket: Socket, bytes: Buffer): void {
  let position = 0
  const timer = setInterval(() => {
    if (position < bytes.length) socket.write(bytes.subarray(position, position + 1))
    position += 1
  }, dripIntervalMs)
  socket.on('close', () => clearInterval(timer))
}
