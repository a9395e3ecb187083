import type { PlaygroundTarget } from '@shared/contract'
import type { ApiStandard } from '@shared/contract/common'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Secret } from '../../../../src/main/core/secret'
import { readPoolUsage, startHarness } from '../../sandbox/support'
import { expectFailure } from '../../support/failures'
import { createPlaygroundHarness, listReportedProgress } from './play-desk'

const apiStandards: readonly ApiStandard[] = ['chat-completions', 'messages']

async function startPlayground(plan = 'sandbox-pro', keyName = 'default-key') {
  const sandboxHarness = await startHarness()
  const harness = createPlaygroundHarness()
  const planId = await harness.addPlan(sandboxHarness.gatewayUrl, sandboxHarness.readKey(plan, keyName))
  const target = (standard: ApiStandard, modelCode = 'aurora-small'): PlaygroundTarget => ({
    kind: 'plan',
    planId,
    standard,
    modelCode,
  })
  return { sandboxHarness, harness, planId, target }
}

describe.each(apiStandards)('a chat with a plan, %s', (standard) => {
  it('streams in small events, is saved with its figures, and counts as a request of the app', async () => {
    const { harness, planId, target } = await startPlayground()
    const { run, answer, wire } = await harness.ask(target(standard), 'Write two sentences about the sea.')
    expect(run).toMatchObject({ state: 'done', status: 200, isStream: true })
    expect(answer.text).not.toBe('')
    expect(run.firstTokenMs).toBeLessThanOrEqual(run.durationMs ?? 0)
    expect([run.inputTokens, run.outputTokens, run.finishReason, run.requestId]).not.toContain(undefined)
    expect(listReportedProgress(harness.told, run.id).text).toBe(answer.text)
    expect(listReportedProgress(harness.told, run.id).runs.at(-1)).toEqual(run)
    expect(wire?.isEventStream).toBe(true)
    const { inputTokens, outputTokens, firstTokenMs: firstByteMs } = run
    const counts = { inputTokens, outputTokens, firstByteMs, status: 200 }
    const entry = { id: `app:${run.id}`, source: 'app', planId, standard, modelCode: 'aurora-small', ...counts }
    expect(harness.noted).toMatchObject([entry])
  })

  it.each([
    ['a disabled key', 401, 'gateway.keyRejected', 'key', { keyName: 'old-laptop' }],
    ['an expired plan', 402, 'gateway.planExpired', 'plan', { plan: 'sandbox-expired' }],
    ['a model that is not in the plan', 403, 'gateway.modelNotInPlan', 'model', { model: 'unknown-model' }],
    ['a used-up model', 429, 'gateway.quotaExhausted', 'quota', { model: 'nova-vision' }],
  ] as const)(
    'explains %s',
    async (_, status, code, error, overrides: { keyName?: string; plan?: string; model?: string }) => {
      const { harness, target } = await startPlayground(overrides.plan, overrides.keyName)
      const { run, answer } = await harness.ask(target(standard, overrides.model))
      expect(run).toMatchObject({ state: 'failed', status, failure: { code } })
      expect(answer).toEqual({ text: '' })
      expect(run.otherModels).toEqual(code === 'gateway.quotaExhausted' ? ['aurora-small', 'aurora-large'] : undefined)
      expect(harness.noted).toMatchObject([{ status, error }])
    },
  )

  it.each([
    [{ status: 500 }, 'gateway.serverError', 'server'],
    [{ status: 429, retryAfterS: 7 }, 'gateway.rateLimited', 'rateLimit'],
    [{ status: 404 }, 'gateway.wrongSuffix', 'path'],
    [{ isDropped: true }, 'net.cut', 'cut'],
    [{ cutAfterBytes: 0 }, 'net.cut', 'cut'],
  ] as const)('explains a gateway that answers with %j', async (fault, code, error) => {
    const { sandboxHarness, harness, target } = await startPlayground()
    await sandboxHarness.control('faults', { faults: [{ operations: 'gateway.*', ...fault }] })
    const { run } = await harness.ask(target(standard))
    expect(run).toMatchObject({ state: 'failed', failure: { code } })
    expect(run.failure?.retryAfterMs).toBe('retryAfterS' in fault ? 7000 : undefined)
    expect(harness.noted).toMatchObject([{ error }])
  })

  it('keeps a truncated answer and marks it', async () => {
    const { sandboxHarness, harness, target } = await startPlayground()
    await sandboxHarness.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: 900 }] })
    const { run, answer } = await harness.ask(target(standard), 'Write a long text about the sea, 300 words.')
    expect(run).toMatchObject({ state: 'cut', status: 200, failure: { code: 'net.cut' } })
    expect(answer.text.length).toBeGreaterThan(0)
    expect(harness.noted).toMatchObject([{ error: 'cut', status: 200 }])
  })

  it('stops at the server when stopped, and keeps the received part', async () => {
    const { sandboxHarness, harness, target } = await startPlayground()
    await sandboxHarness.control('timing', { paceMs: 50 })
    const message = { text: 'Write a long text about the sea, 300 words.', attachments: [] }
    const setup = { system: '', parameters: {}, target: target(standard) }
    const { runId } = await harness.playground.chats.send({ message, setup })
    await expect.poll(() => harness.playground.ground.runs.live(runId)?.answer.text ?? '').not.toBe('')
    await harness.playground.ground.runs.stop([runId])
    const { run, answer } = await harness.over(runId)
    expect(run).toMatchObject({ state: 'stopped', status: 200 })
    expect(run.failure).toBeUndefined()
    expect(answer.text).not.toBe('')
    expect(harness.noted).toMatchObject([{ error: 'aborted' }])
    // If the client disconnects, only the output sent so far is billed.
    const { tokensUsed } = await readPoolUsage(sandboxHarness, 'sandbox-pro', 'aurora-small')
    expect(tokensUsed).toBeLessThan(300)
  })
})

