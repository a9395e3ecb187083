import { describe, expect, it } from 'vitest'
import { messages } from '../../../../../src/main/gateway/standards'

const answer = (extraFields: object) => ({ type: 'message', content: [{ type: 'text', text: 'ok' }], ...extraFields })

describe('a messages request', () => {
  it('is the smallest that makes a model answer', () => {
    expect(messages.smallestRequest('gw-large')).toEqual({
      model: 'gw-large',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    })
    expect(messages.headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'platform-companion',
      'anthropic-version': '2023-06-01',
    })
  })
})

describe('a messages answer', () => {
  it.each([
    ['one text', [{ type: 'text', text: 'ok' }], 'ok'],
    [
      'thinking before text',
      [
        { type: 'thinking', thinking: 'hm', text: 'hm' },
        { type: 'text', text: 'ok' },
      ],
      'ok',
    ],
    [
      'several texts',
      [
        { type: 'text', text: 'o' },
        { type: 'text', text: 'k' },
      ],
      'ok',
    ],
    ['nothing, as when all tokens went into thinking', [], ''],
    ['a text that is none', [{ type: 'text', text: 1 }], ''],
  ])('is read when its content is %s', (_name, content, text) => {
    expect(messages.readAnswer({ type: 'message', content })).toEqual({ text })
  })

  it.each([
    ['no content', { type: 'message' }],
    ['an error', { type: 'error', error: { type: 'x', message: 'no' } }],
    ['an answer of the other standard', { choices: [{ message: { content: 'ok' } }] }],
    ['content of another kind', { content: 'ok' }],
    ['null', null],
  ])('is none when it is %s', (_name, body) => {
    expect(messages.readAnswer(body)).toBeUndefined()
  })

  it.each([
    [
      'all counts',
      { input_tokens: 2, output_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 4 },
      { inputTokens: 2, outputTokens: 3, cacheReadTokens: 10, cacheWriteTokens: 4 },
    ],
    ['no cache', { input_tokens: 2, output_tokens: 3 }, { inputTokens: 2, outputTokens: 3 }],
    [
      'a null',
      { input_tokens: 2, output_tokens: 3, cache_read_input_tokens: null },
      { inputTokens: 2, outputTokens: 3 },
    ],
    ['zero', { input_tokens: 0 }, { inputTokens: 0 }],
  ])('returns its usage: %s', (_name, usage, expected) => {
    expect(messages.readAnswer(answer({ usage }))).toEqual({ text: 'ok', usage: expected })
  })

  it('has no usage without a report', () => {
    expect(messages.readAnswer(answer({}))).toEqual({ text: 'ok' })
    expect(messages.readAnswer(answer({ usage: null }))).toEqual({ text: 'ok' })
  })
})
