import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type RequestLine, RequestParser } from '../../../../../src/main/relay/http/request-parser'

interface Read {
  readonly method: string
  readonly url: string
  readonly headers: readonly string[]
  readonly body: string
}

/** Everything that stands in these bytes, as a connection reads it; nothing behind what cannot be understood. */
function readAll(pieces: readonly Buffer[]): { requests: Read[]; failure: string | undefined; isOver?: boolean } {
  const parser = new RequestParser()
  onTestFinished(() => parser.close())
  const requests: Read[] = []
  let head: RequestLine | undefined
  let body = ''
  for (const piece of pieces) {
    let next: Buffer | undefined = piece
    while (next !== undefined) {
      const parsed = parser.read(next)
      head = parsed.head ?? head
      body += Buffer.concat(parsed.body).toString('latin1')
      if (parsed.failure !== undefined) return { requests, failure: parsed.failure }
      if (parsed.isComplete && head !== undefined) {
        requests.push({ method: head.method, url: head.url, headers: head.rawHeaders, body })
        body = ''
        if (!head.isKept || head.isUpgrade) return { requests, failure: undefined, isOver: true }
      }
      next = parsed.rest
    }
  }
  return { requests, failure: undefined }
}

/** The same as node:http reads it, which is asked to be as strict as it is by itself. */
async function readByNode(bytes: Buffer): Promise<{ requests: Read[]; isRefused: boolean }> {
  const requests: Read[] = []
  let isRefused = false
  const server = createServer({ requireHostHeader: false }, (request: IncomingMessage, response) => {
    let body = ''
    request.setEncoding('latin1').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request
      requests.push({ method, url, headers: rawHeaders, body })
      response.end()
    })
  })
  server.on('clientError', () => {
    isRefused = true
  })
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  server.emit('connection', connection)
  connection.push(bytes)
  for (let turn = 0; turn < 6; turn += 1) await setImmediate()
  connection.destroy()
  return { requests, isRefused }
}

const token = fc.string({ unit: fc.constantFrom(...'abcXYZ-_0189!~'), minLength: 1, maxLength: 12 })
const value = fc
  .string({ unit: fc.constantFrom(...'abc XYZ,;="0189\t\u00e9/'), maxLength: 30 })
  .map((text) => text.trim())
const text = fc.string({ unit: fc.constantFrom(...'{}"abc\r\n 0'), maxLength: 200 })
const special = ['content-length', 'transfer-encoding', 'connection', 'upgrade', 'proxy-connection', 'keep-alive']
const headers = fc
  .array(fc.tuple(token, value), { maxLength: 6 })
  .map((rows) => rows.filter(([name]) => !special.includes(name.toLowerCase())))

const framing = fc.oneof(
  fc.constant({ kind: 'none' as const, chunks: [] as string[] }),
  text.map((body) => ({ kind: 'length' as const, chunks: [body] })),
  fc
    .array(
      text.filter((chunk) => chunk !== ''),
      { maxLength: 4 },
    )
    .map((chunks) => ({ kind: 'chunked' as const, chunks })),
)

const message = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
  path: fc.webPath(),
  headers,
  framing,
})

function written({
  method,
  path,
  headers: rows,
  framing: { kind, chunks },
}: typeof message extends fc.Arbitrary<infer T> ? T : never) {
  const body = chunks.join('')
  const lines = rows.map(([name, said]) => `${name}: ${said}`)
  if (kind === 'length') lines.push(`Content-Length: ${body.length}`)
  if (kind === 'chunked') lines.push('Transfer-Encoding: chunked')
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  const rest = kind === 'chunked' ? `${framed}0\r\n\r\n` : body
  const bytes = Buffer.from(
    `${method} /${path.replace(/^\//, '')} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${rest}`,
    'latin1',
  )
  const said = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  return { bytes, read: { method, url: `/${path.replace(/^\//, '')}`, headers: said, body } }
}

test('reads requests one behind the other as they were written, wherever the network cuts them', () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (messages, places) => {
        const all = messages.map(written)
        const bytes = Buffer.concat(all.map((one) => one.bytes))
        const cuts = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length]
        const pieces = cuts
          .slice(1)
          .map((cut, index) => bytes.subarray(cuts[index], cut))
          .filter((piece) => piece.length > 0)
        expect(readAll(pieces)).toEqual({ requests: all.map((one) => one.read), failure: undefined })
      },
    ),
    { numRuns: 400 },
  )
})

