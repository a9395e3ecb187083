import { LLMock } from '@copilotkit/aimock'
import type { ApiStandard } from '@shared/contract/common'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChatPart, chatBody, type ResponseDelta } from '../../../../src/main/gateway/model-requests'
import { createResponseReader } from '../../../../src/main/gateway/response-reader'

const text = 'Hà Nội: 31 °C, "mưa rào" 🌧️.\n\n```ts\nconst a = `x`\n```\n'
const call = { id: 'call_1', name: 'get_weather', arguments: '{"location":"Hà Nội","days":[1,2]}' }

const paths: Readonly<Record<ApiStandard, string>> = {
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
}

const tools: Readonly<Record<ApiStandard, string>> = {
  'chat-completions': '[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}]',
  messages: '[{"name":"get_weather","input_schema":{"type":"object"}}]',
}

const imagePart: ChatPart = { kind: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' }

describe('a third-party server', () => {
  const server = new LLMock({ port: 0, chunkSize: 5 })

  beforeAll(async () => {
    server.onMessage('weather', { content: text, toolCalls: [call], reasoning: 'Which city? Hà Nội.' })
    server.onMessage('cut', { content: text }, { truncateAfterChunks: 4, latency: 20 })
    await server.start()
  })
  afterAll(() => server.stop())

  const body = (standard: ApiStandard, text: string, stream: boolean) => ({
    ...chatBody({
      standard,
      modelCode: 'gw-large',
      system: 'Be short.',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: text }, imagePart] }],
      parameters: { temperature: 0, maxTokens: 100, tools: tools[standard] },
    }),
    stream,
  })

  async function fetchAnswer(standard: ApiStandard, text: string, stream: boolean) {
    const response = await fetch(`${server.url}${paths[standard]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body(standard, text, stream)),
    })
    const reader = createResponseReader({ standard, kind: 'chat' })
    const deltas: ResponseDelta[] = []
    let isBroken = false
    try {
      for await (const bytes of response.body ?? []) deltas.push(...reader.feed(bytes))
    } catch {
      isBroken = true
    }
    deltas.push(...reader.end())
    const joinDeltas = (kind: 'text' | 'thinking') =>
      deltas.map((item) => (item.kind === kind ? item.piece : '')).join('')
    const calls = deltas.findLast((item) => item.kind === 'toolCalls')?.calls
    return {
      status: response.status,
      isBroken,
      said: joinDeltas('text'),
      thought: joinDeltas('thinking'),
      calls,
      ...reader.facts(),
    }
  }

  test.each([
    ['chat-completions' as const, true, 'tool_calls'],
    ['chat-completions' as const, false, 'tool_calls'],
    ['messages' as const, true, 'tool_use'],
    ['messages' as const, false, 'tool_use'],
  ])('responds and is parsed with the %s standard, stream: %s', async (standard, stream, finishReason) => {
    const answer = await fetchAnswer(standard, 'weather?', stream)
    expect(answer).toMatchObject({
      status: 200,
      said: text,
      thought: 'Which city? Hà Nội.',
      isWhole: true,
      finishReason,
    })
    expect(answer.calls).toEqual([{ id: expect.any(String), name: call.name, input: expect.any(String) }])
    expect(JSON.parse(answer.calls?.[0]?.input ?? '')).toEqual(JSON.parse(call.arguments))
    expect(answer.usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) })
  })

  test.each(['chat-completions', 'messages'] as const)(
    'that breaks off a stream of %s leaves the received part',
    async (standard) => {
      const answer = await fetchAnswer(standard, 'cut', true)
      expect(answer).toMatchObject({ status: 200, isBroken: true, isWhole: false })
      expect(answer.said).not.toBe('')
      expect(text.startsWith(answer.said)).toBe(true)
    },
  )
})
