import type { RequestListener, ServerResponse } from 'node:http'
import type { ComparisonColumn, PlaygroundTarget } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDeferred } from '../../renderer/support/later'
import { expectFailure } from '../../support/failures'
import { send, serve } from '../gateway/answering-server'
import { createPlaygroundHarness, type PlaygroundHarness } from './play-desk'

const key = 'sk-subscription-of-a-test-000000000000'
const eventStream = { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' }

const usage = { prompt_tokens: 12, completion_tokens: 8, prompt_tokens_details: { cached_tokens: 2 } }
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const chunk = (content: string): string => event({ choices: [{ index: 0, delta: { content } }] })
const lastChunk = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`

const createStreamHandler = (...chunks: readonly string[]): RequestListener => {
  return (_, response) => void response.writeHead(200, eventStream).end(chunks.join(''))
}

const buildLocalTarget = (url: string): PlaygroundTarget => ({
  kind: 'local',
  url,
  standard: 'chat-completions',
  modelCode: 'm',
})

async function createPlanTarget(harness: PlaygroundHarness, url: string): Promise<PlaygroundTarget> {
  const planId = await harness.addPlan(url, key)
  return { kind: 'plan', planId, standard: 'chat-completions', modelCode: 'aurora-small' }
}

/** Asks a local server with this answer. */
async function askLocal(answer: RequestListener) {
  const server = await serve(answer)
  return { server, ...(await createPlaygroundHarness().ask(buildLocalTarget(server.url))) }
}

/** Asks a plan whose gateway has this answer. */
async function askPlan(answer: RequestListener) {
  const server = await serve(answer)
  const harness = createPlaygroundHarness()
  return { server, harness, ...(await harness.ask(await createPlanTarget(harness, server.url))) }
}

/** Sends a message to a local server without waiting for the answer. Returns the id of the run. */
async function startLocalChat(harness: PlaygroundHarness, url: string): Promise<string> {
  const setup = { system: '', parameters: {}, target: buildLocalTarget(url) }
  const sentMessage = await harness.playground.chats.send({ message: { text: 'Go on', attachments: [] }, setup })
  return sentMessage.runId
}

/** A server that starts every answer and continues on request. */
async function servePendingResponse() {
  const openResponses: ServerResponse[] = []
  const server = await serve((_, response) => {
    response.writeHead(200, eventStream).write(chunk('So far. '))
    openResponses.push(response)
  })
  return { server, open: openResponses }
}

describe('a request', () => {
  it.each([
    ['', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/engine/v1', '/engine/v1/chat/completions'],
  ])('to a local address goes to it with %j and contains no key', async (suffix, path) => {
    const server = await serve(createStreamHandler(chunk('hi'), lastChunk))
    const harness = createPlaygroundHarness()
    await harness.addPlan(server.url, key)
    const { run } = await harness.ask(buildLocalTarget(server.url.replace('http://', '') + suffix))
    expect(run.state).toBe('done')
    expect(server.received.map((request) => request.path)).toEqual([path])
    expect(JSON.stringify(server.received)).not.toMatch(/sk-|authorization|api-key/)
    const ledgerEntries = harness.noted.map(({ planId, modelCode, toolId }) => [planId, modelCode, toolId])
    expect(ledgerEntries).toEqual([[undefined, 'm', 'playground']])
  })

  it.each([
    ['https://example.com', 'address.notAnAddress'],
    ['http://8.8.8.8:11434', 'address.notAnAddress'],
    ['http://169.254.169.254', 'address.notAnAddress'],
    ['http://0x08080808', 'address.notAnAddress'],
    ['http://[2001:4860:4860::8888]', 'address.notAnAddress'],
    ['http://me:pass@localhost:1', 'address.credentials'],
    ['ftp://localhost', 'address.notAnAddress'],
  ])('is never sent to %s as a local address', async (url, code) => {
    const harness = createPlaygroundHarness()
    const outcome = await harness.ask(buildLocalTarget(url)).then(
      ({ run }) => run.failure,
      (error) => error.failure,
    )
    // The host name is resolved when the request is sent, which fails without a network.
    expect([code, 'net.hostNotFound']).toContain(outcome?.code)
  })

  it('is not sent or saved when the message is empty or a parameter is not JSON', async () => {
    const server = await serve(createStreamHandler(lastChunk))
    const harness = createPlaygroundHarness()
    const target = buildLocalTarget(server.url)
    await expect(harness.ask(target, '  ')).rejects.toMatchObject({ failure: { field: 'message' } })
    const brokenAsk = harness.ask(target, 'hi', { parameters: { extra: '{"a":' } })
    await expect(brokenAsk).rejects.toMatchObject({ failure: { field: 'extra' } })
    const planTarget = { ...(await createPlanTarget(harness, server.url)), keyId: 'gone' } as PlaygroundTarget
    await expect(harness.ask(planTarget)).rejects.toThrow()
    expect(server.received).toEqual([])
    expect(await harness.store.conversations({})).toEqual([])
  })
})

describe('an answer', () => {
  it('is read from a JSON body too, with cache tokens separate from input', async () => {
    const message = { message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }
    const { run, answer, wire } = await askLocal((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [message], usage }))
    })
    expect(answer.text).toBe('Hello.')
    expect(run).toMatchObject({ state: 'done', inputTokens: 10, outputTokens: 8, cacheReadTokens: 2 })
    expect(run.tokensPerSecond).toBeUndefined()
    expect(wire?.isEventStream).toBe(false)
  })

  it('separates tagged reasoning, wherever a tag is split', async () => {
    const chunks = [chunk('<thi'), chunk('nk>pl'), chunk('an</th'), chunk('ink>Answer'), lastChunk]
    const { answer } = await askLocal(createStreamHandler(...chunks))
    expect(answer).toEqual({ text: 'Answer', thinking: 'plan' })
  })

  it('masks a repeated key, wherever it is split', async () => {
    const chunks = [chunk('It is sk-subscription-of'), chunk(`-a-test-000000000000.`), lastChunk]
    const { server, harness, run, answer, wire } = await askPlan(createStreamHandler(...chunks))
    expect(answer.text).toBe('It is [secret].')
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${key}`)
    expect(JSON.stringify([run, wire, harness.told, harness.logged])).not.toContain(key)
  })

  it.each([
    ['{"error":{"message":"Overloaded","type":"server_error"}}', 'gateway.serverError', 'server'],
    ['{"error":{"message":"Slow down","type":"rate_limit_error"}}', 'gateway.rateLimited', 'rateLimit'],
    ['{"error":{"message":"quota exhausted","code":"quota_exhausted"}}', 'gateway.quotaExhausted', 'quota'],
  ])('that ends with %s is saved and explained by it', async (error, code, kind) => {
    const { harness, run, answer } = await askPlan(createStreamHandler(chunk('Some text'), `data: ${error}\n\n`))
    expect(run).toMatchObject({ state: 'cut', status: 200, failure: { code } })
    expect(run.otherModels).toEqual(kind === 'quota' ? ['aurora-large'] : undefined)
    expect(answer.text).toBe('Some text')
    expect(harness.noted).toMatchObject([{ error: kind }])
  })

  it.each<[string, RequestListener, string]>([
    ['is a page', send(200, '<html><title>Sign in</title></html>'), 'gateway.notAGateway'],
    ['is of no standard', send(200, { ok: true }), 'gateway.notAGateway'],
    ['redirects', send(302, '', { location: 'https://x.example' }), 'gateway.notAGateway'],
    ['ends without an event', createStreamHandler(), 'net.cut'],
  ])('that %s counts as failed', async (_, answer, code) => {
    expect((await askPlan(answer)).run).toMatchObject({ state: 'failed', failure: { code } })
  })

  it('that never arrives is reported with the usual network error', async () => {
    const server = await serve(createStreamHandler())
    await server.close()
    const harness = createPlaygroundHarness()
    const { run } = await harness.ask(await createPlanTarget(harness, server.url))
    expect(run).toMatchObject({ state: 'failed', failure: { code: 'net.refused' } })
    expect(harness.noted).toMatchObject([{ error: 'network', status: undefined }])
  })

  it('of a local server that requires a key says so without showing credentials', async () => {
    const { run, wire } = await askLocal((_, response) => {
      response.writeHead(401, { 'set-cookie': 'session=abc', 'x-other': 'seen' }).end('{"message":"no key"}')
    })
    expect(run).toMatchObject({ status: 401, failure: { message: expect.stringContaining('requires a key') } })
    expect(wire?.answerHeaders).toContainEqual(['set-cookie', '[hidden]'])
    expect(wire?.answerHeaders).toContainEqual(['x-other', 'seen'])
    expect(wire?.answerBody).toBe('{"message":"no key"}')
  })

  it('of a server that stops sending times out, and the partial answer stays', async () => {
    const { server } = await servePendingResponse()
    const harness = createPlaygroundHarness()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const runId = await startLocalChat(harness, server.url)
    const readProgress = async () => {
      await vi.advanceTimersByTimeAsync(20)
      return JSON.stringify(harness.told)
    }
    await expect.poll(readProgress).toContain('So far. ')
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    const { run, answer } = await harness.over(runId)
    expect(run).toMatchObject({ state: 'cut', failure: { code: 'net.timeout' } })
    expect(answer.text).toBe('So far. ')
  })
})

