import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createResponseReader } from '../../../../src/main/gateway/response-reader'
import { rounds } from '../../../support/depth'

type ExpectedAnswer = Parameters<typeof createResponseReader>[0]

const fixture = (name: string) => readFileSync(`test/fixtures/streams/${name}`)

const chat: ExpectedAnswer = { standard: 'chat-completions', kind: 'chat' }
const messages: ExpectedAnswer = { ...chat, standard: 'messages' }
const completion: ExpectedAnswer = { ...chat, kind: 'completion' }

/** The result when the answer arrives in these chunks. */
function readResponse(chunks: readonly Uint8Array[], expected: ExpectedAnswer) {
  const reader = createResponseReader(expected)
  const news = [...chunks.flatMap((chunk) => reader.feed(chunk)), ...reader.end()]
  const joinPieces = (kind: 'text' | 'thinking') => news.map((item) => (item.kind === kind ? item.piece : '')).join('')
  const calls = news.findLast((item) => item.kind === 'toolCalls')?.calls ?? []
  const { lateError, usage, finishReason, isWhole: isComplete } = reader.facts()
  return {
    text: joinPieces('text'),
    thinking: joinPieces('thinking'),
    calls,
    ...{ usage, finishReason, isWhole: isComplete },
    lateError: lateError === undefined ? undefined : JSON.parse(lateError),
  }
}

const read = (text: string | Buffer, expected: ExpectedAnswer) => readResponse([Buffer.from(text)], expected)

const emptyResult = {
  ...{
    text: '',
    thinking: '',
    calls: [],
    usage: undefined,
    finishReason: undefined,
    isWhole: false,
    lateError: undefined,
  },
}

