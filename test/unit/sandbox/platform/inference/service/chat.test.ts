import { describe, expect } from 'vitest'
import { buildChatBody, chatPath, parseEvents, readPoolUsage, startHarness, test } from '../../../support'
import { catchRefusal, fetchAnswer, send } from '../support'

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
    const { status, error } = await catchRefusal(harness, path, { ...body, model })
    expect([status, error.code, error.message]).toEqual([
      400,
      'model_not_capable',
      expect.stringContaining(messagePart),
    ])
  })

  test('is checked before other errors, and a body without one is 400', async ({ harness }) => {
    expect((await catchRefusal(harness, chat, { model: 'nothing', messages: 7 })).status).toBe(404)
    for (const model of ['', 7, null, undefined]) {
      const { status, error } = await catchRefusal(harness, chat, { model, messages: [] })
      expect([status, error.message]).toEqual([400, expect.stringMatching(/^model: /)])
    }
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