describe('a run', () => {
  it('is saved within a second of each chunk, and marked as cut when the app quits', async () => {
    const { server } = await servePendingResponse()
    const harness = createPlaygroundHarness()
    const runId = await startLocalChat(harness, server.url)
    const readRun = async () => (await harness.store.runs([runId]))[0]
    await expect.poll(async () => (await readRun())?.answer.text, { timeout: 3000 }).toBe('So far. ')
    expect((await readRun())?.run.state).toBe('running')
    await harness.playground.ground.runs.end()
    expect(await readRun()).toMatchObject({ run: { state: 'cut' }, answer: { text: 'So far. ' } })
  })

  it('reports its share of the remaining quota as far as known before the run', async () => {
    const server = await serve(createStreamHandler(chunk('a'), lastChunk))
    const quotas: PlanQuota[] = []
    const harness = createPlaygroundHarness({ quotas: () => quotas })
    const target = await createPlanTarget(harness, server.url)
    const { run } = await harness.ask(target)
    expect([run.state, run.allowanceShare]).toEqual(['done', undefined])
    quotas.push(buildQuota(target, { quota: 1000, used: 900 }))
    expect((await harness.ask(target)).run.allowanceShare).toBeCloseTo(0.2)
  })

  it('is reported while the database is unavailable', async () => {
    const server = await serve(createStreamHandler(chunk('a'), lastChunk))
    const harness = createPlaygroundHarness()
    vi.spyOn(harness.store, 'saveRun').mockRejectedValue(new Error('disk full'))
    await harness.ask(buildLocalTarget(server.url))
    expect(harness.told.at(-1)?.run?.state).toBe('done')
  })
})

