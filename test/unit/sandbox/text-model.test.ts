import { describe, expect, test } from 'vitest'
import { loadTokenizer, type ReplyRequest, reply } from '../../../src/sandbox/text-model'

const generateReply = (prompt: string, questionFields: Partial<ReplyRequest> = {}) =>
  reply({ modelCode: 'aurora-small', prompt, ...questionFields })

describe('the text model', () => {
  test.each([
    ['Say hello', 'hello'],
    ['Please say "Good day!" to me', 'Good day!'],
    ['Reply with exactly: PONG', 'PONG'],
    ['Reply with the word OK and nothing else.', 'OK'],
    ['"Reply with exactly: PONG"', 'PONG'],
    ['You are being tested. Respond with just the text `ready`, please', 'ready'],
    ['Chỉ trả lời: OK', 'OK'],
    ['Count to 5', '1, 2, 3, 4, 5'],
    ['count from 3 down to 1', '3, 2, 1'],
    ['List 3 fruits', '1. Item 1\n2. Item 2\n3. Item 3'],
    ['a table with 1 row', '| # | Name | Value |\n| --- | --- | --- |\n| 1 | Item 1 | 10 |'],
    ['Write a Python function', '```python\ndef add(a: int, b: int) -> int:\n    return a + b\n```'],
  ])('answers %j with the exact text', (prompt, text) => {
    expect(generateReply(prompt)).toEqual({ text })
  })

  test.each([
    ['Show me a code block', /^```ts\n[\s\S]+\n```$/],
    ['Tại sao biển mặn?', /^You asked: “Tại sao biển mặn\?”/],
    ['', /^The message has no text/],
  ])('answers %j in the expected form', (prompt, form) => {
    expect(generateReply(prompt).text).toMatch(form)
  })

  test.each([
    ['answer as JSON with name and age', { name: 'name 1', age: 1 }],
    ['Reply with JSON only: name, price', { name: 'name 1', price: 1 }],
    ['a list of 2 users as JSON with id', [{ id: 1 }, { id: 2 }]],
    ['JSON please', { id: 1, name: 'name 1', status: 'status 1' }],
  ])('answers %j with JSON only', (prompt, value) => {
    expect(JSON.parse(generateReply(prompt).text)).toEqual(value)
  })

  test('answers a structured request with JSON that matches the schema', () => {
    const properties = {
      city: { enum: ['Huế'] },
      rain: { type: 'boolean' },
      hours: { type: 'array', items: { type: 'integer' } },
    }
    const { text } = generateReply('What is the weather?', { schema: { type: 'object', properties } })
    expect(JSON.parse(text)).toEqual({ city: 'Huế', rain: true, hours: [1] })
  })

  const weatherTool = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }
  const completion = {
    name: 'attempt_completion',
    parameters: { type: 'object', properties: { result: { type: 'string' } } },
  }

  test('reports completion through the completion tool, so that an agent loop ends', () => {
    const { toolCall } = generateReply('Say hello', { tools: [weatherTool, completion] })
    expect(toolCall).toEqual({ name: 'attempt_completion', arguments: { result: 'hello' } })
  })

  test('reports completion as XML for a tool that describes its tools in the prompt', () => {
    expect(generateReply('Say hello', { wantsCompletionTag: true }).text).toBe(
      '<attempt_completion>\n<result>hello</result>\n</attempt_completion>',
    )
  })

  test('calls a tool only when the prompt names it, and answers with text after its result', () => {
    expect(generateReply('Use get_weather for Huế', { tools: [weatherTool] }).toolCall?.name).toBe('get_weather')
    expect(
      generateReply('Use get_weather for Huế', { tools: [weatherTool], isToolResult: true }).toolCall,
    ).toBeUndefined()
    expect(generateReply('Is it raining?', { tools: [weatherTool] }).toolCall).toBeUndefined()
  })

  test('never splits a character of the excerpt', () => {
    expect(generateReply('👩'.repeat(100)).text).toContain(`“${'👩'.repeat(79)}…”`)
  })
})

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
