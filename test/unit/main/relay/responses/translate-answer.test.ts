import { describe, expect, test } from 'vitest'
import { createResponseReader } from '../../../../../src/main/gateway/response-reader'
import { translateRequest } from '../../../../../src/main/relay/responses/request'
import { ResponseWriter } from '../../../../../src/main/relay/responses/response-writer'

type Event = Record<string, unknown> & { readonly type: string }

const tools = [
  { type: 'function', name: 'exec', parameters: {} },
  { type: 'custom', name: 'apply_patch' },
  { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'close', parameters: {} }] },
  { type: 'local_shell' },
]

/** Translates a response in these chunks and returns the output for each and for the end. */
function translate(chunks: readonly Buffer[]): readonly string[] {
  const body = { model: 'aurora', input: 'Hi', stream: true, tools }
  const translated = translateRequest(Buffer.from(JSON.stringify(body)))
  if ('refusal' in translated) throw new Error(translated.refusal)
  const reader = createResponseReader({ standard: 'chat-completions', kind: 'chat' })
  const response = new ResponseWriter(translated)
  const translatedChunks = chunks.map((chunk) => response.write(reader.feed(chunk), reader.facts(), false))
  return [...translatedChunks, response.write(reader.end(), reader.facts(), true)].map((bytes) => bytes.toString())
}

function translateChunks(chunks: readonly object[]): readonly Event[] {
  const frames = translate([encodeEvents(chunks)])
    .join('')
    .split('\n\n')
    .filter(Boolean)
  return frames.map((frame) => {
    const [, type, data] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? []
    const event = JSON.parse(data ?? 'null')
    expect(event.type).toBe(type)
    return event
  })
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-7',
  created: 5,
  model: 'aurora-1',
  choices: [{ delta, ...(finish_reason === null ? {} : { finish_reason }) }],
})
const usage = {
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 8 },
  },
}
const reportedUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 30 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
}
const call = (index: number, id: string, name: string, text = '') =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })
const argumentsChunk = (index: number, text: string) =>
  chunk({ tool_calls: [{ index, function: { arguments: text } }] })

const encodeEvents = (chunks: readonly object[], hasDoneMarker = true): Buffer => {
  const lines = [...chunks.map((chunkObject) => JSON.stringify(chunkObject)), ...(hasDoneMarker ? ['[DONE]'] : [])]
  return Buffer.from(lines.map((line) => `: alive\n\ndata: ${line}\n\n`).join(''))
}
const listEventTypes = (events: readonly Event[]) => events.map(({ type }) => type.replace('response.', ''))
const getLastResponse = (events: readonly Event[]) => events.at(-1)?.response

const allChunks = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Hm. ' }),
  chunk({ content: 'Xin chào, ' }),
  chunk({ content: 'đây “là” 🎉' }),
  call(0, 'c1', 'exec'),
  argumentsChunk(0, '{"cmd":"l'),
  call(1, 'c2', 'agents__close', '{}'),
  argumentsChunk(0, 's"}'),
  call(2, 'c3', 'apply_patch', '{"input":"*** Begin'),
  argumentsChunk(2, ' Patch\\n*** End Patch"}'),
  call(3, 'c4', 'local_shell', '{"command":["ls","-l"]}'),
  chunk({}, 'tool_calls'),
  usage,
]

describe('a streamed response', () => {
  test('of text is complete and has numbered events', () => {
    const events = translateChunks([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hi' }),
      chunk({}, 'stop'),
      usage,
    ])
    expect(listEventTypes(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const content = [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }]
    expect(getLastResponse(events)).toMatchObject({
      id: 'resp_7',
      object: 'response',
      created_at: 5,
      model: 'aurora-1',
      status: 'completed',
      usage: reportedUsage,
      output: [{ id: 'msg_7_0', type: 'message', status: 'completed', role: 'assistant', content }],
    })
  })

  test('has reasoning, text and calls as separate items, with parallel calls', () => {
    const output = Object(getLastResponse(translateChunks(allChunks))).output
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm. ' }] },
      { type: 'message', content: [{ text: 'Xin chào, đây “là” 🎉' }] },
      { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{"cmd":"ls"}', status: 'completed' },
      { type: 'function_call', call_id: 'c2', namespace: 'agents', name: 'close', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c3', name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' },
      { type: 'local_shell_call', call_id: 'c4', action: { type: 'exec', command: ['ls', '-l'], env: {} } },
    ])
    expect(Object(output[2])).not.toHaveProperty('namespace')
  })

  test('is translated incrementally, each word before the next one arrives', () => {
    const [firstText] = translate([encodeEvents([chunk({ content: 'first' })], false)])
    expect(firstText).toContain('"delta":"first"')
  })
})

test.each([
  [{ message: 'The allowance is used up.', code: 'quota_exhausted' }, 'quota_exhausted', 'The allowance is used up.'],
  ['broken', 'server_error', 'broken'],
])('a response with the error %j fails with the gateway’s message', (error, code, message) => {
  const events = translateChunks([chunk({ content: 'Hi' }), { error }, chunk({ content: 'more' })])
  expect(listEventTypes(events).at(-1)).toBe('failed')
  expect(getLastResponse(events)).toMatchObject({
    status: 'failed',
    error: { code, message },
    output: [{ status: 'incomplete' }],
  })
})
