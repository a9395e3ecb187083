import { describe, expect } from 'vitest'
import { test } from '../../../support'
import { fetchAnswer } from '../support'

const path = '/completions'
const body = (prompt: unknown, extraFields: object = {}) => ({ model: 'aurora-small', prompt, ...extraFields })

describe('a text completion', () => {
  test('has the standard’s format with real usage', async ({ harness }) => {
    expect(await fetchAnswer(harness, path, body('Say hello there'))).toEqual({
      id: expect.stringMatching(/^cmpl-[0-9a-f]{32}$/),
      object: 'text_completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'aurora-small',
      choices: [{ text: 'hello there', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  })

  test('of several prompts answers each, and counts all', async ({ harness }) => {
    const prompts = ['Say one', 'Say two', 'Count to 5']
    const { choices, usage } = await fetchAnswer(harness, path, body(prompts))
    const answersPerPrompt = await Promise.all(prompts.map((prompt) => fetchAnswer(harness, path, body(prompt))))
    expect(choices).toEqual(answersPerPrompt.map((answer, index) => ({ ...answer.choices[0], index })))
    const sum = (field: string) => answersPerPrompt.reduce((total, answer) => total + answer.usage[field], 0)
    expect(usage).toEqual({
      prompt_tokens: sum('prompt_tokens'),
      completion_tokens: sum('completion_tokens'),
      total_tokens: sum('total_tokens'),
    })
  })
})
