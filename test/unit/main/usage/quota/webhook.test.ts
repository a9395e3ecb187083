import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { quota as contract, type WebhookFormat } from '@shared/contract/quota'
import { describe, expect, it } from 'vitest'
import type { ConsentQuestion } from '../../../../../src/main/core/consent/consent'
import { sleepMs } from '../../../../../src/main/core/net/deadline'
import type { StateNotice } from '../../../../../src/main/core/notices'
import { Secret } from '../../../../../src/main/core/secret'
import { type AlertMessage, emptyAlertMemory } from '../../../../../src/main/core/settings/records'
import { withProcessLockAsync } from '../../../../../src/main/core/sqlite/process-lock'
import { createVault, webhookAccount } from '../../../../../src/main/core/vault/vault'
import { Webhook } from '../../../../../src/main/usage/quota/webhook'
import { directSend } from '../../../../support/direct-send'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'
import { makeFolder } from '../../../support/folders'
import { serve } from '../../gateway/answering-server'

const path = '/services/T0/B0/path-that-is-secret'
const token = new Secret('token-0123456789')
const requestTimeoutMs = 10_000

const currentTime = new Date()

const message = (over: Partial<AlertMessage> = {}): AlertMessage => ({
  id: 'm1',
  kind: 'quota',
  title: 'team: 95% used',
  text: '5 tokens are left.',
  at: currentTime.toISOString(),
  ...over,
})

const statuses = (...all: readonly (number | [number, string])[]): RequestListener => {
  const left = [...all]
  return (_, response) => {
    const [status, retryAfter] = [left.shift() ?? 200].flat()
    response.writeHead(Number(status), retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end(path)
  }
}

async function make(answer: RequestListener = statuses(), isAgreed = true) {
  const server = await serve(answer)
  const dataDir = makeFolder()
  const settings = memorySettings()
  const vault = createVault({ keychain: new MemoryKeychain(), install: '', sessionAllowed: false })
  const asked: ConsentQuestion[] = []
  const logged: unknown[] = []
  const sleptMs: number[] = []
  const parts = {
    settings,
    vault,
    dataDir,
    send: directSend,
    clock: () => currentTime,
    confirm: async (question: ConsentQuestion) => {
      asked.push(question)
      return isAgreed
    },
    log: { info: () => undefined, error: (_: string, error: unknown) => void logged.push(error) },
    sleep: async (ms: number, signal: AbortSignal) => {
      if (ms === requestTimeoutMs) await sleepMs(ms, signal)
      else sleptMs.push(ms)
    },
  }
  const webhook = new Webhook(parts)
  const address = new Secret(server.url + path)
  const set = (format: WebhookFormat = 'json') => webhook.set({ format, hasToken: false }, { address })
  const enqueue = (...messages: readonly AlertMessage[]): void => {
    const notices = messages.map(({ title, text: body, ...facts }): StateNotice => {
      return { title, body, path: '/', group: 'alerts', name: 'team', facts }
    })
    webhook.enqueue(() => ({ notices, memory: emptyAlertMemory }))
  }
  return { server, webhook, settings, vault, asked, logged, sleptMs, set, enqueue, parts }
}

describe('the body', () => {
  const texts = { title: '<!channel> & *x*', text: '[a](https://evil.example.com)' }
  const hostile = message({ ...texts, plan: 'team', percent: 95 })
  const block = (run: object) => ({ type: 'RichTextBlock', inlines: [run] })

  it.each([
    ['json', { app: 'platform-companion', ...hostile }],
    ['slack', { text: '&lt;!channel&gt; &amp; *x*\n[a](https://evil.example.com)' }],
    [
      'teams',
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                block({ type: 'TextRun', text: hostile.title, weight: 'Bolder', size: 'Medium' }),
                block({ type: 'TextRun', text: hostile.text }),
              ],
            },
          },
        ],
      },
    ],
  ] as const)('of %s contains texts without markup', async (format, body) => {
    const { server, webhook, set, enqueue } = await make()
    await set(format)
    enqueue(hostile)
    await webhook.flush()
    expect(server.received.map((one) => [one.method, one.path, JSON.parse(one.body)])).toEqual([['POST', path, body]])
  })

  it('has a limited length', async () => {
    const { server, webhook, set } = await make()
    await set()
    await webhook.test(message({ text: 'x'.repeat(100_000) }))
    expect(server.received[0]?.body.length).toBeLessThan(3000)
  })
})