describe('a comparison', () => {
  const columnFields = { system: 'Be {{tone}}.', parameters: {} }
  const column = (id: string, target: PlaygroundTarget, overrides: Partial<ComparisonColumn> = {}) => ({
    ...columnFields,
    id,
    name: id,
    target,
    ...overrides,
  })

  it('sends at most four requests per host at a time, and stopping cancels both', async () => {
    const { server, open: openResponses } = await servePendingResponse()
    const harness = createPlaygroundHarness()
    const cases = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, values: ['short', `case ${id}`] }))
    const columns = [column('one', buildLocalTarget(server.url))]
    const setup = { title: 'T', prompt: 'Tell {{ what }}', variables: ['tone', 'what'], columns, cases }
    await harness.playground.comparisons.save('cmp', setup)
    const cells = cases.map(({ id }) => ({ columnId: 'one', caseId: id }))
    const startedComparison = await harness.playground.comparisons.run({ id: 'cmp', cells })
    const states = async () => (await harness.playground.comparisons.get('cmp')).cells.map(({ run }) => run.state)
    await expect.poll(() => openResponses.length).toBe(4)
    expect((await states()).toSorted()).toEqual([...Array(4).fill('running'), 'waiting', 'waiting'])
    openResponses[0]?.end(lastChunk)
    await expect.poll(() => openResponses.length).toBe(5)
    await harness.playground.ground.runs.stop(startedComparison.cells.map(({ run }) => run.id))
    expect((await states()).toSorted()).toEqual(['done', ...Array(5).fill('stopped')])
    const bodies = server.received.map(({ body }) => JSON.parse(body).messages)
    expect(bodies[0]).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Tell case a' },
    ])
    expect(server.received).toHaveLength(5)
    expect(harness.noted).toHaveLength(5)
  })

  it('sends nothing when one of its cells is invalid', async () => {
    const server = await serve(createStreamHandler(lastChunk))
    const harness = createPlaygroundHarness()
    const { comparisons } = harness.playground
    const target = buildLocalTarget(server.url)
    const workingColumn = column('good', target, { prompt: 'Hi {{tone}}' })
    const comparisonSetup = { title: 'T', prompt: 'Hi', variables: ['tone'], cases: [{ id: 'a', values: ['x'] }] }
    const cells = ['good', 'bad'].map((columnId) => ({ columnId, caseId: 'a' }))
    const invalidColumns = [
      [{ prompt: 'Tell {{nothing}}' }, { code: 'input.invalid', field: 'variables' }],
      [{ target: undefined }, { code: 'playground.noTarget' }],
      [{ parameters: { tools: 'x' } }, { code: 'input.invalid', field: 'tools' }],
    ] as const
    for (const [overrides, failure] of invalidColumns) {
      await comparisons.save('cmp', { ...comparisonSetup, columns: [workingColumn, column('bad', target, overrides)] })
      await expect(comparisons.run({ id: 'cmp', cells })).rejects.toMatchObject({ failure })
    }
    expect(server.received).toEqual([])
    const unknownCell = { columnId: 'good', caseId: 'gone' }
    await expectFailure(comparisons.run({ id: 'cmp', cells: [unknownCell] }), 'playground.notFound')
  })
})

