import type { PlaygroundTarget } from '@shared/contract'
import type { Standard } from '@shared/contract/common'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Secret } from '../../../../src/main/core/secret'
import { type Bench, readPool, startBench } from '../../sandbox/support'
import { listReported, makePlayDesk, type PlayDesk } from './play-desk'

const standards: readonly Standard[] = ['chat-completions', 'messages']

async function start(plan = 'sandbox-pro', keyName = 'default-key') {
  const bench = await startBench()
  const desk = makePlayDesk()
  const planId = await desk.addPlan(bench.gatewayUrl, bench.readKey(plan, keyName))
  const target = (standard: Standard, modelCode = 'aurora-small'): PlaygroundTarget => ({
    ...{ kind: 'plan', planId, standard, modelCode },
  })
  return { bench, desk, planId, target }
}

describe.each(standards)('a chat with a plan, %s', (standard) => {
  it('streams in small events, is saved with its figures, and counts as a request of the app', async () => {
    const { desk, planId, target } = await start()
    const { run, answer, wire } = await desk.ask(target(standard), 'Write two sentences about the sea.')
    expect(run).toMatchObject({ state: 'done', status: 200, isStream: true })
    expect(answer.text).not.toBe('')
    expect(run.firstTokenMs).toBeLessThanOrEqual(run.durationMs ?? 0)
    expect([run.inputTokens, run.outputTokens, run.finishReason, run.requestId]).not.toContain(undefined)
    expect(listReported(desk.told, run.id).text).toBe(answer.text)
    expect(listReported(desk.told, run.id).runs.at(-1)).toEqual(run)
    expect(wire?.isEventStream).toBe(true)
    expect(desk.noted).toMatchObject([
      {
        ...{ id: `app:${run.id}`, source: 'app', planId, standard, modelCode: 'aurora-small', status: 200 },
        ...{ inputTokens: run.inputTokens, outputTokens: run.outputTokens, firstByteMs: run.firstTokenMs },
      },
    ])
  })

  it.each([
    ['a disabled key', 401, 'gateway.keyRejected', 'key', { keyName: 'old-laptop' }],
    ['an expired plan', 402, 'gateway.planExpired', 'plan', { plan: 'sandbox-expired' }],
    ['a model that is not in the plan', 403, 'gateway.modelNotInPlan', 'model', { model: 'unknown-model' }],
    ['a used-up model', 429, 'gateway.quotaExhausted', 'quota', { model: 'nova-vision' }],
  ] as const)(
    'explains %s',
    async (_, status, code, error, given: { keyName?: string; plan?: string; model?: string }) => {
      const { desk, target } = await start(given.plan, given.keyName)
      const { run, answer } = await desk.ask(target(standard, given.model))
      expect(run).toMatchObject({ state: 'failed', status, failure: { code } })
      expect(answer).toEqual({ text: '' })
      expect(run.otherModels).toEqual(code === 'gateway.quotaExhausted' ? ['aurora-small', 'aurora-large'] : undefined)
      expect(desk.noted).toMatchObject([{ status, error }])
    },
  )

  it.each([
    [{ status: 500 }, 'gateway.serverError', 'server'],
    [{ status: 429, retryAfterS: 7 }, 'gateway.rateLimited', 'rateLimit'],
    [{ status: 404 }, 'gateway.wrongSuffix', 'path'],
    [{ isDropped: true }, 'net.cut', 'cut'],
    [{ cutAfterBytes: 0 }, 'net.cut', 'cut'],
  ] as const)('explains a gateway that answers with %j', async (fault, code, error) => {
    const { bench, desk, target } = await start()
    await bench.control('faults', { faults: [{ operations: 'gateway.*', ...fault }] })
    const { run } = await desk.ask(target(standard))
    expect(run).toMatchObject({ state: 'failed', failure: { code } })
    expect(run.failure?.retryAfterMs).toBe('retryAfterS' in fault ? 7000 : undefined)
    expect(desk.noted).toMatchObject([{ error }])
  })

  it('keeps a truncated answer and marks it', async () => {
    const { bench, desk, target } = await start()
    await bench.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: 900 }] })
    const { run, answer } = await desk.ask(target(standard), 'Write a long text about the sea, 300 words.')
    expect(run).toMatchObject({ state: 'cut', status: 200, failure: { code: 'net.cut' } })
    expect(answer.text.length).toBeGreaterThan(0)
    expect(desk.noted).toMatchObject([{ error: 'cut', status: 200 }])
  })

  it('stops at the server when stopped, and keeps the received part', async () => {
    const { bench, desk, target } = await start()
    await bench.control('timing', { paceMs: 50 })
    const message = { text: 'Write a long text about the sea, 300 words.', attachments: [] }
    const setup = { system: '', parameters: {}, target: target(standard) }
    const { runId } = await desk.playground.chats.send({ message, setup })
    await expect.poll(() => desk.playground.ground.runs.live(runId)?.answer.text ?? '').not.toBe('')
    await desk.playground.ground.runs.stop([runId])
    const { run, answer } = await desk.over(runId)
    expect(run).toMatchObject({ state: 'stopped', status: 200 })
    expect(run.failure).toBeUndefined()
    expect(answer.text).not.toBe('')
    expect(desk.noted).toMatchObject([{ error: 'aborted' }])
    // Output that a client abandons is not billed in full.
    const whole = 300
    const { tokensUsed } = await readPool(bench, 'sandbox-pro', 'aurora-small')
    expect(tokensUsed).toBeLessThan(whole)
  })

  it('shows the key masked and never repeats it', async () => {
    const { bench, desk, target } = await start()
    const key = bench.readKey('sandbox-pro', 'default-key')
    const { run, wire } = await desk.ask(target(standard))
    expect(wire?.requestHeaders).toContainEqual(['authorization', `Bearer ${new Secret(key).masked}`])
    const code = await desk.playground.chats.code({ runId: run.id, language: 'curl' })
    expect(code).toContain('$PLAN_KEY')
    for (const text of [JSON.stringify([run, wire, desk.told, desk.noted, desk.logged]), code])
      expect(text).not.toContain(key)
  })
})

