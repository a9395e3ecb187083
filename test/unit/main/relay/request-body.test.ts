import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UsageEventFilter } from '../../../../src/main/relay/attempt'
import { addUsageOption, readFacts } from '../../../../src/main/relay/request-body'
import { getRounds, seed } from '../../../support/depth'

const encodeUtf16 = (text: string, order: 'le' | 'be', mark = '\ufeff') => {
  const bytes = Buffer.from(mark + text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

const rewriteBody = (text: string | Buffer): string | undefined => {
  const body = Buffer.from(text)
  const requestFacts = readFacts(body)
  return requestFacts?.wantsStream && !requestFacts.asksForUsage
    ? addUsageOption(body, requestFacts).toString()
    : undefined
}

test('inserts the usage request without changing another byte', () => {
  const text =
    '{"model":"a", "seed":12345678901234567890,"stream":true,"messages":[{"content":"\\"stream_options\\""}]}'
  expect(rewriteBody(text)).toBe(text.replace('{', '{"stream_options":{"include_usage":true},'))
})

test.each([
  '{"model":"a","stream":true,"stream_options":{"include_usage":false,"other":1}}',
  '{"model":"a","stream":true,"stream_options":{"include_usage":true},"stream_options":null}',
  ' \n{"stream":true}',
  '\ufeff{"stream":true}',
  encodeUtf16('{"stream":true}', 'le'),
  encodeUtf16('{"stream":true}', 'be', ''),
])('requests usage in %#', (text) => {
  expect(JSON.parse(rewriteBody(text) ?? '')).toMatchObject({ stream: true, stream_options: { include_usage: true } })
})

test.each([
  '{"model":"a"}',
  '{"model":"a","stream":false}',
  '{"model":"a","stream":null}',
  '{"stream":true,"stream_options":{"include_usage":true}}',
  '{"tools":[{"stream":true}]}',
  'stream',
])('does not request usage in %s', (text) => {
  expect(rewriteBody(text)).toBeUndefined()
})

test('requests usage in any streamed request and keeps everything else', () => {
  const arbitraryFields = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
  fc.assert(
    fc.property(arbitraryFields, fc.nat(2), (otherFields, space) => {
      const request = { ...otherFields, stream: true, stream_options: undefined }
      const rewrittenBody = rewriteBody(JSON.stringify(request, null, space))
      expect(JSON.parse(rewrittenBody ?? '')).toEqual({
        ...JSON.parse(JSON.stringify(request)),
        stream_options: { include_usage: true },
      })
    }),
    { numRuns: getRounds(300, 10_000), seed },
  )
})

test.each(['\n\n', '\r\n\r\n'])(
  'removes the usage event from a stream at any chunk boundary, with %j between events',
  (end) => {
    const event = (value: unknown) => `data: ${JSON.stringify(value)}${end}`
    const replayedEvents = [
      event({ choices: [], prompt_filter_results: [] }),
      event({ choices: [{ delta: { content: '"choices":[],"usage":{' } }], usage: null }),
      `: a comment${end}`,
      event({ choices: [{ delta: {} }], usage: { prompt_tokens: 1 } }),
    ]
    const bytes = Buffer.from(
      [...replayedEvents, event({ choices: [], usage: { prompt_tokens: 3 } }), `data: [DONE]${end}`].join(''),
    )
    for (let offset = 0; offset <= bytes.length; offset += 1) {
      const filter = new UsageEventFilter()
      const filteredBytes = [filter.push(bytes.subarray(0, offset)), filter.push(bytes.subarray(offset)), filter.end()]
      expect(Buffer.concat(filteredBytes).toString()).toBe([...replayedEvents, `data: [DONE]${end}`].join(''))
    }
  },
)

test('passes on complete events immediately, and bounds the buffer of an endless one', () => {
  const filter = new UsageEventFilter()
  expect(filter.push(Buffer.from('data: {"a":1}\n\n')).toString()).toBe('data: {"a":1}\n\n')
  expect(filter.push(Buffer.from('data: {"b"')).length).toBe(0)
  expect(filter.push(Buffer.from(':2}\n\n')).toString()).toBe('data: {"b":2}\n\n')
  const longBuffer = Buffer.alloc(300_000, 'x')
  expect(filter.push(longBuffer).length).toBe(300_000)
  expect(filter.push(longBuffer).length).toBe(300_000)
  expect(filter.end().length).toBe(0)
})

test.each([
  ['data: [DONE]', 'data: [DONE]'],
  ['data: {"choices":[],"usage":{"prompt_tokens":3}}', ''],
])('passes on the end of a stream without a blank line, unless it is usage: %s', (lastEvent, passed) => {
  const filter = new UsageEventFilter()
  expect(filter.push(Buffer.from(`data: {"a":1}\n\n${lastEvent}`)).toString()).toBe('data: {"a":1}\n\n')
  expect(filter.end().toString()).toBe(passed)
})
