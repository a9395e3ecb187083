import { describe, expect } from 'vitest'
import { buildChatBody, chatPath, type Harness, messagesPath, sendRawPost, test } from '../support'

/** Every kind of gateway response: name, path, whether it is streamed, and operation id. */
const endpointCases = [
  ['chat-completions', chatPath, false, 'gateway.chatCompletions'],
  ['chat-completions, streamed', chatPath, true, 'gateway.chatCompletions'],
  ['messages', messagesPath, false, 'gateway.messages'],
  ['messages, streamed', messagesPath, true, 'gateway.messages'],
  ['counting tokens', `${messagesPath}/count_tokens`, false, 'gateway.countTokens'],
] as const

const injectFaults = (harness: Harness, fault: object) => harness.control('faults', { faults: [fault] })

const send = (harness: Harness, path: string, isStream: boolean) =>
  sendRawPost(harness, path, buildChatBody('Say one two three four', { stream: isStream }))

describe.each(endpointCases)('a fault in %s', (_, path, isStream, operation) => {
  test.for([400, 401, 402, 403, 404, 429, 500, 503, 529])(
    'answers %i in the standard’s format',
    async (status, { harness }) => {
      await injectFaults(harness, { operations: operation, status, retryAfterS: 7 })
      const response = await send(harness, path, isStream)
      expect([response.status, response.headers['retry-after'], response.headers['content-type']]).toEqual([
        status,
        '7',
        'application/json; charset=utf-8',
      ])
      const { error, type } = JSON.parse(response.text)
      expect([error.code, type === 'error']).toEqual(['injected_fault', path !== chatPath])
    },
  )

  test.for([0, 1, 5])('cuts the body after exactly %i bytes', async (cutAfterBytes, { harness }) => {
    await injectFaults(harness, { operations: operation, cutAfterBytes })
    const response = await send(harness, path, isStream)
    expect([response.status, response.text.length, response.isComplete]).toEqual([200, cutAfterBytes, false])
    expect((await harness.requests())[0]?.error).toBe('cut_by_fault')
  })
})