function buildQuota(target: PlaygroundTarget, { quota, used }: { quota: number; used: number }): PlanQuota {
  const forecast = { kind: 'notEnough', reason: 'noCycle' } as const
  const gauges = { tokens: { quota, used, forecast }, requests: { used: 0, forecast } }
  const model = { modelCode: target.modelCode, displayName: '', ...gauges }
  const planId = target.kind === 'plan' ? target.planId : ''
  return { planId, name: '', source: 'machine', isExpired: false, models: [model], at: '2026-01-01T00:00:00Z' }
}

it('stops downloading an answer at 64 MB, keeps the received part and says why', async () => {
  const largeEvent = Buffer.from(`:${'x'.repeat(64 * 1024)}\n\n`)
  let sentBytes = 0
  const closed = createDeferred<void>()
  const { run, answer } = await askLocal((_, response) => {
    const resume = (): void => {
      sentBytes += largeEvent.length
      response.write(largeEvent, () => response.writable && resume())
    }
    response.once('close', () => closed.answer())
    response.writeHead(200, eventStream).write(chunk('So far. '))
    resume()
  })
  expect(run).toMatchObject({ state: 'cut', failure: { code: 'net.tooLong' } })
  expect(answer.text).toBe('So far. ')
  await closed.promise
  // The sent bytes include data in socket buffers.
  expect(sentBytes).toBeLessThan(80 * 1024 * 1024)
})
