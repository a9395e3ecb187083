import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createResponseReader } from '../../../../src/main/gateway/response-reader'
import { getRounds } from '../../../support/depth'

type ReaderInput = Parameters<typeof createResponseReader>[0]

const fixture = (name: string) => readFileSync(`test/fixtures/streams/${name}`)

const chat: ReaderInput = { standard: 'chat-completions', kind: 'chat' }
const messages: ReaderInput = { ...chat, standard: 'messages' }
const completion: ReaderInput = { ...chat, kind: 'completion' }

/** The result when the answer arrives in these chunks, in a buffer that is reused. */
function readResponse(chunks: readonly Uint8Array[], expected: ReaderInput) {
  const reader = createResponseReader(expected)
  const feedAndClear = (chunk: Uint8Array) => {
    const buffer = Uint8Array.from(chunk)
    const deltas = reader.feed(buffer)
    buffer.fill(0)
    return deltas
  }
  const deltas = [...chunks.flatMap(feedAndClear), ...reader.end()]
  const joinPieces = (kind: 'text' | 'thinking') =>
    deltas.map((item) => (item.kind === kind ? item.piece : '')).join('')
  const calls = deltas.findLast((item) => item.kind === 'toolCalls')?.calls ?? []
  const { lateError, usage, finishReason, isWhole } = reader.facts()
  const [text, thinking] = [joinPieces('text'), joinPieces('thinking')]
  return { text, thinking, calls, usage, finishReason, isWhole, lateError: lateError && JSON.parse(lateError) }
}

const readExpected = (text: string | Buffer, expected: ReaderInput) => readResponse([Buffer.from(text)], expected)

const emptyResult = { text: '', thinking: '', calls: [], isWhole: false }

const helloText = 'Xin chào, thế giới 👋🏽!'
const weatherCall = { id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA', name: 'get_weather', input: '{"location":"Hà Nội"}' }
const time = { id: 'call_abc123', name: 'get_time', input: '{"zone":"Asia/Ho_Chi_Minh"}' }
const cachedUsage = { inputTokens: 176, outputTokens: 17, cacheReadTokens: 1024 }
const messagesUsage = { inputTokens: 30, outputTokens: 15, cacheReadTokens: 5000, cacheWriteTokens: 200 }
const gcdText = 'The greatest common divisor is **3**.'
const thinkingText = 'Let me find the GCD.\n453 = 2 × 177 + 99\n\nSo 3.'

const end = (finishReason: string) => ({ finishReason, isWhole: true })
const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens })
const emptyCall = (id: string) => ({ id, name: 'get_time', input: '{}' })
const chatTools = { calls: [weatherCall, time], usage: { inputTokens: 80, outputTokens: 40 }, ...end('tool_calls') }
const completed = { text: '\n\nThis is a test.', usage: { inputTokens: 5, outputTokens: 7 }, ...end('length') }
const chatErrorMessage = 'The server had an error while processing your request.'
const chatError = { message: chatErrorMessage, type: 'server_error', param: null, code: null }
const messagesError = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const toolId = 'toolu_01T1x1fJ34qAmk2tNTrN7Up6'
const weatherInput = '{"location": "San Francisco, CA", "unit": "fahrenheit"}'

const answers: readonly (readonly [string, ReaderInput, object])[] = [
  ['chat-text.sse', chat, { text: helloText, usage: cachedUsage, ...end('stop') }],
  ['chat-text.json', chat, { text: helloText, usage: cachedUsage, ...end('stop') }],
  ['chat-usage-in-every-chunk.sse', chat, { text: 'Hello', usage: tokens(9, 2), ...end('length') }],
  ['chat-tools.sse', chat, chatTools],
  ['chat-tools.json', chat, chatTools],
  [
    'chat-thinking.sse',
    chat,
    { thinking: '9.11 or 9.8? 9.8.', text: '9.8 is greater.', usage: tokens(16, 30), ...end('stop') },
  ],
  ['chat-error.sse', chat, { text: 'Once upon', lateError: { error: chatError } }],
  ['chat-cut.sse', chat, { text: 'Once upon' }],
  ['completion-text.sse', completion, completed],
  ['completion-text.json', completion, completed],
  ['messages-text.sse', messages, { text: helloText, usage: messagesUsage, ...end('end_turn') }],
  [
    'messages-all.json',
    messages,
    {
      text: helloText,
      thinking: 'Greet.',
      calls: [{ ...weatherCall, id: 'toolu_1' }, emptyCall('toolu_2')],
      usage: messagesUsage,
      ...end('tool_use'),
    },
  ],
  [
    'messages-tools.sse',
    messages,
    {
      text: "Okay, let's check:",
      calls: [{ id: toolId, name: 'get_weather', input: weatherInput }, emptyCall('toolu_02')],
      usage: tokens(472, 89),
      ...end('tool_use'),
    },
  ],
  [
    'messages-thinking.sse',
    messages,
    { thinking: thinkingText, text: gcdText, usage: tokens(25, 60), ...end('end_turn') },
  ],
  // The start event reports one output token, which is not part of the answer and must not count.
  ['messages-error.sse', messages, { text: 'Once upon', usage: { inputTokens: 25 }, lateError: messagesError }],
  ['messages-cut.sse', messages, { text: 'Once upon', usage: { inputTokens: 25 } }],
]

