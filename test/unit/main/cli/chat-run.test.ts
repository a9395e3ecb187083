import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { Secret } from '../../../../src/main/core/secret'
import { type CliHarness, createHarness, json } from './desk'

const key = 'sk-subscription-of-a-test-000000000000'
const path = 'POST /v1/chat/completions'
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const lastChunk = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\ndata: [DONE]\n\n`

let harness: CliHarness
let answer: (response: ServerResponse) => void

const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' })

beforeEach(async () => {
  answer = (response) => void stream(response).end(chunk('Hello ') + chunk('you.\u001b[31m\u202e') + lastChunk)
  harness = await createHarness({
    [path]: (_, response) => answer(response),
    'POST /v1/messages': json({ content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' }),
  })
  await harness.core.plans.add(
    { name: 'team', gatewayUrl: harness.server.url, models: ['m-1', 'm-2'] },
    new Secret(key),
  )
})
afterEach(() => harness.close())

const readLastRequestBody = (): unknown => JSON.parse(harness.server.received.at(-1)?.body ?? '{}')

it('prints the answer to standard input, without control characters', async () => {
  expect(await harness.run(['chat', '--system', 'Be short'], 'Say hello')).toMatchObject({
    out: 'Hello you.[31m\n',
    code: 0,
  })
  const messages = [
    { role: 'system', content: 'Be short' },
    { role: 'user', content: 'Say hello' },
  ]
  expect(readLastRequestBody()).toEqual({
    model: 'm-1',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
})

it('accepts the prompt as arguments, the model and the standard, and prints one line of JSON', async () => {
  const args = ['chat', '--plan', 'team', '--model', 'm-2', '--standard', 'messages', '--json', 'Say', 'hello']
  const { out, code } = await harness.run(args)
  expect(readLastRequestBody()).toMatchObject({ model: 'm-2', messages: [{ role: 'user', content: 'Say hello' }] })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ text: 'Hi.', plan: 'team', modelCode: 'm-2', state: 'done', status: 200 })
  expect(out).not.toContain(key)
})

it.each([
  [401, {}, 'gateway.keyRejected'],
  [429, { error: { code: 'quota_exhausted', message: 'quota' } }, 'gateway.quotaExhausted'],
  [500, {}, 'gateway.serverError'],
] as const)('explains a gateway response %i', async (status, body, code) => {
  answer = (response) => void response.writeHead(status).end(JSON.stringify(body))
  const run = await harness.run('chat hi')
  expect(run).toMatchObject({ out: '', code: 1, failure: { code } })
  expect(run.err).toBe(status === 429 ? 'Other models of the plan: m-2.\n' : '')
})

it.each([
  [['chat'], '', 'The prompt is empty'],
  [['chat', '--plan', 'other', 'hi'], '', 'Plan other not found'],
  [['chat', '--key', 'other', 'hi'], '', 'has no key other'],
] as const)('sends nothing for %j', async (args, input, message) => {
  const { failure } = await harness.run(args, input)
  expect(z.object({ message: z.string() }).parse(failure).message).toContain(message)
  expect(harness.server.received).toEqual([])
})
