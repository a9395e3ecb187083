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
  readonly afterWrite: 'repeat' | 'drip' | 'hold' | 'end' | 'reset' | 'leave'
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
  const row = (
    name: string,
    writes: string | Buffer,
    afterWrite: HostileClient['afterWrite'] = 'hold',
    reads = true,
  ) => ({
    name,
    writes,
    afterWrite,
    reads,
  })
  return [
    row('requests health endlessly and reads nothing', lines('GET /health', hostHeader), 'repeat', false),
    row('sends rejected requests endlessly and reads nothing', lines(`GET ${path}`, hostHeader), 'repeat', false),
    row('requests unknown paths endlessly and reads nothing', lines('GET /nothing', hostHeader), 'repeat', false),
    row('sends authenticated requests endlessly and reads nothing', buildRequest(requestBody), 'repeat', false),
    row('requests streams endlessly and reads nothing', buildRequest(streamedBody), 'repeat', false),
    row('requests health endlessly', lines('GET /health', hostHeader), 'repeat'),
    row('sends nothing', ''),
    row('sends an incomplete header and stops', 'GET /health HTTP/1.1\r\nHo'),
    row('sends its header byte by byte', `${hostHeader}${'X-A: b\r\n'.repeat(500)}`, 'drip'),
    row('sends empty lines endlessly', '\r\n'.repeat(1000), 'repeat'),
    row('announces a body and sends none', longBodyHead),
    row('sends its body byte by byte', `${longBodyHead}${'x'.repeat(1000)}`, 'drip'),
    row('does not continue after 100-continue', buildPostRequest('Content-Length: 10\r\n', 'Expect: 100-continue\r\n')),
    row('half-closes within a header', 'GET /health HTTP/1.1\r\nHo', 'end'),
    row('half-closes within a body', `${longBodyHead}half`, 'end'),
    row('half-closes after a request', buildRequest(streamedBody), 'end'),
    row('resets after its header', longBodyHead, 'reset'),
    row('resets within a body', `${longBodyHead}half`, 'reset'),
    row('resets after a request', buildRequest(requestBody), 'reset'),
    row('resets within a response', buildRequest(streamedBody), 'leave'),
    row('sends an oversized header', lines('GET /health', hostHeader, `X-A: ${'a'.repeat(1_000_000)}\r\n`)),
    row('sends too many headers', lines('GET /health', hostHeader, 'X-A: b\r\n'.repeat(100_000))),
    row('sends an oversized path', lines(`GET /${'a'.repeat(1_000_000)}`, hostHeader)),
    row('sends a chunk with an invalid size', `${chunkedHead}zz\r\n`),
    row('sends a chunk longer than its size', `${chunkedHead}1\r\nabc\r\n0\r\n\r\n`),
    row('sends one-byte chunks endlessly', `${chunkedHead}${'1\r\nx\r\n'.repeat(10_000)}`, 'drip'),
    row('sends a chunk with an endless extension', `${chunkedHead}1;${'a'.repeat(1_000_000)}`),
    row(
      'sends two content lengths',
      buildPostRequest('Content-Length: 5\r\n', 'Content-Length: 50\r\n') + smuggledRequest,
    ),
    row(
      'sends a content length and a transfer encoding',
      buildPostRequest('Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n') + smuggledRequest,
    ),
    row('folds a header', lines('GET /health', hostHeader, 'X-A: b\r\n Host: evil\r\n')),
    row('ends its lines with a line feed only', `GET /health HTTP/1.1\n${hostHeader.trim()}\n\n`),
    row('requests another host', lines('GET /health', 'Host: evil.example\r\n'), 'repeat'),
    row(
      'is a web page',
      lines(`GET ${path}`, hostHeader, authorizationLine, 'Origin: https://evil.example\r\n'),
      'repeat',
    ),
    row('sends no token', lines(`GET ${path}`, hostHeader), 'repeat'),
    row('sends a wrong token', lines(`GET ${path}`, hostHeader, 'Authorization: Bearer wrong\r\n'), 'repeat'),
    row('requests a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\n\r\n'),
    row(
      'requests a protocol upgrade',
      lines('GET /health', hostHeader, 'Connection: upgrade\r\n', 'Upgrade: websocket\r\n'),
    ),
    row('speaks HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    row('speaks TLS', Buffer.from('16030100a5010000a10303', 'hex')),
    row('sends zeros', Buffer.alloc(100_000)),
    row('connects and resets', '', 'reset'),
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

function runClient(socket: Socket, { writes, afterWrite, reads }: HostileClient): void {
  if (reads) socket.resume()
  if (afterWrite === 'leave') socket.once('data', () => socket.resetAndDestroy())
  if (afterWrite === 'drip') {
    sendSlowly(socket, Buffer.from(writes))
    return
  }
  socket.write(writes)
  if (afterWrite === 'end') socket.end()
  if (afterWrite === 'reset') setImmediate(() => socket.resetAndDestroy())
  if (afterWrite === 'repeat') writeRepeatedly(socket, Buffer.from(writes))
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
