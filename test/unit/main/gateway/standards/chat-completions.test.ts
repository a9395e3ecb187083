import { describe, expect, it } from 'vitest'
import { chatCompletions } from '../../../../../src/main/gateway/standards'

const answer = (extraFields: object) => ({
  choices: [{ message: { role: 'assistant', content: 'ok' } }],
  ...extraFields,
})

describe('a chat-completions request', () => {
  it('is the smallest that makes a model answer', () => {
    expect(chatCompletions.smallestRequest('gw-large')).toEqual({
      model: 'gw-large',
      messages: [{ role: 'user', content: 'Reply with the word ok.' }],
      max_tokens: 16,
    })
    expect(chatCompletions.headers).toEqual({ 'content-type': 'application/json', 'user-agent': 'platform-companion' })
  })
})

describe('a chat-completions answer', () => {
  it.each([
    ['text', { choices: [{ message: { content: 'ok' } }] }, 'ok'],
    [
      'parts',
      { choices: [{ message: { content: [{ type: 'text', text: 'o' }, { type: 'x' }, { text: 'k' }] } }] },
      'ok',
    ],
    ['null, as when all tokens went into thinking', { choices: [{ message: { content: null } }] }, ''],
    ['nothing', { choices: [{ message: {} }] }, ''],
    ['several choices', { choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] }, 'a'],
    ['text of a completion', { choices: [{ text: 'ok' }] }, 'ok'],
    ['unknown fields', { id: 1, choices: [{ index: 0, message: { content: 'ok', refusal: null }, x: [] }] }, 'ok'],
  ])('is read when its content is %s', (_name, body, text) => {
    expect(chatCompletions.readAnswer(body)).toEqual({ text })
  })

  it.each([
    ['no choices', {}],
    ['empty choices', { choices: [] }],
    ['an error', { error: { message: 'no' } }],
    ['an answer of the other standard', { type: 'message', content: [{ type: 'text', text: 'ok' }] }],
    ['text', 'ok'],
    ['null', null],
    ['nothing', undefined],
  ])('is none when it is %s', (_name, body) => {
    expect(chatCompletions.readAnswer(body)).toBeUndefined()
  })

  it.each([
    ['all counts', { prompt_tokens: 12, completion_tokens: 3 }, { inputTokens: 12, outputTokens: 3 }],
    [
      'cached tokens, which count as cache and not again as input',
      { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 10 } },
      { inputTokens: 2, outputTokens: 3, cacheReadTokens: 10 },
    ],
    [
      'no cached tokens, said so',
      { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 0 } },
      { inputTokens: 12, outputTokens: 3, cacheReadTokens: 0 },
    ],
    [
      'more cached than prompt tokens',
      { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } },
      { inputTokens: 5, cacheReadTokens: 10 },
    ],
    ['one count', { completion_tokens: 3 }, { outputTokens: 3 }],
    ['zero', { prompt_tokens: 0, completion_tokens: 0 }, { inputTokens: 0, outputTokens: 0 }],
    [
      'a null, a fraction and text',
      { prompt_tokens: 12, completion_tokens: 1.5, prompt_tokens_details: { cached_tokens: 'x' } },
      { inputTokens: 12, outputTokens: 2 },
    ],
    ['a total alone', { total_tokens: 9 }, { inputTokens: 9 }],
    ['a negative count', { prompt_tokens: -1, completion_tokens: 3 }, { outputTokens: 3 }],
  ])('returns its usage: %s', (_name, usage, expected) => {
    expect(chatCompletions.readAnswer(answer({ usage }))).toEqual({ text: 'ok', usage: expected })
  })

  it.each([[undefined], [null], [{}], ['many']])('has no usage for %j', (usage) => {
    expect(chatCompletions.readAnswer(answer({ usage }))).toEqual({ text: 'ok' })
  })
})
