import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { countTextTokens } from '../../../../src/main/gateway/tokens/count-worker'
import type { LedgerEntry } from '../../../../src/main/usage/ports'
import { buildChatBody as askFor, type Harness as Sandbox, startHarness as startSandbox } from '../../sandbox/support'
import { buildTable, chatPath, collectText, messagesPath, openRequest, startHarness, upstream } from './support'

const planId = 'plan-sandbox-pro'

async function startRelay({ paceMs = 0 } = {}) {
  const sandbox = await startSandbox({ timing: { paceMs } })
  const way = (keyName: string) =>
    upstream(sandbox.gatewayUrl, { planId, keyId: keyName, key: new Secret(sandbox.readKey('sandbox-pro', keyName)) })
  const countTokens = async (texts: readonly string[]) => texts.map(countTextTokens)
  return { sandbox, way, ...(await startHarness(buildTable([way('default-key')]), { countTokens })) }
}

/** The console's totals of the plan for the last day. */
async function readTotals(sandbox: Sandbox) {
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const path = `/console/token-plans/${planId}/usage?interval=hour&from=${from}&to=${to}`
  const { inputTokens, outputTokens, cacheTokens, requests, errors } = (await sandbox.api('GET', path)).body.totals
  return { inputTokens, outputTokens, cacheTokens, requests, errors }
}

/**
 * Sums ledger entries like the console does. A successful response counts as a request even if the client aborted it
 * later.
 */
function sumEntries(entries: readonly LedgerEntry[]) {
  const sum = (count: (entry: LedgerEntry) => number | undefined) =>
    entries.reduce((total, entry) => total + (count(entry) ?? 0), 0)
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cacheTokens: sum(({ cacheReadTokens, cacheWriteTokens }) => (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)),
    requests: sum(({ status }) => (status === 200 ? 1 : 0)),
    errors: sum(({ status }) => (status === 200 ? 0 : 1)),
  }
}

const pollOptions = { interval: 5 }
const longText = 'The quick brown fox jumps over the lazy dog. '.repeat(200)
const buildTurnRequest = (turnNumber: number) => ({
  messages: [
    { role: 'user', content: longText },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: `Count to ${turnNumber}` },
  ],
})

test('the ledger matches the sandbox’s token counts: streamed or not, cached or not, with usage or not', async () => {
  const { sandbox, send, entries } = await startRelay()
  const usage = { stream_options: { include_usage: true } }
  const requestBodies = [{}, { stream: true }, { stream: true, ...usage }]
  const bodies = Array.from({ length: 60 }, (_, index) => {
    const body = askFor(`Say ${index} words`, {
      ...requestBodies[index % 3],
      ...(index % 4 === 0 ? buildTurnRequest(index) : {}),
    })
    return [index % 2 === 0 ? chatPath : messagesPath, JSON.stringify(body)] as const
  })
  const responses = await Promise.all(bodies.map(([path, body]) => send(path, body)))
  expect(responses.filter(({ status }) => status !== 200)).toEqual([])
  const totals = await readTotals(sandbox)
  expect(sumEntries(entries)).toEqual(totals)
  expect([totals.requests, totals.cacheTokens > 0]).toEqual([60, true])
  expect(entries.every(({ modelCode, answerId }) => modelCode === 'aurora-small' && answerId !== undefined)).toBe(true)
})

