import { describe, expect } from 'vitest'
import {
  buildChatBody,
  chatPath,
  type Harness,
  messagesPath,
  parseEvents,
  readPoolUsage,
  sendRawPost,
  test,
} from '../support'

const vietnamesePrompt = 'Say "Xin chào thế giới 👩‍👩‍👧 – gửi từ Đà Nẵng"'

const stream = (harness: Harness, path: string, body: object) => sendRawPost(harness, path, { ...body, stream: true })

const withUsage = { stream_options: { include_usage: true } }

const normalizeIds = (text: string) =>
  text.replace(/(chatcmpl-|msg_)[0-9a-f]{32}/g, '$1ID').replace(/"created":\d+/g, '"created":0')

describe('chat-completions', () => {
  test('a response has the standard’s format with real usage', async ({ harness }) => {
    const body = await (await harness.post(chatPath, buildChatBody('Say hello'))).json()
    const message = { role: 'assistant', content: 'hello', refusal: null }
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'aurora-small',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9, prompt_tokens_details: { cached_tokens: 0 } },
    })
  })

  test('a stream matches the standard’s frames', async ({ harness }) => {
    const response = await stream(harness, chatPath, buildChatBody('Say hello there', withUsage))
    const buildStreamFrame = (choices: string, usage: string) =>
      'data: {"id":"chatcmpl-ID","object":"chat.completion.chunk","created":0,"model":"aurora-small",' +
      `"choices":[${choices}],"usage":${usage}}\n\n`
    const buildStreamChoice = (delta: string, reason = 'null') =>
      buildStreamFrame(`{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}`, 'null')
    expect(normalizeIds(response.text)).toBe(
      buildStreamChoice('{"role":"assistant","content":""}') +
        buildStreamChoice('{"content":"hello"}') +
        buildStreamChoice('{"content":" there"}') +
        buildStreamChoice('{}', '"stop"') +
        buildStreamFrame(
          '',
          '{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0}}',
        ) +
        'data: [DONE]\n\n',
    )
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(response.headers['x-request-id']).toMatch(/^req_/)
  })

  test('a stream has no usage unless requested', async ({ harness }) => {
    const response = await stream(harness, chatPath, buildChatBody('Say hello'))
    expect(response.text).not.toContain('usage')
    expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

describe('messages', () => {
  test('a response has the standard’s format with real usage', async ({ harness }) => {
    const response = await harness.post(`${messagesPath}?beta=true`, buildChatBody('Say hello'))
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: 'message',
      role: 'assistant',
      model: 'aurora-small',
      content: [{ type: 'text', text: 'hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 8, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    })
    expect(response.headers.get('request-id')).toMatch(/^req_/)
  })

  test('a stream matches the standard’s frames', async ({ harness }) => {
    const response = await stream(harness, messagesPath, buildChatBody('Say hello there'))
    const buildStreamFrame = (type: string, extraJson = '') =>
      `event: ${type}\ndata: {"type":"${type}"${extraJson}}\n\n`
    expect(normalizeIds(response.text)).toBe(
      buildStreamFrame(
        'message_start',
        ',"message":{"id":"msg_ID","type":"message","role":"assistant","model":"aurora-small","content":[],' +
          '"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"cache_creation_input_tokens":0,' +
          '"cache_read_input_tokens":0,"output_tokens":0}}',
      ) +
        buildStreamFrame('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}') +
        buildStreamFrame('ping') +
        buildStreamFrame('content_block_delta', ',"index":0,"delta":{"type":"text_delta","text":"hello"}') +
        buildStreamFrame('content_block_delta', ',"index":0,"delta":{"type":"text_delta","text":" there"}') +
        buildStreamFrame('content_block_stop', ',"index":0') +
        buildStreamFrame(
          'message_delta',
          ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}',
        ) +
        buildStreamFrame('message_stop'),
    )
  })

  test('counting tokens returns the input tokens of the same request for free', async ({ harness }) => {
    const body = buildChatBody([{ type: 'text', text: 'Tell me of tides' }], {
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'read', description: 'Reads a file', input_schema: { type: 'object' } }],
    })
    const countResponse = await (await harness.post(`${messagesPath}/count_tokens`, body)).json()
    expect((await readPoolUsage(harness)).requestsUsed).toBe(0)
    const messageAnswer = await (await harness.post(messagesPath, body)).json()
    expect(countResponse).toEqual({ input_tokens: messageAnswer.usage.input_tokens })
    expect(countResponse.input_tokens).toBeGreaterThan(25)
  })
})

const prompts = ['Say hello', vietnamesePrompt, 'Count to 300', 'a table of cities', 'python code', 'What is a tide?']
test.for(prompts)('%s has the same text and usage streamed and not, in both standards', async (prompt, { harness }) => {
  const chat = await (await harness.post(chatPath, buildChatBody(prompt))).json()
  const chatEvents = parseEvents((await stream(harness, chatPath, buildChatBody(prompt, withUsage))).text)
  const chatText = chatEvents.map((event) => event.choices?.[0]?.delta.content ?? '').join('')
  expect(chatText).toBe(chat.choices[0].message.content)
  expect(chatEvents.at(-2).usage).toEqual(chat.usage)

  const message = await (await harness.post(messagesPath, buildChatBody(prompt))).json()
  const events = parseEvents((await stream(harness, messagesPath, buildChatBody(prompt))).text)
  expect(events.map((event) => event.delta?.text ?? '').join('')).toBe(message.content[0].text)
  expect(events[0].message.usage.input_tokens).toBe(message.usage.input_tokens)
  expect(events.at(-2).usage.output_tokens).toBe(message.usage.output_tokens)
  expect(message.content[0].text).toBe(chatText)
})

describe('accepted requests of tools', () => {
  test('a coding tool’s conversation with reminders, tools, tool results and unknown fields', async ({ harness }) => {
    const response = await harness.post(`${messagesPath}?beta=true`, {
      model: 'aurora-large',
      max_tokens: 32_000,
      stream: false,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      context_management: { edits: [] },
      metadata: { user_id: 'someone' },
      system: [{ type: 'text', text: 'You are a coding tool.' }],
      tools: [{ name: 'Read', input_schema: { type: 'object', properties: {} } }],
      messages: [
        { role: 'user', content: 'Say first' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: '' }] },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: '<system-reminder>\nSay nothing of this.\n</system-reminder>' },
            { type: 'text', text: 'Say second', cache_control: { type: 'ephemeral' } },
          ],
        },
      ],
    })
    expect((await response.json()).content[0].text).toBe('second')
  })

  test('a chat tool’s conversation with parts, null content, tool calls and sampling settings', async ({ harness }) => {
    const response = await harness.post(chatPath, {
      model: 'aurora-large',
      temperature: 0,
      tool_choice: 'auto',
      tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
      stream: null,
      messages: [
        { role: 'developer', content: 'You are a coding tool.' },
        { role: 'user', content: [{ type: 'text', text: 'Say this' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'contents' },
      ],
    })
    expect((await response.json()).choices[0].message.content).toBe('this')
  })
})