describe('platform inference', () => {
  async function startConnectedHarness() {
    const sandboxHarness = await startHarness()
    const harness = createPlaygroundHarness()
    const { addresses, iam } = sandboxHarness.sandbox.ready
    const { connection } = await harness.core.connections.save(
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
    return { sandboxHarness, harness, target, connectionId: connection.id }
  }

  it('asks with the IAM token, and once more with a new one after a 401', async () => {
    const { sandboxHarness, harness, target } = await startConnectedHarness()
    expect((await harness.ask(target)).run).toMatchObject({ state: 'done', status: 200 })
    await sandboxHarness.control('tokens:expire', {})
    const { run } = await harness.ask(target)
    expect(run).toMatchObject({ state: 'done', status: 200 })
    const platformRequests = (await sandboxHarness.control('requests?area=platform')).json()
    const statuses = (await platformRequests).requests
      .filter(({ path }: { path: string }) => path.endsWith('/chat/completions'))
      .map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 401, 200])
    expect(harness.noted.map(({ planId }) => planId)).toEqual([undefined, undefined])
  })

  it('uses a saved platform API key, but none that was entered for another host', async () => {
    const { sandboxHarness, harness, target, connectionId } = await startConnectedHarness()
    const targetWithKey = { ...target, credential: 'apiKey' } as const
    await expectFailure(harness.ask(targetWithKey), 'api.notConfigured', { field: 'key' })
    await sandboxHarness.api('POST', '/aip/v1/api-keys', { body: { name: 'my-key' } })
    await sandboxHarness.control('clock', { advanceMs: 60_000 })
    const { body } = await sandboxHarness.api('GET', '/aip/v1/api-keys/my-key')
    const key = new Secret(z.object({ key: z.string() }).parse(body).key)
    const address = sandboxHarness.sandbox.ready.addresses.inferenceUrl
    await harness.core.inferenceKeys.keep(connectionId, address, key)
    const { run, wire } = await harness.ask(targetWithKey)
    expect(run).toMatchObject({ state: 'done', status: 200 })
    expect(wire?.requestHeaders).toContainEqual(['authorization', `Bearer ${key.masked}`])
    await harness.core.inferenceKeys.keep(connectionId, address, new Secret('sk-platform-key-of-a-test-0001'))
    expect((await harness.ask(targetWithKey)).run).toMatchObject({ status: 401, failure: { code: 'api.unauthorized' } })
    const { connections } = harness.core
    const { name, tokenSource, addresses } = connections.find(connectionId)
    const otherAddresses = { ...addresses, inferenceUrl: 'https://elsewhere.example/v1' }
    const { iam } = sandboxHarness.sandbox.ready
    const changed = { id: connectionId, name, tokenSource, addresses: otherAddresses }
    await connections.save(changed, new Secret(iam.clientSecret))
    await expectFailure(harness.ask(targetWithKey), 'api.notConfigured')
    await connections.remove(connectionId)
    expect([...harness.keychain.items.keys()].filter((name) => name.includes(connectionId))).toEqual([])
  })
})
