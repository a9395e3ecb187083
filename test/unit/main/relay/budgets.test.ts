import type { RequestListener } from 'node:http'
import { expect, test, vi } from 'vitest'
import { readBudget as readFromLedger } from '../../../../src/main/relay/budgets/budgets'
import type { RelayOptions } from '../../../../src/main/relay/ports'
import { getRounds } from '../../../support/depth'
import { createTestLedger } from '../usage/test-ledger'
import {
  answerChat,
  buildBudget as budget,
  buildTable,
  chatPath,
  chatRequestBody,
  chatResponseBody,
  messagesPath,
  openRequest,
  readBody,
  respondWithJson,
  startGateway,
  startHarness,
  startRelayTo,
  upstream,
} from './support'

test('of many concurrent requests exactly as many are sent as the budget allows', async () => {
  const [requests, limit] = [getRounds(200, 1000), getRounds(37, 377)]
  let sentCount = 0
  const answer: RequestListener = async (request, response) => {
    sentCount += 1
    await readBody(request)
    setTimeout(() => respondWithJson(response, chatResponseBody), 20)
  }
  const { sendChat, entries } = await startRelayTo(answer, {}, { budgets: [budget({ limit })] })
  const responses = await Promise.all(Array.from({ length: requests }, () => sendChat()))
  expect(sentCount).toBe(limit)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(limit)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(requests - limit)
  expect(entries.filter(({ error }) => error === undefined)).toHaveLength(limit)
  expect(entries.filter(({ error }) => error === 'budget')).toHaveLength(requests - limit)
})

test.each([
  [
    'chat-completions',
    chatPath,
    chatRequestBody,
    { error: { type: 'insufficient_quota', code: 'budget_exceeded', param: null } },
  ],
  ['Responses', '/t/x/v1/responses', '{"model":"aurora","input":"Hi"}', { error: { type: 'usage_limit_reached' } }],
  ['Messages', messagesPath, chatRequestBody, { type: 'error', error: { type: 'rate_limit_error' } }],
])('a refusal in %s names the budget, the limit and the reset time', async (_, path, body, expected) => {
  const { send, sendChat, entries } = await startRelayTo(answerChat, {}, { budgets: [budget({ name: 'Night shift' })] })
  expect((await sendChat()).status).toBe(200)
  const refusedResponse = await send(path, body)
  expect(refusedResponse.status).toBe(429)
  expect(refusedResponse.headers['x-should-retry']).toBe('false')
  const errorBody = JSON.parse(refusedResponse.body)
  expect(errorBody).toMatchObject(expected)
  const isCodex = path.endsWith('/responses')
  expect(refusedResponse.headers['x-codex-promo-message']).toEqual(
    isCodex ? expect.stringMatching(/^The budget "Night shift" .+ under Usage, Budgets$/) : undefined,
  )
  expect(errorBody.error.message).toMatch(
    /^The budget "Night shift" \(1 request per day\) is used up until .+, 00:00\./,
  )
  expect(entries.at(-1)).toMatchObject({ error: 'budget', status: 429, toolId: 'x', modelCode: 'aurora' })
  expect(entries.at(-1)?.planId).toBeUndefined()
})

test('model lists and other free requests pass a used-up budget', async () => {
  const { send, sendChat } = await startRelayTo(answerChat, {}, { budgets: [budget()] })
  await sendChat()
  expect((await sendChat()).status).toBe(429)
  expect((await send('/t/x/v1/models')).status).toBe(200)
  expect((await send('/t/x/v1/messages/count_tokens', chatRequestBody)).status).toBe(200)
})

test('a request that the gateway refused is not counted, and a retry without usage is counted once', async () => {
  let answers = 0
  const answer: RequestListener = async (request, response) => {
    const body = await readBody(request)
    answers += 1
    if (answers === 1) respondWithJson(response, { error: { message: 'broken' } }, 500)
    else if (body.includes('stream_options'))
      respondWithJson(response, { error: { message: 'no stream_options' } }, 400)
    else respondWithJson(response, chatResponseBody)
  }
  const { send, sendChat } = await startRelayTo(answer, {}, { budgets: [budget()] })
  expect((await sendChat()).status).toBe(500)
  expect((await send(chatPath, '{"model":"aurora","stream":true}')).status).toBe(200)
  expect((await sendChat()).status).toBe(429)
  expect(answers).toBe(3)
})

test('the next key takes over only while its budget allows it', async () => {
  const requestPaths: string[] = []
  const gateway = await startGateway((request, response) => {
    requestPaths.push(request.url ?? '')
    if (request.url?.startsWith('/first'))
      respondWithJson(response, { error: { message: 'no', code: 'quota_exhausted' } }, 429)
    else respondWithJson(response, chatResponseBody)
  })
  const upstreams = [upstream(`${gateway.url}/first`), upstream(`${gateway.url}/next`, { keyId: 'key-2' })]
  const budgets = [budget({ of: { keyIds: ['key-2'] } })]
  const { sendChat } = await startHarness({ ...buildTable(upstreams), budgets })
  expect((await sendChat()).status).toBe(200)
  const refusedResponse = await sendChat()
  expect([refusedResponse.status, refusedResponse.body.includes('quota_exhausted')]).toEqual([429, true])
  expect(requestPaths.filter((url) => url.startsWith('/next'))).toHaveLength(1)
  // The budget does not count requests that the first key's gateway refused.
  expect((await sendChat()).body).toContain('quota_exhausted')
})

test('nothing is sent or counted for a tool that disconnects while counts are read', async () => {
  let sentCount = 0
  const answer: RequestListener = (_, response) => {
    sentCount += 1
    respondWithJson(response, chatResponseBody)
  }
  let resolveRead = (_: number): void => undefined
  const readBudget = () => new Promise<number>((resolve) => (resolveRead = resolve))
  const { sendChat, url, relay } = await startRelayTo(answer, { readBudget }, { budgets: [budget()] })
  const pendingRequest = openRequest(url + chatPath).end(chatRequestBody)
  await vi.waitFor(() => expect(relay.open().get('x')).toBe(1))
  pendingRequest.destroy()
  await vi.waitFor(() => expect(relay.open().get('x')).toBe(0))
  resolveRead(0)
  expect((await sendChat()).status).toBe(200)
  expect(sentCount).toBe(1)
})

test('a restarted relay continues from the ledger, also with concurrent requests and counts of others', async () => {
  const gateway = await startGateway(answerChat)
  const ledger = createTestLedger()
  const readBudget: NonNullable<RelayOptions['readBudget']> = (requestedBudget, span) =>
    readFromLedger(ledger, requestedBudget, span)
  const budgets = [budget({ limit: 30 }), budget({ id: 't', unit: 'tokens', limit: 1_000_000 })]
  const table = { ...buildTable([upstream(gateway.url)]), budgets }
  const statuses: number[] = []
  for (let roundIndex = 0; roundIndex < 4; roundIndex += 1) {
    const { sendChat, entries, relay } = await startHarness(table, { readBudget })
    const responses = await Promise.all(Array.from({ length: 11 }, () => sendChat()))
    statuses.push(...responses.map(({ status }) => status))
    await relay.close(0)
    ledger.add(entries)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(14)
})
