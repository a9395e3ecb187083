import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnswerSampler } from '../../../../src/main/relay/attempt-recorder'
import { readAnswer } from '../../../../src/main/relay/read-answer'

type Standard = 'chat-completions' | 'messages'

/** Reads an answer that came in these chunks, as the relay does. */
function readIn(chunks: readonly Buffer[], standard: Standard, isStream: boolean) {
  const sampler = new AnswerSampler()
  for (const chunk of chunks) sampler.add(chunk)
  const facts = readAnswer(sampler.sample(), standard, isStream)
  sampler.release()
  return facts
}

const read = (text: string, standard: Standard, isStream: boolean) => readIn([Buffer.from(text)], standard, isStream)

/** Cuts bytes at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index] ?? 0, end))
}

// Words that look like usage, as a model may say them.
const lure =
  'He said: "usage":{"prompt_tokens":999999,"output_tokens":999999} \u1ec7 \n\ndata: {"usage":{"input_tokens":7}}\n'

const wordsOf = (bytes: number) => lure.repeat(Math.ceil(bytes / lure.length)).match(/[\s\S]{1,60}/g) ?? []

function chatStream(bytes: number, end = '\n'): string {
  const common = { id: 'chatcmpl-9', model: 'aurora-large' }
  const event = (value: unknown) => `data: ${JSON.stringify(value)}${end}${end}`
  const usage = { prompt_tokens: 1200, completion_tokens: 77, prompt_tokens_details: { cached_tokens: 1024 } }
  return [
    ...wordsOf(bytes).map((content) => event({ ...common, choices: [{ delta: { content } }], usage: null })),
    event({ ...common, choices: [], usage }),
    `data: [DONE]${end}${end}`,
  ].join('')
}

function messagesStream(bytes: number, end = '\n'): string {
  const event = (type: string, rest: object) =>
    `event: ${type}${end}data: ${JSON.stringify({ type, ...rest })}${end}${end}`
  const usage = { input_tokens: 30, cache_creation_input_tokens: 200, cache_read_input_tokens: 5000, output_tokens: 1 }
  return [
    event('message_start', { message: { id: 'msg_7', model: 'aurora-large', content: [], usage } }),
    event('ping', {}),
    ...wordsOf(bytes).map((text) => event('content_block_delta', { delta: { type: 'text_delta', text } })),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 321 } }),
    event('message_stop', {}),
  ].join('')
}

const chatFacts = {
  answerId: 'chatcmpl-9',
  modelCode: 'aurora-large',
  inputTokens: 176,
  outputTokens: 77,
  cacheReadTokens: 1024,
  lateError: undefined,
}
const messagesFacts = {
  answerId: 'msg_7',
  modelCode: 'aurora-large',
  inputTokens: 30,
  outputTokens: 321,
  cacheReadTokens: 5000,
  cacheWriteTokens: 200,
  lateError: undefined,
}

describe.each([
  ['chat-completions' as const, chatStream, chatFacts],
  ['messages' as const, messagesStream, messagesFacts],
])('a stream of %s', (standard, stream, facts) => {
  test.each(['\n', '\r\n', '\r'])('is read wherever it is cut, with %j at its lines’ ends', (end) => {
    const bytes = Buffer.from(stream(200, end))
    for (let place = 0; place <= bytes.length; place += 1) {
      expect(readIn(cutAt(bytes, [place]), standard, true)).toEqual(facts)
    }
    expect(
      readIn(
        [...bytes].map((byte) => Buffer.from([byte])),
        standard,
        true,
      ),
    ).toEqual(facts)
  })

  test('is read at any length, in any chunks: short, around the edges of what is kept, long', () => {
    const lengths = fc.oneof(fc.integer({ min: 0, max: 16_000 }), fc.constantFrom(4_000, 8_100, 12_200, 200_000))
    fc.assert(
      fc.property(lengths, fc.array(fc.nat(), { maxLength: 40 }), (length, places) => {
        const bytes = Buffer.from(stream(length))
        const chunks = cutAt(
          bytes,
          places.map((place) => place % bytes.length),
        )
        expect(readIn(chunks, standard, true)).toEqual(facts)
      }),
      { numRuns: 150 },
    )
  })
})

describe('a plain answer', () => {
  const chat = (content: string) => ({
    id: 'chatcmpl-9',
    model: 'aurora-large',
    choices: [{ message: { content, tool_calls: [{ usage: { prompt_tokens: 5 } }] } }],
    usage: { prompt_tokens: 1200, completion_tokens: 77, prompt_tokens_details: { cached_tokens: 1024 } },
    system_fingerprint: 'fp',
  })
  const messages = (text: string) => ({
    id: 'msg_7',
    model: 'aurora-large',
    content: [
      { type: 'text', text },
      { type: 'tool_use', input: { usage: { input_tokens: 1 } } },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 30, output_tokens: 321, cache_read_input_tokens: 5000, cache_creation_input_tokens: 200 },
  })

  test.each([0, 5_000, 12_000, 20_000, 300_000])('is read with about %i bytes of text', (bytes) => {
    const text = wordsOf(bytes).join('')
    for (const space of [undefined, 2]) {
      const [one, other] = [chat(text), messages(text)].map((value) => Buffer.from(JSON.stringify(value, null, space)))
      const chunks = (whole = Buffer.alloc(0)) =>
        cutAt(
          whole,
          [1, 100, 5_000, 5_001].map((place) => place % whole.length),
        )
      expect(readIn(chunks(one), 'chat-completions', false)).toEqual(chatFacts)
      expect(readIn(chunks(other), 'messages', false)).toEqual(messagesFacts)
    }
  })

  test('is read with its usage before its text, too', () => {
    const { usage, ...rest } = messages('x'.repeat(50_000))
    expect(read(JSON.stringify({ usage, ...rest }), 'messages', false)).toEqual(messagesFacts)
  })

  test('does not take somebody’s usage within it for its own', () => {
    const { usage: _, ...none } = messages('x'.repeat(50_000))
    const inner = { ...none, content: [...none.content, { input: { usage: { input_tokens: 1, output_tokens: 1 } } }] }
    const chunks = cutAt(Buffer.from(JSON.stringify(inner)), [9])
    expect(readIn(chunks, 'messages', false)).toMatchObject({ answerId: 'msg_7', inputTokens: undefined })
  })
})

test('an answer that broke off tells what it told', () => {
  const begun = messagesStream(50_000).slice(0, 30_000)
  expect(read(begun, 'messages', true)).toEqual({ ...messagesFacts, outputTokens: undefined })
  expect(read(chatStream(500).slice(0, 300), 'chat-completions', true)).toMatchObject({
    answerId: 'chatcmpl-9',
    inputTokens: undefined,
    outputTokens: undefined,
  })
})

test.each([
  ['', undefined],
  ['<html>"usage":{"prompt_tokens":1}', undefined],
  ['{"usage":null}', undefined],
  ['{"usage":[1]}', undefined],
  ['{"usage":{"prompt_tokens":"12"}}', undefined],
  ['{"usage":{"prompt_tokens":-1}}', undefined],
  ['{"usage":{"prompt_tokens":1e99}}', undefined],
  ['{"usage":{"prompt_tokens":3}}', 3],
  ['{"usage":{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":9}}}', 0],
])('takes %s for what it is', (text, inputTokens) => {
  expect(read(text, 'chat-completions', false).inputTokens).toBe(inputTokens)
})

test('usage that comes in every event is the last', () => {
  const event = (count: number) => `data: {"id":"a","usage":{"prompt_tokens":9,"completion_tokens":${count}}}\n\n`
  expect(read(event(1) + event(2) + event(3), 'chat-completions', true)).toMatchObject({
    inputTokens: 9,
    outputTokens: 3,
  })
})

test('an error at the end of a stream that began well is told', () => {
  const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
  const begun = messagesStream(100).replace(/event: message_delta[\s\S]*/, '')
  expect(read(begun + error, 'messages', true)).toMatchObject({
    inputTokens: 30,
    lateError: expect.stringMatching(/Overloaded/),
  })
})
