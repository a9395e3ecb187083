import { describe, expect } from 'vitest'
import {
  buildChatBody,
  chatPath,
  type Harness,
  type Json,
  parseEvents,
  type RawAnswer,
  rawRequest,
  readPoolUsage,
  startHarness,
  test,
} from '../support'

async function send(harness: Harness, path: string, body: object, credential?: string): Promise<RawAnswer> {
  const authorization = `Bearer ${credential ?? (await harness.token())}`
  const url = `${harness.platformUrl}/inference/v1${path}`
  return rawRequest(url, { method: 'POST', headers: { authorization }, body: JSON.stringify(body) })
}

/** The parsed response of a successful call. */
async function fetchAnswer(harness: Harness, path: string, body: object): Promise<Json> {
  const { status, text } = await send(harness, path, body)
  if (status !== 200) throw new Error(`refused: ${status} ${text}`)
  return JSON.parse(text)
}

/** The error of a refused call, with its status. */
async function catchRefusal(harness: Harness, path: string, body: object, credential?: string): Promise<Json> {
  const { status, text } = await send(harness, path, body, credential)
  return { status, ...JSON.parse(text) }
}

const chat = '/chat/completions'

describe('a chat completion', () => {
  test('equals the gateway’s answer, without a plan', async ({ harness }) => {
    const withoutIds = (body: object) => ({ ...body, id: '', created: 0 })
    for (const prompt of ['Say hello', 'Count to 20', 'a table of cities', 'Xin chào']) {
      const gatewayAnswer = await (await harness.post(chatPath, buildChatBody(prompt))).json()
      const usedBefore = (await readPoolUsage(harness)).requestsUsed
      const answer = await fetchAnswer(harness, chat, buildChatBody(prompt))
      expect(withoutIds(answer)).toEqual(withoutIds(gatewayAnswer))
      expect(answer.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/)
      expect((await readPoolUsage(harness)).requestsUsed).toBe(usedBefore)
    }
  })

  test('that a fault cuts is recorded with the sent part', async ({ harness }) => {
    const token = await harness.token()
    await harness.control('faults', { faults: [{ operations: 'inference.*', cutAfterBytes: 2_000 }] })
    const { text } = await send(harness, chat, buildChatBody('Count to 300', { stream: true }), token)
    const completeEventText = text.slice(0, text.lastIndexOf('\n\n') + 2)
    expect(parseEvents(completeEventText).length).toBeGreaterThan(3)
    const record = (await harness.requests('area=platform')).at(-1)
    expect(record).toMatchObject({ status: 200, error: 'cut_by_fault' })
    expect(record?.outputTokens).toBeGreaterThan(0)
    expect(record?.outputTokens).toBeLessThan(30)
  })
})

describe('a model', () => {
  test.each([
    [chat, buildChatBody('hi')],
    ['/completions', { prompt: 'hi' }],
    ['/embeddings', { input: 'hi' }],
  ])('that is unknown is 404 at %s, with the known ones', async (path, body) => {
    const harness = await startHarness()
    expect(await catchRefusal(harness, path, { ...body, model: 'gpt-nothing' })).toEqual({
      status: 404,
      error: {
        message: expect.stringMatching(/no model "gpt-nothing".*(aurora-small|comet-embed)/),
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    })
  })

  test.each([
    [chat, 'comet-embed', buildChatBody('hi'), 'serves embedding, not chat'],
    ['/completions', 'aurora-large', { prompt: 'hi' }, 'serves chat, tools, not completion'],
    ['/embeddings', 'aurora-small', { input: 'hi' }, 'not embedding. Use one of: comet-embed.'],
  ])('that cannot do %s is 400: %s', async (path, model, body, messagePart) => {
    const harness = await startHarness()
    const error = { code: 'model_not_capable', message: expect.stringContaining(messagePart) }
    expect(await catchRefusal(harness, path, { ...body, model })).toMatchObject({ status: 400, error })
  })

  test('is checked before other errors, and a body without one is 400', async ({ harness }) => {
    expect((await catchRefusal(harness, chat, { model: 'nothing', messages: 7 })).status).toBe(404)
    const refused = { status: 400, error: { message: expect.stringMatching(/^model: /) } }
    for (const model of ['', 7, null, undefined])
      expect(await catchRefusal(harness, chat, { model, messages: [] })).toMatchObject(refused)
  })
})

test.each([
  ['nonsense', /expired or invalid/],
  ['pk-sandbox-0000000000000000000000000000000000000000', /expired or invalid/],
  ['sk-123', /expired or invalid/],
  ['a subscription key', /subscription key.*platform API key/],
])('inference is refused with %s instead of a token or platform API key', async (credential, message) => {
  const harness = await startHarness()
  const key = credential.includes(' ') ? harness.readKey('sandbox-pro', 'default-key') : credential
  const { status, error } = await catchRefusal(harness, chat, buildChatBody('hi'), key)
  expect([status, error]).toEqual([
    401,
    { message: expect.stringMatching(message), type: 'authentication_error', param: null, code: 'unauthorized' },
  ])
  expect(error.message).not.toContain(key)
})

describe('a text completion', () => {
  const path = '/completions'
  const body = (prompt: unknown, extraFields: object = {}) => ({ model: 'aurora-small', prompt, ...extraFields })

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
    expect(Object.keys(usage)).toEqual(['prompt_tokens', 'completion_tokens', 'total_tokens'])
    for (const [field, count] of Object.entries(usage))
      expect(count).toBe(answersPerPrompt.reduce((total, answer) => total + answer.usage[field], 0))
  })
})

describe('embeddings', () => {
  const path = '/embeddings'
  const body = (input: unknown, extraFields: object = {}) => ({ model: 'comet-embed', input, ...extraFields })
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

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
    const error = { code: 'context_length_exceeded', message: expect.stringContaining('8192 tokens') }
    const longInput = body(['short', 'one '.repeat(9_000)])
    expect(await catchRefusal(harness, path, longInput)).toMatchObject({ status: 400, error })
  })
})