describe('the address', () => {
  it('and the token are only in the keychain, after a confirmation of the host', async () => {
    const { webhook, server, settings, vault, asked } = await make()
    const address = new Secret(server.url + path)
    const view = await webhook.set({ format: 'json', hasToken: true }, { address, token })
    const { origin } = new URL(server.url)
    expect(contract['alerts.setWebhook'].output.parse(view)).toEqual({
      webhook: { origin, format: 'json', hasToken: true, pendingCount: 0 },
    })
    expect(asked).toEqual([{ kind: 'sendAlerts', origin, format: 'json', isSigned: true }])
    expect(JSON.stringify(settings.read())).not.toMatch(/path-that-is-secret|token-0123456789/)
    await webhook.set({ format: 'slack', hasToken: true }, {})
    expect(asked).toHaveLength(1)
    await webhook.test(message())
    expect(server.received[0]?.headers.authorization).toBe('Bearer token-0123456789')
    expect(await webhook.remove()).toEqual({})
    await expectFailure(vault.get(webhookAccount), 'vault.keyMissing')
  })

  it('of another host gets no saved token', async () => {
    const { webhook, server } = await make()
    await webhook.set({ format: 'json', hasToken: true }, { address: new Secret(server.url + path), token })
    const elsewhere = { address: new Secret('https://other.example.com/hook') }
    await expectFailure(webhook.set({ format: 'json', hasToken: true }, elsewhere), 'input.invalid')
    expect(webhook.get().webhook?.origin).toBe(server.url)
  })

  it('is not saved without the confirmation', async () => {
    const { webhook, set, vault } = await make(statuses(), false)
    await expectFailure(set(), 'input.declined')
    expect(webhook.get()).toEqual({})
    await expectFailure(vault.get(webhookAccount), 'vault.keyMissing')
  })

  it.each([
    ['hooks.slack.com/x', 'address.notAnAddress'],
    ['http://hooks.example.com/secret', 'address.insecure'],
    ['https://user:pass@hooks.example.com/x', 'address.credentials'],
    ['file:///etc/passwd', 'address.notAnAddress'],
    [`https://hooks.example.com/${'x'.repeat(2000)}`, 'address.notAnAddress'],
  ])('%s is refused without repeating it', async (text, code) => {
    const { webhook, asked } = await make()
    const message = expect.not.stringMatching(/user:pass|secret|xxx/)
    const set = webhook.set({ format: 'json', hasToken: false }, { address: new Secret(text) })
    await expectFailure(set, { code, message })
    expect(asked).toEqual([])
  })
})

describe('a delivery', () => {
  it.each([
    { answers: [503, 200], sleptMs: [1000], requests: 2, status: undefined },
    { answers: [429, 500, 502, 200], sleptMs: [1000, 4000, 16_000], requests: 4, status: undefined },
    { answers: [500, 500, 500, 500, 200], sleptMs: [1000, 4000, 16_000], requests: 4, status: 500 },
    { answers: [[429, '7'], 200], sleptMs: [7000], requests: 2, status: undefined },
    { answers: [[429, '3600']], sleptMs: [], requests: 1, status: 429 },
    { answers: [404], sleptMs: [], requests: 1, status: 404 },
    { answers: [307], sleptMs: [], requests: 1, status: 307 },
  ] as const)('with the answers $answers', async ({ answers, sleptMs, requests, status }) => {
    const { server, webhook, set, enqueue, ...seen } = await make(statuses(...answers.map((one) => one as number)))
    await set()
    enqueue(message())
    await webhook.flush()
    expect(seen.sleptMs).toEqual(sleptMs)
    expect(server.received).toHaveLength(requests)
    const view = contract['alerts.webhook'].output.parse(webhook.get()).webhook
    expect(view?.lastFailure?.failure.status).toBe(status)
    expect(view?.pendingCount).toBe(status === undefined ? 0 : 1)
    expect(view?.lastSentAt === undefined).toBe(status !== undefined)
    expect(JSON.stringify([view, seen.logged])).not.toContain('path-that-is-secret')
  })

  it('retries when the connection is cut, and reports the host only', async () => {
    const { server, webhook, set, enqueue, logged } = await make((request) => void request.socket.destroy())
    await set()
    enqueue(message())
    await webhook.flush()
    expect(server.received).toHaveLength(4)
    const failure = webhook.get().webhook?.lastFailure?.failure
    expect(failure).toMatchObject({ code: 'net.cut', message: expect.stringContaining(server.url) })
    expect(JSON.stringify([failure, logged])).not.toContain('path-that-is-secret')
  })

  it('continues after a restart and repeats nothing', async () => {
    const { server, webhook, set, enqueue, parts } = await make(statuses(200, 404))
    await set()
    enqueue(message(), message({ id: 'm2' }))
    await webhook.flush()
    const restarted = new Webhook(parts)
    await restarted.flush()
    await restarted.flush()
    expect(server.received.map(({ body }) => JSON.parse(body).id)).toEqual(['m1', 'm2', 'm2'])
    expect(restarted.get().webhook).toMatchObject({ pendingCount: 0 })
    expect(restarted.get().webhook?.lastFailure).toBeUndefined()
  })

  it('drops messages that waited for a day', async () => {
    const { server, webhook, set, enqueue, parts } = await make()
    await set()
    const { clock } = parts
    parts.clock = () => new Date('2020-01-01T00:00:00.000Z')
    enqueue(message())
    parts.clock = clock
    enqueue(message({ id: 'm2' }))
    await webhook.flush()
    expect(server.received.map(({ body }) => JSON.parse(body).id)).toEqual(['m2'])
  })

  it('is left to the process that already sends', async () => {
    const { server, webhook, set, enqueue, parts, logged } = await make()
    await set()
    enqueue(message())
    await withProcessLockAsync(join(parts.dataDir, 'webhook.lock'), () => webhook.flush())
    expect(server.received).toEqual([])
    expect(logged).toEqual([])
    await webhook.flush()
    expect(server.received).toHaveLength(1)
  })
})
