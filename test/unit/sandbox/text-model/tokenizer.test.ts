import { expect, test } from 'vitest'
import { loadTokenizer } from '../../../../src/sandbox/text-model/tokenizer'

test.each([
  ['', 0],
  ['hello world', 2],
  ['お誕生日おめでとう', 8],
  ['<|endoftext|>', 7],
])('counts %j as the o200k encoding does: %i', async (text, tokens) => {
  expect((await loadTokenizer()).count(text)).toBe(tokens)
})

test('counts a word of 200,000 letters', async () => {
  const { count } = await loadTokenizer()
  const word = Array.from({ length: 200_000 }, (_, index) =>
    String.fromCharCode(97 + ((index * index + index * 7) % 26)),
  ).join('')
  expect(count(word)).toBeGreaterThan(20_000)
})

test('cuts at every number of tokens without leaving half a character', async () => {
  const { limit, count } = await loadTokenizer()
  const text = 'Xin chào 👩‍👩‍👧 thế giới'
  for (let maxTokens = 1; maxTokens < count(text); maxTokens += 1) {
    const limitedText = limit(text, maxTokens)
    expect([limitedText.tokens, limitedText.isCut]).toEqual([count(limitedText.text), true])
    expect(limitedText.tokens).toBeLessThanOrEqual(maxTokens)
    expect(text.startsWith(limitedText.text)).toBe(true)
    expect(limitedText.text).not.toMatch(/\p{Surrogate}/u)
  }
  expect(limit('one two three four', 2)).toEqual({ text: 'one two', tokens: 2, isCut: true })
  expect(limit(text, count(text))).toEqual({ text, tokens: count(text), isCut: false })
  expect(limit(text, undefined).isCut).toBe(false)
})