test('failed requests match the sandbox’s counts and causes', async () => {
  const { sandbox, send, entries, relay, way } = await startRelay()
  const chat = (overrides: object = {}) => JSON.stringify(askFor('hi', overrides))
  await send(chatPath, '{')
  await send(messagesPath, '{"model":"aurora-small"}')
  await send(chatPath, chat({ model: 'gpt-9' }))
  await send(messagesPath, chat({ model: 'nova-vision', stream: true }))
  await send('/t/x/v1/messages/count_tokens', chat())
  await send('/t/x/v1/messages/count_tokens', '{')
  await send('/t/x/v1/models')
  await send('/t/x/api/hello')
  await sandbox.control('faults', { faults: [{ operations: 'gateway.*', status: 503, times: 1 }] })
  await send(chatPath, chat())
  await sandbox.control('faults', { faults: [{ operations: 'gateway.*', isDropped: true, times: 1 }] })
  await send(chatPath, chat())
  relay.setTable(buildTable([way('old-laptop')]))
  await send(chatPath, chat())
  const errors = ['badRequest', 'badRequest', 'model', 'quota', 'badRequest', 'server', 'network', 'key']
  expect(entries.map(({ error }) => error)).toEqual(errors)
  expect(sumEntries(entries)).toEqual(await readTotals(sandbox))
})

/** Pauses the sandbox between two texts until the returned function is called. */
function mockTimeouts(): () => void {
  const pendingTimers = new Set<() => void>()
  const mockTimeout = (_ms?: number, _value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<void>((resolve, reject) => {
      pendingTimers.add(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  const timeoutSpy = vi.spyOn(timers, 'setTimeout').mockImplementation(mockTimeout as typeof timers.setTimeout)
  syncBuiltinESMExports()
  onTestFinished(() => {
    timeoutSpy.mockRestore()
    syncBuiltinESMExports()
  })
  return () => {
    for (const resume of pendingTimers) resume()
    pendingTimers.clear()
  }
}

/** A client that reads until it disconnects. */
async function startClient(address: string, body: object) {
  const request = openRequest(address).end(JSON.stringify(body))
  const [response] = await once(request, 'response')
  const received = collectText(response.on('error', () => undefined))
  const countTexts = () => received.text.match(/"(?:content|text)":"[^"]/g)?.length ?? 0
  return { countTexts, leave: () => request.destroy() }
}

test('aborted requests match the sandbox’s token counts', async () => {
  const { sandbox, url, entries } = await startRelay({ paceMs: 1 })
  const resume = mockTimeouts()
  const pendingRequests = Array.from({ length: 12 }, (_, index) => {
    const { messages } = buildTurnRequest(8 + index)
    const body = { ...askFor('', { stream: true }), messages: [...messages.slice(1), ...messages.slice(1)] }
    return startClient(url + (index % 2 ? chatPath : messagesPath), body)
  })
  const clients = await Promise.all(pendingRequests)
  // Clients disconnect after the first, second or later text, while no data is in transit.
  for (let texts = 1; clients.length > 0; texts += 1) {
    await vi.waitFor(
      () => expect(clients.map((client) => client.countTexts())).toEqual(clients.map(() => texts)),
      pollOptions,
    )
    for (const client of clients.splice(0, 1 + (texts % 3))) client.leave()
    const remainingCount = pendingRequests.length - clients.length
    await vi.waitFor(async () => {
      const closedRequests = (await sandbox.requests()).filter(({ error }) => error === 'client_closed')
      expect([entries.length, closedRequests.length]).toEqual([remainingCount, remainingCount])
    }, pollOptions)
    resume()
  }
  expect(sumEntries(entries)).toEqual(await readTotals(sandbox))
  expect(entries.every(({ error, outputTokens = 0 }) => error === 'aborted' && outputTokens > 0)).toBe(true)
})

test('a response that the gateway cut is counted with its received part', async () => {
  const { sandbox, send, entries } = await startRelay()
  for (const path of [messagesPath, chatPath]) {
    await sandbox.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: 1200, times: 1 }] })
    await expect(send(path, JSON.stringify(askFor('Count to 90', { stream: true })))).rejects.toThrow('aborted')
  }
  await vi.waitFor(() => expect(entries.map(({ error }) => error)).toEqual(['cut', 'cut']))
  const totals = await readTotals(sandbox)
  expect(sumEntries(entries)).toMatchObject({ requests: totals.requests, inputTokens: totals.inputTokens })
  expect(entries.every(({ outputTokens = 0 }) => outputTokens > 0 && outputTokens <= totals.outputTokens)).toBe(true)
})
