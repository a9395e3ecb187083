import type { PlaygroundParameters } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import {
  type ChatMessage,
  type ChatPart,
  chatBody,
  completionBody,
  embeddingsBody,
} from '../../../../src/main/gateway/model-requests'
import { catchFailure, expectFailure } from '../../support/failures'

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

const expectRefusal = (make: () => unknown, field: string, details: object = {}) =>
  expectFailure(Promise.resolve().then(make), 'input.invalid', { field, ...details })

describe('a chat', () => {
  it('sends only what is set, as a stream', () => {
    const messages = [{ role: 'user', content: 'hi' }]
    const emptyParameters = { stop: [], jsonMode: false, tools: ' ', extra: '\n', temperature: undefined }
    for (const parameters of [{}, emptyParameters as PlaygroundParameters])
      expect(readBody('chat-completions', parameters)).toEqual({ model: 'gw-large', messages, ...chatStream })
    expect(readBody('messages', {})).toEqual({ model: 'gw-large', max_tokens: 4096, messages, stream: true })
  })

  const allParameters = { temperature: 0, topP: 0.5, maxTokens: 7, stop: ['a', '\n'] }
  const sharedMembers = { temperature: 0, top_p: 0.5, max_tokens: 7 }
  test.each([
    [
      'chat-completions' as const,
      { ...allParameters, seed: -3, presencePenalty: -2, frequencyPenalty: 0, jsonMode: true },
      {
        ...sharedMembers,
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
      { ...sharedMembers, stop_sequences: ['a', '\n'], top_k: 40, stream: true },
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
  ])('of %s refuses %j', async (standard, parameters, field) => {
    const message = expect.stringContaining(`The ${standard} standard knows no ${field}`)
    await expectRefusal(() => readBody(standard, parameters), field, { message })
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
    const expectedMessages = (imagePart: object) => [
      { role: 'user', content: [{ type: 'text', text: 'Look:' }, imagePart] },
      { role: 'assistant', content: 'Nice.' },
      { role: 'user', content: 'a\n\nb' },
    ]
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const chatImage = { type: 'image_url', image_url: { url } }
    expect(buildMessages('chat-completions')).toEqual(expectedMessages(chatImage))
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    expect(buildMessages('messages')).toEqual(expectedMessages({ type: 'image', source }))
  })

  it('omits empty messages, and merges consecutive roles', () => {
    const userMessages = [user(text('a')), buildAssistantMessage(''), user(text('b'), image), user()]
    const messages = [...userMessages, buildAssistantMessage('c'), buildAssistantMessage('d')]
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
  ])('is refused in %s as %j', async (field, fieldText, pattern, line) => {
    const refused = Promise.resolve().then(() => readBody('chat-completions', { [field]: fieldText }))
    const failure = await catchFailure(refused)
    expect(failure).toMatchObject({ code: 'input.invalid', field, message: expect.stringMatching(pattern) })
    expect(failure.line).toBe(line)
  })
})

describe('a text completion', () => {
  const buildBody = (parameters: PlaygroundParameters) =>
    completionBody({ standard: 'chat-completions', modelCode: 'gw-base', prompt: 'Once', parameters })

  it('sends the prompt unchanged and the parameters that are set', () => {
    expect(buildBody({})).toEqual({ model: 'gw-base', prompt: 'Once', ...chatStream })
    const parameters = { max_tokens: 5, seed: 1, echo: true }
    expect(buildBody({ maxTokens: 5, seed: 1, extra: '{"echo": true}' })).toEqual({ ...buildBody({}), ...parameters })
  })

  test.each([
    ['tools', { tools: '[]' }],
    ['jsonMode', { jsonMode: true }],
    ['topK', { topK: 1 }],
  ])('does not support %s', async (field, parameters) => {
    await expectRefusal(() => buildBody(parameters), field)
  })
})

test('embeddings send the inputs, and the Messages standard supports neither them nor completions', async () => {
  const inputs = ['a', 'b']
  const body = embeddingsBody({ standard: 'chat-completions', modelCode: 'gw-embed', inputs })
  expect(body).toEqual({ model: 'gw-embed', input: inputs })
  const model = { standard: 'messages', modelCode: 'm' } as const
  await expectRefusal(() => embeddingsBody({ ...model, inputs }), 'standard')
  await expectRefusal(() => completionBody({ ...model, prompt: 'a', parameters: {} }), 'standard')
})