const hello = 'Xin chào, thế giới 👋🏽!'
const weather = { id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA', name: 'get_weather', input: '{"location":"Hà Nội"}' }
const time = { id: 'call_abc123', name: 'get_time', input: '{"zone":"Asia/Ho_Chi_Minh"}' }
const cachedUsage = { inputTokens: 176, outputTokens: 17, cacheReadTokens: 1024 }
const messagesUsage = { inputTokens: 30, outputTokens: 15, cacheReadTokens: 5000, cacheWriteTokens: 200 }
const thought = 'Let me find the GCD.\n453 = 2 × 177 + 99\n\nSo 3.'

const answers: readonly (readonly [string, ExpectedAnswer, object])[] = [
  ['chat-text.sse', chat, { text: hello, usage: cachedUsage, finishReason: 'stop', isWhole: true }],
  ['chat-text.json', chat, { text: hello, usage: cachedUsage, finishReason: 'stop', isWhole: true }],
  [
    'chat-usage-in-every-chunk.sse',
    chat,
    { text: 'Hello', usage: { inputTokens: 9, outputTokens: 2 }, finishReason: 'length', isWhole: true },
  ],
  [
    'chat-tools.sse',
    chat,
    { calls: [weather, time], usage: { inputTokens: 80, outputTokens: 40 }, finishReason: 'tool_calls', isWhole: true },
  ],
  [
    'chat-tools.json',
    chat,
    { calls: [weather, time], usage: { inputTokens: 80, outputTokens: 40 }, finishReason: 'tool_calls', isWhole: true },
  ],
  [
    'chat-thinking.sse',
    chat,
    {
      thinking: '9.11 or 9.8? 9.8.',
      text: '9.8 is greater.',
      usage: { inputTokens: 16, outputTokens: 30 },
      finishReason: 'stop',
      isWhole: true,
    },
  ],
  [
    'chat-error.sse',
    chat,
    {
      text: 'Once upon',
      lateError: {
        error: {
          message: 'The server had an error while processing your request.',
          type: 'server_error',
          param: null,
          code: null,
        },
      },
    },
  ],
  ['chat-cut.sse', chat, { text: 'Once upon' }],
  [
    'completion-text.sse',
    completion,
    { text: '\n\nThis is a test.', usage: { inputTokens: 5, outputTokens: 7 }, finishReason: 'length', isWhole: true },
  ],
  [
    'completion-text.json',
    completion,
    { text: '\n\nThis is a test.', usage: { inputTokens: 5, outputTokens: 7 }, finishReason: 'length', isWhole: true },
  ],
  ['messages-text.sse', messages, { text: hello, usage: messagesUsage, finishReason: 'end_turn', isWhole: true }],
  [
    'messages-all.json',
    messages,
    {
      text: hello,
      thinking: 'Greet.',
      calls: [
        { id: 'toolu_1', name: 'get_weather', input: '{"location":"Hà Nội"}' },
        { id: 'toolu_2', name: 'get_time', input: '{}' },
      ],
      usage: messagesUsage,
      finishReason: 'tool_use',
      isWhole: true,
    },
  ],
  [
    'messages-tools.sse',
    messages,
    {
      text: "Okay, let's check:",
      calls: [
        {
          id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
          name: 'get_weather',
          input: '{"location": "San Francisco, CA", "unit": "fahrenheit"}',
        },
        { id: 'toolu_02', name: 'get_time', input: '{}' },
      ],
      usage: { inputTokens: 472, outputTokens: 89 },
      finishReason: 'tool_use',
      isWhole: true,
    },
  ],
  [
    'messages-thinking.sse',
    messages,
    {
      thinking: thought,
      text: 'The greatest common divisor is **3**.',
      usage: { inputTokens: 25, outputTokens: 60 },
      finishReason: 'end_turn',
      isWhole: true,
    },
  ],
  [
    'messages-error.sse',
    messages,
    {
      text: 'Once upon',
      // The start event reports one output token, which is not part of the answer and must not count.
      usage: { inputTokens: 25 },
      lateError: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    },
  ],
  ['messages-cut.sse', messages, { text: 'Once upon', usage: { inputTokens: 25 } }],
]

describe.each(answers)('%s', (name, expected, resultFields) => {
  it('is read completely', () => {
    expect(read(fixture(name), expected)).toEqual({ ...emptyResult, ...resultFields })
  })

  it('is read at any chunk boundary', () => {
    const bytes = fixture(name)
    // Single bytes are cut everywhere, so quick runs try every seventh cut in two.
    const cuts = Array.from({ length: Math.ceil(bytes.length / rounds(7, 1)) }, (_, index) => {
      const offset = index * rounds(7, 1)
      return [bytes.subarray(0, offset), bytes.subarray(offset)]
    })
    const singleBytes = [...bytes].map((byte) => Uint8Array.of(byte))
    const results = new Set([...cuts, singleBytes].map((chunks) => JSON.stringify(readResponse(chunks, expected))))
    expect([...results]).toEqual([JSON.stringify(read(bytes, expected))])
  })

  it('is read from a reused buffer', () => {
    const buffer = new Uint8Array(100)
    const bytes = fixture(name)
    const reader = createResponseReader(expected)
    const news = []
    for (let offset = 0; offset < bytes.length; offset += 100) {
      const chunk = bytes.subarray(offset, offset + 100)
      buffer.set(chunk)
      news.push(...reader.feed(buffer.subarray(0, chunk.length)))
    }
    buffer.fill(0)
    news.push(...reader.end())
    const text = news.map((item) => (item.kind === 'text' ? item.piece : '')).join('')
    expect(text).toBe(read(bytes, expected).text)
  })
})

const events = (...values: readonly unknown[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const delta = (deltaFields: object, choiceFields: object = {}) => ({
  choices: [{ index: 0, delta: deltaFields, ...choiceFields }],
})
const call = (index: number | undefined, id: string | undefined, functionFields: object) => ({
  index,
  id,
  function: functionFields,
})
const doneEvent = 'data: [DONE]\n\n'

describe('a chat-completions answer', () => {
  test.each([
    [
      'parts of content',
      events(delta({ content: [{ type: 'text', text: 'a' }, { text: 'b' }, { type: 'x' }] })),
      { text: 'ab' },
    ],
    [
      'thinking in parts of content',
      events(
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        delta({ content: 'ok' }),
      ),
      { thinking: 'hm', text: 'ok' },
    ],
    [
      'thinking as reasoning',
      events(delta({ reasoning: 'hm' }), delta({ content: 'ok' })),
      { thinking: 'hm', text: 'ok' },
    ],
    ['thinking under both names', events(delta({ reasoning: 'hm', reasoning_content: 'hm' })), { thinking: 'hm' }],
    ['a refusal', events(delta({ refusal: 'No.' })), { text: 'No.' }],
    ['a whole message in an event', events({ choices: [{ message: { content: 'ok' } }] }), { text: 'ok' }],
    [
      'several choices, of which one is shown',
      events(delta({ content: 'a' }), { choices: [{ index: 1, delta: { content: 'x' } }] }),
      { text: 'a' },
    ],
    [
      'calls without a number',
      events(
        delta({ tool_calls: [call(undefined, 'a', { name: 'f', arguments: '{' })] }),
        delta({ tool_calls: [call(undefined, undefined, { arguments: '}' })] }),
        delta({ tool_calls: [call(undefined, 'b', { name: 'g', arguments: '[]' })] }),
      ),
      {
        calls: [
          { id: 'a', name: 'f', input: '{}' },
          { id: 'b', name: 'g', input: '[]' },
        ],
      },
    ],
    [
      'calls that all have one number',
      events(
        delta({
          tool_calls: [call(0, 'a', { name: 'f', arguments: '1' }), call(0, 'b', { name: 'g', arguments: '2' })],
        }),
      ),
      {
        calls: [
          { id: 'a', name: 'f', input: '1' },
          { id: 'b', name: 'g', input: '2' },
        ],
      },
    ],
    [
      'calls in turns, with id and name in every piece',
      events(
        delta({
          tool_calls: [call(0, 'a', { name: 'f', arguments: '{"x"' }), call(1, 'b', { name: 'g', arguments: '{' })],
        }),
        delta({
          tool_calls: [call(1, 'b', { name: 'g', arguments: '}' }), call(0, 'a', { name: 'f', arguments: ':1}' })],
        }),
      ),
      {
        calls: [
          { id: 'a', name: 'f', input: '{"x":1}' },
          { id: 'b', name: 'g', input: '{}' },
        ],
      },
    ],
    [
      'arguments that are no text',
      events(delta({ tool_calls: [call(0, 'a', { name: 'f', arguments: { x: 1 } })] })),
      { calls: [{ id: 'a', name: 'f', input: '{"x":1}' }] },
    ],
    [
      'members that are not what they should be',
      events(delta({ content: 5, tool_calls: 'x', reasoning: [] }, { finish_reason: 7 }), delta({ content: 'ok' })),
      { text: 'ok' },
    ],
    [
      'events that are no JSON between good ones',
      `data: {"choi\n\n${events(delta({ content: 'ok' }))}data: [\n\n`,
      { text: 'ok' },
    ],
    [
      'events of other kinds',
      `event: x\ndata: {"a":1}\n\n${events(null, 1, 'x', [], delta({ content: 'ok' }))}`,
      { text: 'ok' },
    ],
    [
      'null usage after a count',
      events({ choices: [], usage: { completion_tokens: 3 } }, { choices: [], usage: null }),
      { usage: { outputTokens: 3 } },
    ],
    ['usage alone', events({ usage: { completion_tokens: 3 } }), { usage: { outputTokens: 3 } }],
    ['a null error', events({ error: null, ...delta({ content: 'ok' }) }), { text: 'ok' }],
  ])('is read with %s', (_name, text, resultFields) => {
    expect(read(text + doneEvent, chat)).toEqual({ ...emptyResult, isWhole: true, ...resultFields })
  })

  test.each([
    [
      'without an end mark after its finish reason',
      events(delta({ content: 'ok' }, { finish_reason: 'stop' })),
      { text: 'ok', finishReason: 'stop', isWhole: true },
    ],
    ['without either', events(delta({ content: 'ok' })), { text: 'ok' }],
    [
      'with an end mark that lacks its blank line',
      `${events(delta({ content: 'ok' }))}data: [DONE]`,
      { text: 'ok', isWhole: true },
    ],
    ['with nothing but an end mark', doneEvent, {}],
    [
      'with an error in words',
      events({ error: 'Out of memory' }) + doneEvent,
      { lateError: { error: 'Out of memory' } },
    ],
    [
      'with an error at the top',
      events({ object: 'error', message: 'no', code: 400 }),
      { lateError: { object: 'error', message: 'no', code: 400 } },
    ],
    ['with an error by its event’s name', 'event: error\ndata: {"message":"no"}\n\n', { lateError: { message: 'no' } }],
    ['with two errors', events({ error: 'first' }, { error: 'second' }), { lateError: { error: 'first' } }],
    ['as an error body', '{"error":{"message":"no"}}', { lateError: { error: { message: 'no' } } }],
    ['as a body without a choice', '{"choices":[],"usage":{"completion_tokens":3}}', { usage: { outputTokens: 3 } }],
    [
      'as a body behind spaces and a mark',
      ` \n\uFEFF\n{"choices":[{"message":{"content":"ok"}}]}\n`.replace(' \n\uFEFF', '\uFEFF \n'),
      { text: 'ok', isWhole: true },
    ],
    ['as a body that breaks off', '{"choices":[{"message":{"content":"ok"', {}],
    ['as a page', '<!doctype html><html><body>data: {"choices":[]}</body></html>', {}],
    ['as words', 'upstream connect error', {}],
    ['as a list', '[]', {}],
    ['as nothing', '', {}],
  ])('is read %s', (_name, text, resultFields) => {
    expect(read(text, chat)).toEqual({ ...emptyResult, ...resultFields })
  })
})

describe('a messages answer', () => {
  const messageStart = { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } }
  test.each([
    [
      'the most that was counted, as servers count the input at the end',
      events(
        messageStart,
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 9, output_tokens: 4 } },
        { type: 'message_stop' },
      ),
      { usage: { inputTokens: 9, outputTokens: 4 }, finishReason: 'end_turn', isWhole: true },
    ],
    [
      'text and thinking that a block begins with',
      events(
        messageStart,
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'hm' } },
        { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'ok' } },
      ),
      { thinking: 'hm', text: 'ok', usage: { inputTokens: 0 } },
    ],
    [
      'an input that a block begins with',
      events(
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        },
        { type: 'content_block_stop', index: 0 },
      ),
      { calls: [{ id: 'a', name: 'f', input: '{"x":1}' }] },
    ],
    [
      'a call that breaks off',
      events(
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"x' } },
      ),
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
      {},
    ],
    [
      'no message_stop after its reason',
      events(messageStart, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      { usage: { inputTokens: 0 }, finishReason: 'end_turn', isWhole: true },
    ],
    ['pings alone', 'event: ping\ndata: {"type":"ping"}\n\n', {}],
    ['an answer of the other standard', '{"choices":[{"message":{"content":"ok"}}]}', {}],
  ])('is read with %s', (_name, text, resultFields) => {
    expect(read(text, messages)).toEqual({ ...emptyResult, ...resultFields })
  })
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
        expect(
          readResponse(
            lines.map((text) => Buffer.from(text)),
            expected,
          ),
        ).toMatchObject({ text: '', isWhole: false })
      }),
      { numRuns: rounds(40, 200) },
    )
  })

  it('are read until one event exceeds 64 MB', () => {
    const reader = createResponseReader(chat)
    const text = events(delta({ content: 'x' }))
    expect(reader.feed(Buffer.from(text))).toEqual([{ kind: 'text', piece: 'x' }])
    const comment = Buffer.from(`:${'x'.repeat(16 * 1024 * 1024)}`)
    for (let count = 0; count < 5; count += 1) reader.feed(comment)
    expect([...reader.feed(Buffer.from(text + doneEvent)), ...reader.end()]).toEqual([])
    expect(reader.facts().isWhole).toBe(false)
  })
})

it('merges the events of one chunk, combining texts and keeping calls', () => {
  const reader = createResponseReader(chat)
  const eventText = events(
    delta({ reasoning: 'h' }),
    delta({ reasoning: 'm' }),
    delta({ content: 'o' }),
    delta({ content: 'k' }),
    delta({ tool_calls: [call(0, 'a', { name: 'f', arguments: '{' })] }),
    delta({ tool_calls: [call(0, undefined, { arguments: '}' })] }),
  )
  expect(reader.feed(Buffer.from(eventText))).toEqual([
    { kind: 'thinking', piece: 'hm' },
    { kind: 'text', piece: 'ok' },
    { kind: 'toolCalls', calls: [{ id: 'a', name: 'f', input: '{}' }] },
  ])
  expect(reader.feed(Buffer.from(events(delta({ content: '' }))))).toEqual([])
})
