import { describe, expect, test } from 'vitest'
import { startHarness } from '../../../support'
import { fetchAnswer, readStream } from '../support'

const path = '/completions'
const body = (prompt: unknown, extraFields: object = {}) => ({ model: 'aurora-small', prompt, ...extraFields })

describe('a text completion', () => {
  test('has the standard’s format with real usage', async () => {
    const harness = await startHarness()
    expect(await fetchAnswer(harness, path, body('Say hello there'))).toEqual({
      id: expect.stringMatching(/^cmpl-[0-9a-f]{32}$/),
      object: 'text_completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'aurora-small',
      choices: [{ text: 'hello there', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  })

  test('of several prompts answers each, and counts all', async () => {
    const harness = await startHarness()
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

  test('streams the same text with the same usage', async () => {
    const harness = await startHarness()
    const requestBody = body(['Count to 12', 'Say hello there'])
    const fullAnswer = await fetchAnswer(harness, path, requestBody)
    const events = await readStream(harness, path, { ...requestBody, stream_options: { include_usage: true } })
    const chunks = events.slice(0, -2)
    const readText = (index: number) =>
      chunks
        .map(({ choices }) => choices[0])
        .filter((choice) => choice.index === index)
        .map(({ text }) => text)
        .join('')
    expect([readText(0), readText(1)]).toEqual(fullAnswer.choices.map(({ text }: { text: string }) => text))
    expect(chunks.filter(({ choices }) => choices[0].finish_reason === 'stop').length).toBe(2)
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1)
    expect([events.at(-2).usage, events.at(-2).choices, events.at(-1)]).toEqual([fullAnswer.usage, [], '[DONE]'])
    expect((await readStream(harness, path, requestBody)).some((event) => 'usage' in Object(event))).toBe(false)
  })
})
