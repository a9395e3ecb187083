import type { PlaygroundParameters } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, test } from 'vitest'
import {
  type ChatMessage,
  type ChatPart,
  chatBody,
  completionBody,
  embeddingsBody,
} from '../../../../src/main/gateway/model-requests'

type ChatRequest = Parameters<typeof chatBody>[0]

const text = (prompt: string): ChatPart => ({ kind: 'text', text: prompt })
const image: ChatPart = { kind: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' }
const user = (...parts: readonly ChatPart[]): ChatMessage => ({ role: 'user', parts })
const buildAssistantMessage = (prompt: string): ChatMessage => ({ role: 'assistant', parts: [text(prompt)] })

type ApiStandard = ChatRequest['standard']

const buildRequest = (standard: ApiStandard, overrides: Partial<ChatRequest> = {}): ChatRequest => ({
  standard,
  modelCode: 'gw-large',
  system: '',
  messages: [user(text('hi'))],
  parameters: {},
  ...overrides,
})

const readBody = (standard: ApiStandard, parameters: PlaygroundParameters) =>
  chatBody(buildRequest(standard, { parameters }))

const chatStream = { stream: true, stream_options: { include_usage: true } }

function catchFailure(make: () => unknown) {
  try {
    make()
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
  return undefined
}

describe('a chat', () => {
  it('sends only what is set, as a stream', () => {
    const messages = [{ role: 'user', content: 'hi' }]
    const emptyParameters = { stop: [], jsonMode: false, tools: ' ', extra: '\n', temperature: undefined }
    for (const parameters of [{}, emptyParameters as PlaygroundParameters])
      expect(readBody('chat-completions', parameters)).toEqual({ model: 'gw-large', messages, ...chatStream })
    expect(readBody('messages', {})).toEqual({ model: 'gw-large', max_tokens: 4096, messages, stream: true })
  })

  const allParameters = { temperature: 0, topP: 0.5, maxTokens: 7, stop: ['a', '\n'] }
  test.each([
    [
      'chat-completions' as const,
      { ...allParameters, seed: -3, presencePenalty: -2, frequencyPenalty: 0, jsonMode: true },
      {
        temperature: 0,
        top_p: 0.5,
        max_tokens: 7,
        stop: ['a', '\n'],
        seed: -3,
        presence_penalty: -2,
        frequency_penalty: 0,
        response_format: { type: 'json_object' },
        ...chatStream,
      },
    ],
    [
      'messages' as const,
      { ...allParameters, topK: 40 },
      { temperature: 0, top_p: 0.5, max_tokens: 7, stop_sequences: ['a', '\n'], top_k: 40, stream: true },
    ],
  ])('names every parameter of %s as the standard does', (standard, parameters, members) => {
    const { model: _, messages: __, ...rest } = readBody(standard, parameters)
    expect(rest).toEqual(members)
  })

  test.each([
    ['chat-completions' as const, { topK: 40 }, 'topK'],
    ['messages' as const, { seed: 0 }, 'seed'],
    ['messages' as const, { presencePenalty: 0 }, 'presencePenalty'],
    ['messages' as const, { frequencyPenalty: 1 }, 'frequencyPenalty'],
    ['messages' as const, { jsonMode: true }, 'jsonMode'],
  ])('of %s refuses %j', (standard, parameters, field) => {
    const failure = catchFailure(() => readBody(standard, parameters))
    expect(failure).toMatchObject({ code: 'input.invalid', field })
    expect(failure?.message).toContain(`The ${standard} standard knows no ${field}`)
  })

  it('puts the system text where the standard requires it, unless it is blank', () => {
    const request = (standard: ApiStandard, system: string) => chatBody(buildRequest(standard, { system }))
    expect(request('chat-completions', 'Be kind.').messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hi' },
    ])
    expect(request('messages', 'Be kind.').system).toBe('Be kind.')
    expect(request('chat-completions', ' \n').messages).toHaveLength(1)
    expect(request('messages', ' \n')).not.toHaveProperty('system')
  })

  it('sends images as the standard’s parts, and only texts as one text', () => {
    const messages = [user(text('Look:'), image, text(' ')), buildAssistantMessage('Nice.'), user(text('a'), text('b'))]
    const buildMessages = (standard: ApiStandard) => chatBody(buildRequest(standard, { messages })).messages
    const followingMessages = [
      { role: 'assistant', content: 'Nice.' },
      { role: 'user', content: 'a\n\nb' },
    ]
    const firstMessage = (imagePart: object) => ({
      role: 'user',
      content: [{ type: 'text', text: 'Look:' }, imagePart],
    })
    const url = 'data:image/png;base64,iVBORw0KGgo='
    expect(buildMessages('chat-completions')).toEqual([
      firstMessage({ type: 'image_url', image_url: { url } }),
      ...followingMessages,
    ])
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    expect(buildMessages('messages')).toEqual([firstMessage({ type: 'image', source }), ...followingMessages])
  })

  it('omits empty messages, and merges consecutive roles', () => {
    const messages = [
      user(text('a')),
      buildAssistantMessage(''),
      user(text('b'), image),
      user(),
      buildAssistantMessage('c'),
      buildAssistantMessage('d'),
    ]
    const roles = (standard: ApiStandard) =>
      JSON.stringify(chatBody(buildRequest(standard, { messages })).messages).match(/user|assistant/g)
    expect(roles('chat-completions')).toEqual(['user', 'assistant'])
    expect(roles('messages')).toEqual(['user', 'assistant'])
    expect(chatBody(buildRequest('messages', { messages })).messages).toMatchObject([
      { content: [{ text: 'a' }, { text: 'b' }, { type: 'image' }] },
      { content: 'c\n\nd' },
    ])
  })
})

describe('raw JSON', () => {
  it('adds tools and members, which take precedence', () => {
    const tools = '[{"type":"function","function":{"name":"f"}}]'
    const extraJson = '{"temperature": 1, "model": "other", "stream": true, "__proto__": {"x": 1}}'
    const body = readBody('chat-completions', { temperature: 0, tools, extra: extraJson })
    expect(body).toMatchObject({ temperature: 1, model: 'other', tools: [{ type: 'function' }], stream: true })
    expect(JSON.stringify(body)).toContain('"__proto__":{"x":1}')
  })

  test.each([
    ['tools', '{"a":1}', /array/, undefined],
    ['tools', '[\n  {"name": "f"},\n  {name: "g"}\n]', /line 3, column 4\b/, 3],
    ['tools', '[1,]', /line 1, column 4\b/, 1],
    ['tools', '[1] // x', /line 1, column 5\b/, 1],
    ['tools', '["a\tb"]', /line 1, column \d/, 1],
    ['tools', '\uFEFF[1]', /line 1, column 1\b/, 1],
    ['extra', '[1]', /object/, undefined],
    ['extra', 'null', /object/, undefined],
    ['extra', '"x"', /object/, undefined],
    ['extra', '{"a": 1', /line 1, column 8\b/, 1],
    ['extra', '{\r\n"a": 1\r\n"b": 2}', /line 3, column 1\b/, 3],
    ['extra', '{"a": 01}', /line 1, column \d/, 1],
    ['extra', '{"stream": false}', /must not contain stream/, undefined],
    ['extra', '{"stream": null}', /must not contain stream/, undefined],
  ])('is refused in %s as %j', (field, fieldText, prompt, line) => {
    const failure = catchFailure(() => readBody('chat-completions', { [field]: fieldText }))
    expect(failure).toMatchObject({ code: 'input.invalid', field })
    expect(failure?.message).toMatch(prompt)
    expect(failure?.line).toBe(line)
  })
})

describe('a text completion', () => {
  const buildBody = (parameters: PlaygroundParameters) =>
    completionBody({ standard: 'chat-completions', modelCode: 'gw-base', prompt: 'Once', parameters })

  it('sends the prompt unchanged and the parameters that are set', () => {
    expect(buildBody({})).toEqual({ model: 'gw-base', prompt: 'Once', ...chatStream })
    expect(buildBody({ maxTokens: 5, seed: 1, extra: '{"echo": true}' })).toEqual({
      model: 'gw-base',
      prompt: 'Once',
      ...chatStream,
      max_tokens: 5,
      seed: 1,
      echo: true,
    })
  })

  test.each([
    ['tools', { tools: '[]' }],
    ['jsonMode', { jsonMode: true }],
    ['topK', { topK: 1 }],
  ])('does not support %s', (field, parameters) => {
    expect(catchFailure(() => buildBody(parameters))).toMatchObject({ code: 'input.invalid', field })
  })
})

test('embeddings send the inputs, and the Messages standard supports neither them nor completions', () => {
  const inputs = ['a', 'b']
  expect(embeddingsBody({ standard: 'chat-completions', modelCode: 'gw-embed', inputs })).toEqual({
    model: 'gw-embed',
    input: inputs,
  })
  const model = { standard: 'messages', modelCode: 'm' } as const
  const inputError = { code: 'input.invalid', field: 'standard' }
  expect(catchFailure(() => embeddingsBody({ ...model, inputs: ['a'] }))).toMatchObject(inputError)
  expect(catchFailure(() => completionBody({ ...model, prompt: 'a', parameters: {} }))).toMatchObject(inputError)
})