describe('platform inference', () => {
  async function connected(): Promise<{
    bench: Bench
    desk: PlayDesk
    target: PlaygroundTarget
    connectionId: string
  }> {
    const bench = await startBench()
    const desk = makePlayDesk()
    const { addresses, iam } = bench.sandbox.ready
    const { connection } = await desk.core.connections.save(
      {
        name: 'sandbox-here',
        addresses,
        tokenSource: { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId },
      },
      new Secret(iam.clientSecret),
    )
    const target = {
      kind: 'platform',
      connectionId: connection.id,
      credential: 'iam',
      modelCode: 'aurora-small',
    } as const
    return { bench, desk, target, connectionId: connection.id }
  }

  it('asks with the IAM token, and once more with a new one after a 401', async () => {
    const { bench, desk, target } = await connected()
    expect((await desk.ask(target)).run).toMatchObject({ state: 'done', status: 200 })
    await bench.control('tokens:expire', {})
    const { run } = await desk.ask(target)
    expect(run).toMatchObject({ state: 'done', status: 200 })
    const asked = (await bench.control('requests?area=platform')).json()
    const statuses = (await asked).requests
      .filter(({ path }: { path: string }) => path.endsWith('/chat/completions'))
      .map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 401, 200])
    expect(desk.noted.map(({ planId }) => planId)).toEqual([undefined, undefined])
  })

  it('uses a saved platform API key, but none that was entered for another host', async () => {
    const { bench, desk, target, connectionId } = await connected()
    const withKey = { ...target, credential: 'apiKey' } as const
    await expect(desk.ask(withKey)).rejects.toMatchObject({ failure: { code: 'api.notConfigured', field: 'key' } })
    await bench.api('POST', '/aip/v1/api-keys', { body: { name: 'my-key' } })
    await bench.control('clock', { advanceMs: 60_000 })
    const { body } = await bench.api('GET', '/aip/v1/api-keys/my-key')
    const key = new Secret(z.object({ key: z.string() }).parse(body).key)
    const address = bench.sandbox.ready.addresses.inferenceUrl
    await desk.core.inferenceKeys.keep(connectionId, address, key)
    const { run, wire } = await desk.ask(withKey)
    expect(run).toMatchObject({ state: 'done', status: 200 })
    expect(wire?.requestHeaders).toContainEqual(['authorization', `Bearer ${key.masked}`])
    await desk.core.inferenceKeys.keep(connectionId, address, new Secret('sk-platform-key-of-a-test-0001'))
    expect((await desk.ask(withKey)).run).toMatchObject({ status: 401, failure: { code: 'api.unauthorized' } })
    const { connections } = desk.core
    const { name, tokenSource, addresses } = connections.find(connectionId)
    const elsewhere = { ...addresses, inferenceUrl: 'https://elsewhere.example/v1' }
    const { iam } = bench.sandbox.ready
    await connections.save({ id: connectionId, name, tokenSource, addresses: elsewhere }, new Secret(iam.clientSecret))
    await expect(desk.ask(withKey)).rejects.toMatchObject({ failure: { code: 'api.notConfigured' } })
    await connections.remove(connectionId)
    expect([...desk.keychain.items.keys()].filter((name) => name.includes(connectionId))).toEqual([])
  })

  it('completes texts and compares embeddings', async () => {
    const { desk, target } = await connected()
    const { asking } = desk.playground
    const begun = await asking.complete({ target, prompt: 'The sea is', parameters: { maxTokens: 20 } })
    const completed = await desk.over(begun.id)
    expect(completed.run.kind).toBe('completion')
    expect(completed.run.state).toBe('done')
    expect(completed.answer.text).not.toBe('')
    const embedding = { ...target, modelCode: 'comet-embed' }
    const inputs = ['The sea is deep.', 'The ocean is deep.', 'Invoices are due on Monday.']
    const { run, embeddings, similarity } = await asking.embed(
      { target: embedding, inputs },
      new AbortController().signal,
    )
    expect(run.failure).toBeUndefined()
    expect(embeddings.map(({ preview }) => preview.length)).toEqual([16, 16, 16])
    expect(similarity.map((row, at) => row[at])).toEqual([expect.closeTo(1), expect.closeTo(1), expect.closeTo(1)])
    expect(similarity[0]?.[1]).toBeGreaterThan(similarity[0]?.[2] ?? 1)
  })
})
