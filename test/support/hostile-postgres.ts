import { createServer, type Socket } from 'node:net'

/** A message of the PostgreSQL protocol. */
function message(type: string, ...parts: (number | string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`)
      if (typeof part !== 'number') return part
      const integerBuffer = Buffer.alloc(4)
      integerBuffer.writeInt32BE(part)
      return integerBuffer
    }),
  )
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const authenticated = message('R', 0)
const readyForQueryPacket = message('Z', Buffer.from('I'))
const column = Buffer.concat([
  Buffer.from('name\0'),
  Buffer.alloc(6),
  Buffer.from([0, 0, 0, 25]),
  int16(65535),
  Buffer.alloc(6),
])
const description = message('T', int16(1), column)
const row = message('D', int16(1), 1, Buffer.from('x'))

/** Sends a message again and again, as fast as the client reads. */
function writeRepeatedly(socket: Socket, bytes: Buffer): void {
  const block = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes))
  const send = (): void => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on('drain', send)
  send()
}

/** Sends a message of the given length. */
function sendHugeMessage(socket: Socket, type: string, length: number): void {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(length, 1)
  socket.write(head)
  writeRepeatedly(socket, Buffer.alloc(65_536, 1))
}

const onStart = (act: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => act(socket))

/** Creates a server that accepts the sign-in and runs `act` at the client's first statement. */
const createStatementListener = (act: (socket: Socket) => void) =>
  onStart((socket) => {
    socket.once('data', () => act(socket))
    socket.write(Buffer.concat([authenticated, readyForQueryPacket]))
  })

const authentication = (code: number) => onStart((socket) => socket.write(message('R', code, Buffer.alloc(8))))

/**
 * Creates a server that responds to the first SCRAM message. `describe` gets the client's nonce and returns the
 * response.
 */
const buildScramMessage = (describe: (nonce: string) => string) =>
  onStart((socket) => {
    socket.once('data', (firstMessage: Buffer) => {
      const nonce = /r=([^,]+)$/.exec(firstMessage.toString())?.[1] ?? ''
      socket.write(message('R', 11, Buffer.from(describe(nonce))))
    })
    socket.write(message('R', 10, 'SCRAM-SHA-256', Buffer.from([0])))
  })
const salt = Buffer.alloc(16).toString('base64')

/** Hostile behaviors of a server on each connection, by name. */
export const hostileServers: Readonly<Record<string, (socket: Socket) => void>> = {
  'asks for GSSAPI': authentication(7),
  'asks for Kerberos 5': authentication(2),
  'asks for SCM credentials': authentication(6),
  'asks for SSPI': authentication(9),
  'asks for an authentication that does not exist': authentication(4711),
  'asks for an unknown SASL mechanism': onStart((socket) => socket.write(message('R', 10, 'NEW-1', Buffer.from([0])))),
  'asks for two billion rounds of the password hash': buildScramMessage(
    (nonce) => `r=${nonce}x,s=${salt},i=2147483647`,
  ),
  'answers SCRAM with a nonce of its own': buildScramMessage(() => `r=other,s=${salt},i=4096`),
  'answers SCRAM with random text': buildScramMessage(() => '\u0000=,,i=-1,i=1e99'),
  'sends a message of an unknown type': createStatementListener((socket) => socket.write(message('?', 1))),
  'sends a message with the length zero': createStatementListener((socket) => sendHugeMessage(socket, 'D', 0)),
  'offers another version of the protocol': onStart((socket) =>
    socket.write(Buffer.concat([message('v', 3_000_099, 2, 'a', 'b'), authenticated, readyForQueryPacket])),
  ),
  'rejects the user and stays connected': onStart((socket) =>
    socket.write(message('E', Buffer.from('SFATAL\0C28P01\0Mno\0\0'))),
  ),
  'rejects the user with a text of its own and closes': onStart((socket) =>
    socket.end(message('E', Buffer.from(`SFATAL\0CXX\u202e0\0M${'no\u001b[2J'.repeat(1000)}\0\0`))),
  ),
  'sends parameters without end during the sign-in': onStart((socket) =>
    writeRepeatedly(socket, message('S', 'name', 'value')),
  ),
  'sends a parameter of 2 GB': onStart((socket) => sendHugeMessage(socket, 'S', 2 ** 31 - 1)),
  'asks for the password without end': onStart((socket) => writeRepeatedly(socket, message('R', 3))),
  'asks for an authentication without end': onStart((socket) =>
    writeRepeatedly(socket, message('R', 10, 'SCRAM-SHA-256\0')),
  ),
  'finishes SCRAM before it begins': onStart((socket) => socket.write(message('R', 12, Buffer.from('v=AAAA')))),
  'sends a key of another process without end': onStart((socket) => writeRepeatedly(socket, message('K', 1, 2))),
  'sends columns of other types': createStatementListener((socket) => {
    const typed = Buffer.concat([Buffer.from('name\0'), Buffer.alloc(6), Buffer.from([0, 0, 4, 0x5a]), Buffer.alloc(8)])
    socket.write(Buffer.concat([message('1'), message('2'), message('T', int16(1), typed)]))
    socket.write(
      Buffer.concat([
        message('D', int16(1), 9, Buffer.from('{"a":1,}')),
        message('C', 'SELECT 1'),
        readyForQueryPacket,
      ]),
    )
  }),
  'describes columns without end': createStatementListener((socket) => writeRepeatedly(socket, description)),
  'sends random bytes': onStart((socket) => writeRepeatedly(socket, Buffer.from('c0ffee00000000ff', 'hex'))),
  'answers as a web server': onStart((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'closes every connection': (socket) => void socket.destroy(),
  'never answers the first message': () => undefined,
  'never finishes the sign-in': onStart((socket) => socket.write(authenticated)),
  'never answers a statement': createStatementListener(() => undefined),
  'sends a byte a second': createStatementListener((socket) => {
    const timer = setInterval(() => socket.write(Buffer.from([0x44])), 1_000)
    socket.on('close', () => clearInterval(timer))
  }),
  'sends rows without end': createStatementListener((socket) => {
    socket.write(Buffer.concat([message('1'), message('2'), description]))
    writeRepeatedly(socket, row)
  }),
  'sends one row of 2 GB': createStatementListener((socket) => {
    socket.write(Buffer.concat([message('1'), message('2'), description]))
    sendHugeMessage(socket, 'D', 2 ** 31 - 1)
  }),
  'sends an error text of 2 GB': createStatementListener((socket) => sendHugeMessage(socket, 'E', 2 ** 31 - 1)),
  'sends a message with a negative length': createStatementListener((socket) => sendHugeMessage(socket, 'D', -5)),
  'describes 65,535 columns and sends none': createStatementListener((socket) =>
    socket.write(message('T', int16(65_535))),
  ),
  'sends a value that is longer than its row': createStatementListener((socket) => {
    socket.write(Buffer.concat([message('1'), message('2'), description]))
    socket.write(message('D', int16(1), 2_000_000_000, Buffer.from('x')))
  }),
  'asks for copied data': createStatementListener((socket) => socket.write(message('G', Buffer.from([0, 0, 0])))),
  'completes statements without end': createStatementListener((socket) =>
    writeRepeatedly(socket, message('C', 'SELECT 0')),
  ),
  'rejects without end': createStatementListener((socket) =>
    writeRepeatedly(socket, message('E', Buffer.from('SERROR\0C42501\0Mno\0\0'))),
  ),
  'sends notices without end': createStatementListener((socket) =>
    writeRepeatedly(socket, message('N', Buffer.from('Mnotice\0\0'))),
  ),
  'sends notices without end during the sign-in': onStart((socket) =>
    writeRepeatedly(socket, message('N', Buffer.from('Mnotice\0\0'))),
  ),
  'sends parameters without end': onStart((socket) => writeRepeatedly(socket, message('S', 'name', 'value'))),
  'is ready without end': createStatementListener((socket) => writeRepeatedly(socket, readyForQueryPacket)),
  'sends copied data without end': createStatementListener((socket) =>
    writeRepeatedly(socket, message('d', Buffer.alloc(1_000))),
  ),
  'sends news without end': createStatementListener((socket) =>
    writeRepeatedly(socket, message('A', 1, 'companion_team', 'holdings')),
  ),
}

/** Starts a server that runs `behavior` on each connection. */
export async function startHostileServer(behavior: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    behavior(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    end() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
