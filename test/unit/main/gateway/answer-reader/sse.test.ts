import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { SseParser } from '../../../../../src/main/gateway/response-reader'

function parse(chunks: readonly Uint8Array[]) {
  const parser = new SseParser()
  return [...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.end()]
}

const read = (text: string) => parse([Buffer.from(text)])

const event = (data: string, rest: object = {}) => ({
  name: 'message',
  data,
  id: undefined,
  isTerminated: true,
  ...rest,
})

/** Cuts bytes at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index] ?? 0, end))
}

describe('a stream of events', () => {
  test.each([
    ['one event', 'data: a\n\n', [event('a')]],
    ['CRLF', 'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', [event('a\nb'), event('c')]],
    ['CR', 'data: a\rdata: b\r\rdata: c\r\r', [event('a\nb'), event('c')]],
    ['all line ends', 'data: a\ndata: b\r\ndata: c\rdata: d\r\n\n', [event('a\nb\nc\nd')]],
    ['a byte order mark', '\uFEFFdata: a\n\n', [event('a')]],
    ['a byte order mark within', 'data: a\n\n\uFEFFdata: b\n\ndata: \uFEFF\n\n', [event('a'), event('\uFEFF')]],
    ['comments', ': hi\n\n:\n\n:data: x\ndata: a\n: b\ndata: c\n\n', [event('a\nc')]],
    ['several lines of data', 'data: {\ndata: "a": 1\ndata: }\n\n', [event('{\n"a": 1\n}')]],
    ['no space after the colon', 'data:a\ndata:  b\n\n', [event('a\n b')]],
    ['a colon in the data', 'data: a: b\n\n', [event('a: b')]],
    ['data without a colon', 'data\n\ndata\ndata\n\n', [event(''), event('\n')]],
    ['a name', 'event: ping\ndata: {}\n\ndata: a\n\n', [event('{}', { name: 'ping' }), event('a')]],
    ['a name without data', 'event: ping\n\ndata: a\n\n', [event('a')]],
    [
      'ids, which last, and one that is none',
      'id: 1\ndata: a\n\ndata: b\n\nid: x\0\ndata: c\n\nid\ndata: d\n\n',
      [event('a', { id: '1' }), event('b', { id: '1' }), event('c', { id: '1' }), event('d', { id: '' })],
    ],
    ['unknown fields, other cases and spaces', 'retry: 1\nDATA: x\n data: x\nfoo\ndata: a\n\n', [event('a')]],
    ['no final blank line', 'data: a\n\ndata: b\n', [event('a'), event('b', { isTerminated: false })]],
    ['no final line end', 'data: a\n\nevent: x\ndata: b', [event('a'), event('b', { name: 'x', isTerminated: false })]],
    ['a carriage return as its last byte', 'data: a\r\r', [event('a')]],
    ['many blank lines', '\n\n\ndata: a\n\n\n\n\r\n', [event('a')]],
    ['nothing', '', []],
    ['a comment at its end', 'data: a\n\n: bye', [event('a')]],
    ['line separators that are none here', 'data: a\u2028b\u0085c\vd\n\n', [event('a\u2028b\u0085c\vd')]],
    ['a JSON body', '{\n  "error": {"message": "no"}\n}\n', []],
  ])('is read with %s', (_name, text, expected) => {
    expect(read(text)).toEqual(expected)
    // One byte at a time, so that every cut is among them.
    expect(parse([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('is the same wherever it is cut, with letters of two, three and four bytes and every line end', () => {
    const bytes = Buffer.from('\uFEFF: é\r\nevent: Đ\r\ndata: Việt 👋🏽\r\ndata: 世界\r\rdata: ü\n\nid: 7\ndata: end')
    const expected = read(bytes.toString())
    expect(expected).toHaveLength(3)
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        expect(parse(cutAt(bytes, [first, second]))).toEqual(expected)
      }
    }
  })

  it('is the same for any lines and any cuts', () => {
    const piece = fc.oneof(
      fc.constantFrom('data:', 'data: ', 'event: ', 'id: ', ':', '\n', '\r', '\r\n', '\n\n', '\uFEFF', '👋', '\0'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    )
    const cuts = fc.array(fc.nat(), { maxLength: 12 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), cuts, (pieces, places) => {
        const bytes = Buffer.from(pieces.join(''))
        const cut = places.map((place) => place % (bytes.length + 1))
        expect(parse(cutAt(bytes, cut))).toEqual(parse([bytes]))
      }),
      { numRuns: 300 },
    )
  })

  it('gives back what was written, whatever the data is', () => {
    const line = fc.string({ unit: 'binary' }).map((text) =>
      Buffer.from(text)
        .toString()
        .replace(/[\r\n]/g, ''),
    )
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (events) => {
        const text = events.map((lines) => `${lines.map((data) => `data: ${data}\n`).join('')}\n`).join('')
        expect(read(text).map(({ data }) => data)).toEqual(events.map((lines) => lines.join('\n')))
      }),
    )
  })

  it('costs no more for a line of 8 MB in small pieces than its length', () => {
    const bytes = Buffer.from(`data: ${'ệ'.repeat(2_800_000)}\n\n`)
    const places = Array.from({ length: Math.floor(bytes.length / 64) }, (_, index) => index * 64)
    const chunks = cutAt(bytes, places)
    const startedAt = performance.now()
    expect(parse(chunks)[0]?.data).toHaveLength(2_800_000)
    // Joining at every one of the 130 000 pieces would move half a terabyte.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})
