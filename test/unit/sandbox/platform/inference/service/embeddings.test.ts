import { describe, expect } from 'vitest'
import { test } from '../../../support'
import { catchRefusal, fetchAnswer } from '../support'

const path = '/embeddings'
const body = (input: unknown, extraFields: object = {}) => ({ model: 'comet-embed', input, ...extraFields })
const product = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

describe('embeddings', () => {
  test('have the standard’s format: one unit vector per text, in order, with real usage', async ({ harness }) => {
    const answer = await fetchAnswer(harness, path, body(['I eat noodles', 'Xin chào']))
    expect(answer).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: expect.any(Array) },
        { object: 'embedding', index: 1, embedding: expect.any(Array) },
      ],
      model: 'comet-embed',
      usage: { prompt_tokens: 6, total_tokens: 6 },
    })
    for (const { embedding } of answer.data) {
      expect(embedding.length).toBe(256)
      expect(product(embedding, embedding)).toBeCloseTo(1, 5)
    }
  })

  test('in base64 contain the same numbers for client libraries', async ({ harness }) => {
    const float = await fetchAnswer(harness, path, body('pack me', { encoding_format: 'float' }))
    const base64Response = await fetchAnswer(harness, path, body('pack me', { encoding_format: 'base64' }))
    const bytes = Buffer.from(base64Response.data[0].embedding, 'base64')
    const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
    expect(numbers).toEqual(float.data[0].embedding)
    expect(base64Response.usage).toEqual(float.usage)
  })

  test('of a text longer than the context are refused', async ({ harness }) => {
    const { status, error } = await catchRefusal(harness, path, body(['short', 'one '.repeat(9_000)]))
    expect([status, error.code, error.message]).toEqual([
      400,
      'context_length_exceeded',
      expect.stringContaining('8192 tokens'),
    ])
  })
})