describe.each(answers)('%s', (name, expected, resultFields) => {
  it('is read completely', () => {
    expect(readExpected(fixture(name), expected)).toEqual({ ...emptyResult, ...resultFields })
  })

  it('is read at any chunk boundary', () => {
    const bytes = fixture(name)
    // Single bytes are cut everywhere, so quick runs try every seventh cut in two.
    const splitChunks = Array.from({ length: Math.ceil(bytes.length / getRounds(7, 1)) }, (_, index) => {
      const offset = index * getRounds(7, 1)
      return [bytes.subarray(0, offset), bytes.subarray(offset)]
    })
    const oneByteChunks = [...bytes].map((byte) => Uint8Array.of(byte))
    const readAsJson = (chunks: readonly Uint8Array[]) => JSON.stringify(readResponse(chunks, expected))
    const results = new Set([...splitChunks, oneByteChunks].map(readAsJson))
    expect([...results]).toEqual([readAsJson([bytes])])
  })
})

const events = (...values: readonly unknown[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const buildDelta = (deltaFields: object, choiceFields: object = {}) => ({
  choices: [{ index: 0, delta: deltaFields, ...choiceFields }],
})
/** An event with pieces of calls: the index, id and name of each call, and its input. */
const callPieces = (...pieces: readonly (readonly [index: number, id: string, name: string, input: string])[]) =>
  buildDelta({
    tool_calls: pieces.map(([index, id, name, input]) => ({ index, id, function: { name, arguments: input } })),
  })
const streamDoneEvent = 'data: [DONE]\n\n'

const okBody = '{"choices":[{"message":{"content":"ok"}}]}'
const callF = { id: 'a', name: 'f', input: '{"x":1}' }
const wrongTypes = buildDelta({ content: 5, tool_calls: 'x', reasoning: [] }, { finish_reason: 7 })
const okEvent = events(buildDelta({ content: 'ok' }))

describe('a chat-completions answer', () => {
  test.each([
    ['thinking under both names', events(buildDelta({ reasoning: 'hm', reasoning_content: 'hm' })), { thinking: 'hm' }],
    ['a refusal', events(buildDelta({ refusal: 'No.' })), { text: 'No.' }],
    [
      'several choices, of which one is shown',
      events(buildDelta({ content: 'a' }), { choices: [{ index: 1, delta: { content: 'x' } }] }),
      { text: 'a' },
    ],
    [
      'calls in turns, with id and name in every piece',
      events(
        callPieces([0, 'a', 'f', '{"x"'], [1, 'b', 'g', '{']),
        callPieces([1, 'b', 'g', '}'], [0, 'a', 'f', ':1}']),
      ),
      { calls: [callF, { id: 'b', name: 'g', input: '{}' }] },
    ],
    ['members that are not what they should be', events(wrongTypes) + okEvent],
    ['events that are no JSON between good ones', `data: {"choi\n\n${okEvent}data: [\n\n`],
    ['events of other kinds', `event: x\ndata: {"a":1}\n\n${events(null, 1, 'x', [])}${okEvent}`],
  ])('is read with %s', (_name, text, resultFields = { text: 'ok' }) => {
    expect(readExpected(text + streamDoneEvent, chat)).toEqual({ ...emptyResult, isWhole: true, ...resultFields })
  })

  test.each([
    [
      'without an end mark after its finish reason',
      events(buildDelta({ content: 'ok' }, { finish_reason: 'stop' })),
      { text: 'ok', finishReason: 'stop', isWhole: true },
    ],
    ['with an end mark that lacks its blank line', `${okEvent}data: [DONE]`, { text: 'ok', isWhole: true }],
    ['with nothing but an end mark', streamDoneEvent, {}],
    ['with two errors', events({ error: 'first' }, { error: 'second' }), { lateError: { error: 'first' } }],
    ['as a body without a choice', '{"choices":[],"usage":{"completion_tokens":3}}', { usage: { outputTokens: 3 } }],
    ['as a body behind spaces and a mark', `\uFEFF \n\n${okBody}\n`, { text: 'ok', isWhole: true }],
    ['as a body that breaks off', '{"choices":[{"message":{"content":"ok"', {}],
    ['as a list', '[]', {}],
  ])('is read %s', (_name, text, resultFields) => {
    expect(readExpected(text, chat)).toEqual({ ...emptyResult, ...resultFields })
  })
})

const messageStart = { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } }
const endTurn = { type: 'message_delta', delta: { stop_reason: 'end_turn' } }
const blockStart = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const toolStart = (input: object) => blockStart(0, { type: 'tool_use', id: 'a', name: 'f', input })
test.each<[string, string, object?]>([
  [
    'the most that was counted, as servers count the input at the end',
    events(messageStart, { ...endTurn, usage: { input_tokens: 9, output_tokens: 4 } }, { type: 'message_stop' }),
    { usage: tokens(9, 4), ...end('end_turn') },
  ],
  [
    'text and thinking that a block begins with',
    events(
      messageStart,
      blockStart(0, { type: 'thinking', thinking: 'hm' }),
      blockStart(1, { type: 'text', text: 'ok' }),
    ),
    { thinking: 'hm', text: 'ok', usage: { inputTokens: 0 } },
  ],
  [
    'an input that a block begins with',
    events(toolStart({ x: 1 }), { type: 'content_block_stop', index: 0 }),
    { calls: [callF] },
  ],
  [
    'a call that breaks off',
    events(toolStart({}), {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"x' },
    }),
    { calls: [{ id: 'a', name: 'f', input: '{"x' }] },
  ],
  [
    'types by their events’ names alone',
    'event: content_block_delta\ndata: {"index":0,"delta":{"type":"text_delta","text":"ok"}}\n\nevent: message_stop\ndata: {}\n\n',
    { text: 'ok', isWhole: true },
  ],
  [
    'events named as members of every object',
    events({ type: 'constructor' }, { type: '__proto__' }, { type: 'toString' }),
  ],
  [
    'no message_stop after its reason',
    events(messageStart, endTurn),
    { usage: { inputTokens: 0 }, ...end('end_turn') },
  ],
  ['pings alone', 'event: ping\ndata: {"type":"ping"}\n\n'],
  ['an answer of the other standard', okBody],
])('a messages answer is read with %s', (_name, text, resultFields = {}) => {
  expect(readExpected(text, messages)).toEqual({ ...emptyResult, ...resultFields })
})

describe('arbitrary bytes', () => {
  it('are never refused and never complete', () => {
    const json = fc.json({ maxDepth: 4 })
    const line = fc.oneof(
      json.map((text) => `data: ${text}\n\n`),
      json,
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom(chat, messages, completion), (lines, expected) => {
        const chunks = lines.map((text) => Buffer.from(text))
        expect(readResponse(chunks, expected)).toMatchObject({ text: '', isWhole: false })
      }),
      { numRuns: getRounds(40, 200) },
    )
  })

  it('are read until one event exceeds 64 MB', () => {
    const reader = createResponseReader(chat)
    const text = events(buildDelta({ content: 'x' }))
    expect(reader.feed(Buffer.from(text))).toEqual([{ kind: 'text', piece: 'x' }])
    const comment = Buffer.from(`:${'x'.repeat(16 * 1024 * 1024)}`)
    for (let count = 0; count < 5; count += 1) reader.feed(comment)
    expect([...reader.feed(Buffer.from(text + streamDoneEvent)), ...reader.end()]).toEqual([])
    expect(reader.facts().isWhole).toBe(false)
  })
})
