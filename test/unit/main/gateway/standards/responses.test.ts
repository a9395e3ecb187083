import { expect, test } from 'vitest'
import { createResponseReader } from '../../../../../src/main/gateway/response-reader'
import { parseExternalJson } from '../../../../../src/main/gateway/server-message'
import { responses } from '../../../../../src/main/gateway/standards'
import { translateRequest } from '../../../../../src/main/relay/responses/request'
import { ResponseWriter } from '../../../../../src/main/relay/responses/response-writer'

const text = (value: string) => ({ type: 'output_text', text: value })

test('the smallest request matches a real one, and its answer is read', () => {
  const translatedRequest = translateRequest(Buffer.from(JSON.stringify(responses.smallestRequest('gw-large'))))
  if ('refusal' in translatedRequest) throw new Error(translatedRequest.refusal)
  expect(parseExternalJson(translatedRequest.body.toString())).toMatchObject({
    model: 'gw-large',
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
  })
  const reader = createResponseReader({ standard: 'chat-completions', kind: 'chat' })
  const usage = { prompt_tokens: 12, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } }
  const chat = { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }], usage }
  reader.feed(Buffer.from(JSON.stringify(chat)))
  const body = new ResponseWriter(translatedRequest).write(reader.end(), reader.facts(), true)
  expect(responses.readAnswer(parseExternalJson(body.toString()))).toEqual({
    text: 'ok',
    usage: { inputTokens: 8, outputTokens: 1, cacheReadTokens: 4 },
  })
})

test.each([
  ['many parts', { status: 'completed', output: [{ content: [text('a'), text('b')] }, {}] }, { text: 'ab' }],
  ['nothing but thoughts', { status: 'incomplete', output: [{ type: 'reasoning' }] }, { text: '' }],
  ['a failure', { status: 'failed', output: [], error: { code: 'x' } }, undefined],
  ['another standard', { choices: [] }, undefined],
])('an answer of %s is read', (_name, body, answer) => {
  expect(responses.readAnswer(body)).toEqual(answer)
})
