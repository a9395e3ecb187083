import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WholeBody } from '../../../../src/main/relay/buffered-body'
import { UsageEventRemoval } from '../../../../src/main/relay/read-answer'
import { findModel, topMembers, withUsageOption } from '../../../../src/main/relay/request-body'
import { rounds, seed } from '../../../support/depth'

/** A body in as many chunks. */
function inChunks(text: string, count: number): WholeBody {
  const [bytes, size] = [Buffer.from(text), Math.max(1, Math.ceil(text.length / count))]
  return new WholeBody(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) =>
      bytes.subarray(place * size, (place + 1) * size),
    ),
  )
}
const counts = [1, 2, 3, 7, 1000]

test.each([
  ['{"model":"a"}', 'a'],
  [' \n{ "model" : "a" , "b":1}', 'a'],
  ['{"messages":[{"model":"no"},"]}\\""],"tools":{"model":"no"},"model":"a"}', 'a'],
  ['{"x":"\\\\","model":"\\u0061\\"b"}', 'a"b'],
  ['{"model":"a","messages":[{"content":"breaks o', 'a'],
  ['{"messages":[{"content":"breaks o', undefined],
  ['{"model":"brea', undefined],
  ['{"model":', undefined],
  ['{"model":{"a":1}}', undefined],
  ['{"model":""}', undefined],
  ['["model","a"]', undefined],
  ['model=a', undefined],
  ['', undefined],
])('the model of %j is %j', (text, found) => {
  for (const count of counts) expect(findModel(inChunks(text, count))).toBe(found)
})

test('members are found in any JSON object, as JSON itself would find them', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), value, { noNullPrototype: true }),
      value,
      fc.nat(2),
      (rest, wanted, space) => {
        const { wanted: _, ...others } = rest
        const json = Buffer.from(JSON.stringify({ ...others, wanted }, null, space))
        expect(JSON.parse(topMembers(json, ['wanted']).get('wanted') ?? '')).toEqual(JSON.parse(JSON.stringify(wanted)))
      },
    ),
    { numRuns: 300 },
  )
})

test.each(['{"model":"a","stream":true,"messages":[{"content":"\\"stream_options\\""}]}', ' {\n "stream" : true }'])(
  'asks for usage in %s and changes nothing else',
  (text) => {
    const askings = counts.map((count) => withUsageOption(inChunks(text, count))?.bytes().toString() ?? '')
    const [asking = ''] = askings
    expect(new Set(askings).size).toBe(1)
    expect(JSON.parse(asking)).toEqual({ ...JSON.parse(text), stream_options: { include_usage: true } })
    expect(asking.replace('"stream_options":{"include_usage":true},', '')).toBe(text)
  },
)

test.each([
  '{"model":"a"}',
  '{"model":"a","stream":false}',
  '{"stream":true,"stream_options":{"include_usage":true}}',
  '{"stream":true,"stream_options":null}',
  '{"tools":[{"stream":true}]}',
  '{"messages":["\\"stream\\":true"]}',
  'stream',
])('does not ask for usage in %s', (text) => {
  for (const count of counts) expect(withUsageOption(inChunks(text, count))).toBeUndefined()
})

test('asks for usage in the same requests as JSON itself would, however they are written and wherever they are cut', () => {
  const text = fc.constantFrom(
    'stream',
    '"stream":true',
    '\\"stream\\":true',
    'stream"',
    '"stream',
    'steam',
    '\\',
    'é"',
    'x'.repeat(5000),
  )
  const name = fc.oneof(
    fc.constantFrom('stream', 'stream_options', 'Stream', 'streams', 'x"stream', 'model'),
    fc.string(),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.constantFrom(true, false, null, 1), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  }))
  const members = fc.array(fc.tuple(name, value), { maxLength: 5 })
  const stream = fc.option(fc.constantFrom(true, false, null, 'true'), { nil: undefined })
  const bodies = fc.tuple(members, stream, members, fc.nat(2), fc.array(fc.nat(), { maxLength: 6 }))
  fc.assert(
    fc.property(bodies, ([before, wanted, after, space, cuts]) => {
      const asked = wanted === undefined ? [] : [['stream', wanted]]
      const bytes = Buffer.from(JSON.stringify(Object.fromEntries([...before, ...asked, ...after]), null, space))
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end))
      const body = new WholeBody(chunks.filter(({ length }) => length > 0))
      const said = JSON.parse(bytes.toString())
      const asking = withUsageOption(body)?.bytes().toString()
      const isWanted = said.stream === true && !bytes.includes('"stream_options"')
      expect(asking !== undefined).toBe(isWanted)
      if (asking !== undefined) expect(JSON.parse(asking)).toEqual({ ...said, stream_options: { include_usage: true } })
    }),
    { numRuns: rounds(1000, 50_000), seed },
  )
})

test.each(['\n\n', '\r\n\r\n'])(
  'takes the event of usage out of a stream wherever it is cut, with %j between events',
  (end) => {
    const event = (value: unknown) => `data: ${JSON.stringify(value)}${end}`
    const kept = [
      event({ choices: [], prompt_filter_results: [] }),
      event({ choices: [{ delta: { content: '"choices":[],"usage":{' } }], usage: null }),
      `: a comment${end}`,
      event({ choices: [{ delta: {} }], usage: { prompt_tokens: 1 } }),
    ]
    const bytes = Buffer.from(
      [...kept, event({ choices: [], usage: { prompt_tokens: 3 } }), `data: [DONE]${end}`].join(''),
    )
    for (let place = 0; place <= bytes.length; place += 1) {
      const removal = new UsageEventRemoval()
      const passed = [removal.push(bytes.subarray(0, place)), removal.push(bytes.subarray(place)), removal.rest()]
      expect(Buffer.concat(passed).toString()).toBe([...kept, `data: [DONE]${end}`].join(''))
    }
  },
)

test('whole events are not held back, and what never ends is not kept for ever', () => {
  const removal = new UsageEventRemoval()
  expect(removal.push(Buffer.from('data: {"a":1}\n\n')).toString()).toBe('data: {"a":1}\n\n')
  expect(removal.push(Buffer.from('data: {"b"')).length).toBe(0)
  expect(removal.push(Buffer.from(':2}\n\n')).toString()).toBe('data: {"b":2}\n\n')
  const endless = Buffer.alloc(300_000, 'x')
  expect(removal.push(endless).length).toBe(300_000)
  expect(removal.push(endless).length).toBe(300_000)
  expect(removal.rest().length).toBe(0)
})

test.each([
  ['data: [DONE]', 'data: [DONE]'],
  ['data: {"choices":[],"usage":{"prompt_tokens":3}}', ''],
])('what a stream ends with though no blank line follows is passed on, unless it is usage: %s', (last, passed) => {
  const removal = new UsageEventRemoval()
  expect(removal.push(Buffer.from(`data: {"a":1}\n\n${last}`)).toString()).toBe('data: {"a":1}\n\n')
  expect(removal.rest().toString()).toBe(passed)
})
