import { expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { createHarness } from './desk'

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const lastChunk = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\ndata: [DONE]\n\n`

it('prints the answer to a prompt of arguments or standard input, without control characters', async () => {
  const harness = await createHarness({
    'POST /v1/chat/completions': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' })
        .end(chunk('Hello ') + chunk('you.\u001b[31m\u202e') + lastChunk),
  })
  onTestFinished(() => harness.close())
  const secret = new Secret('sk-subscription-of-a-test-000000000000')
  await harness.core.plans.add({ name: 'team', gatewayUrl: harness.server.url, models: ['m-1', 'm-2'] }, secret)
  const outcome = { out: 'Hello you.[31m\n', code: 0 }
  expect(await harness.run(['chat', '--system', 'Be short'], 'Say hello')).toMatchObject(outcome)
  expect(await harness.run(['chat', '--system', 'Be short', 'Say', 'hello'])).toMatchObject(outcome)
  const system = { role: 'system', content: 'Be short' }
  const messages = [system, { role: 'user', content: 'Say hello' }]
  for (const { body } of harness.server.received)
    expect(JSON.parse(body)).toEqual({ model: 'm-1', messages, stream: true, stream_options: { include_usage: true } })
})