test('reads byte by byte what it reads at once', () => {
  const { bytes, read } = written({
    method: 'POST',
    path: '/t/x/v1/messages',
    headers: [
      ['X-Empty', ''],
      ['X-A', 'b'],
      ['x-long', 'c'.repeat(3000)],
    ],
    framing: { kind: 'chunked', chunks: ['one', 'two\r\n'] },
  })
  expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ requests: [read], failure: undefined })
})

const noise = fc.constantFrom(
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  '\x80',
  'chunked',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  '\r\n\r\n',
  '0',
  '-',
  ';a=b',
  'GET / HTTP/1.1\r\n\r\n',
  '\r\n x: y',
)
const change = fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), insert: fc.oneof(fc.constant(''), noise) })

test('reads nothing otherwise than node:http does, whatever is wrong with it', async () => {
  let [accepted, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 2 }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (messages, changes) => {
        let bytes = Buffer.concat(messages.map((one) => written(one).bytes))
        for (const { at, remove, insert } of changes) {
          const place = at % (bytes.length + 1)
          bytes = Buffer.concat([
            bytes.subarray(0, place),
            Buffer.from(insert, 'latin1'),
            bytes.subarray(place + remove),
          ])
        }
        const ours = readAll([bytes])
        const theirs = await readByNode(bytes)
        const isUpgrade = (read: Read) =>
          read.method === 'CONNECT' || read.headers.some((name) => name.toLowerCase() === 'upgrade')
        if (ours.requests.some(isUpgrade)) return
        accepted += ours.requests.length
        if (ours.failure !== undefined) refused += 1
        expect(ours.requests).toEqual(theirs.requests.slice(0, ours.requests.length))
        // What follows a request that ends its connection is nobody's business here.
        if (ours.failure === undefined && !ours.isOver) expect(theirs.isRefused).toBe(false)
      },
    ),
    { numRuns: 1500 },
  )
  expect([accepted > 200, refused > 200]).toEqual([true, true])
})

test.each([
  ['a head', `GET / HTTP/1.1\r\nX-A: ${'a'.repeat(16_400)}`],
  ['an address', `GET /${'a'.repeat(16_400)}`],
  ['many small headers', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(9000)}`],
  ['trailers', `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(9000)}`],
  ['the extension of a chunk', `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;${'a'.repeat(70_000)}`],
])('does not go on reading %s that never ends', (_, head) => {
  const bytes = Buffer.from(head)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_none, index) =>
    bytes.subarray(index * 1000, (index + 1) * 1000),
  )
  expect(readAll(pieces).failure).toBe('tooLong')
})

test.each(['HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/3.0', 'http/1.1', ''])(
  'does not read a request of %j',
  (version) => {
    expect(readAll([Buffer.from(`GET / ${version}\r\nHost: a\r\n\r\n`)])).toEqual({
      requests: [],
      failure: 'malformed',
    })
    expect(readAll([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')]).requests).toEqual([])
  },
)

test('keeps the length of a body beyond what can be sent, and waits for it', () => {
  const huge = readAll([Buffer.from('POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc')])
  expect(huge).toEqual({ requests: [], failure: undefined })
  const tooHuge = readAll([Buffer.from('POST / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\nabc')])
  expect(tooHuge).toEqual({ requests: [], failure: 'malformed' })
})

test('parsers of many connections do not disturb one another', () => {
  const parsers = Array.from({ length: 300 }, () => new RequestParser())
  for (const [index, parser] of parsers.entries()) parser.read(Buffer.from(`POST /${index} HTTP/1.1\r\nContent-Le`))
  for (const [index, parser] of parsers.entries()) {
    const { head, body, isComplete } = parser.read(Buffer.from(`ngth: 2\r\nX-Number: ${index}\r\n\r\nok`))
    expect([head?.url, head?.rawHeaders, Buffer.concat(body).toString(), isComplete]).toEqual([
      `/${index}`,
      ['Content-Length', '2', 'X-Number', String(index)],
      'ok',
      true,
    ])
    parser.close()
  }
})
