import { relay as contract } from '@shared/contract'
import { expect, it } from 'vitest'
import type { ConsentQuestion } from '../../../../../src/main/core/consent/consent'
import type { ResolveProxy } from '../../../../../src/main/core/net/proxy'
import { Secret } from '../../../../../src/main/core/secret'
import { createVault, metricsAccount } from '../../../../../src/main/core/vault/vault'
import { buildRelayMetrics, Metrics, metricsText } from '../../../../../src/main/relay/metrics/metrics'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'
import { plan } from '../../tools/setups/bench'

const token = new Secret('relay-token-of-metrics')
const secret = new Secret('collector-secret-0123456789')

const network = { kind: 'direct' } as const

function createHarness(isAgreed = true, proxyFor: ResolveProxy = async () => network) {
  const settings = memorySettings({ plans: [plan()] })
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: '', sessionAllowed: false })
  const asked: ConsentQuestion[] = []
  const confirm = async (question: ConsentQuestion) => {
    asked.push(question)
    return isAgreed
  }
  const metrics = new Metrics({ settings, vault, confirm, clock: () => new Date(), token: async () => token })
  const secrets = { token: async () => token, header: () => vault.get(metricsAccount), proxyFor }
  return { metrics, settings, vault, asked, built: () => buildRelayMetrics(settings.read(), secrets) }
}

const endpoint = 'https://a.example.com'
const withBearer = { endpoint, auth: { kind: 'bearer' }, sendsSpans: false } as const

it('publishes nothing by default', async () => {
  const { metrics, built } = createHarness()
  expect(contract['metrics.get'].output.parse(metrics.get())).toEqual({
    prometheus: { isOn: false, address: 'http://127.0.0.1:4870/metrics' },
  })
  expect(await built()).toBeUndefined()
  await metrics.setPrometheus({ isOn: true })
  expect(await built()).toEqual({ token, planNames: [{ id: 'p1', name: 'team' }], models: expect.any(Array) })
})

it('sends to a collector after the user’s confirmation, with the secret only in the keychain', async () => {
  const { metrics, settings, asked, built } = createHarness()
  const endpoint = 'https://otlp.example.com/team'
  const view = await metrics.setOtlp({ ...withBearer, endpoint: ` ${endpoint}/v1/metrics?x=1 ` }, secret)
  expect(contract['metrics.setOtlp'].output.parse(view).otlp).toEqual({ ...withBearer, endpoint, hasSecret: true })
  expect(asked).toEqual([{ kind: 'sendMetrics', endpoint, sendsSpans: false, isSigned: true }])
  expect(JSON.stringify(settings.read())).not.toContain('collector-secret')
  const otlp = (await built())?.otlp
  const header = { name: 'authorization', scheme: 'Bearer' }
  expect(otlp).toMatchObject({ endpoint, header })
  expect(otlp?.header?.value.isSame(secret)).toBe(true)
  // A new header for the same host needs no confirmation, but sending trace spans does.
  const sameHost = { endpoint: 'https://otlp.example.com', sendsSpans: false }
  await metrics.setOtlp({ ...sameHost, auth: { kind: 'header', name: 'x-key' } })
  expect(asked).toHaveLength(1)
  expect((await built())?.otlp?.header).toMatchObject({ name: 'x-key' })
  await metrics.setOtlp({ ...sameHost, auth: { kind: 'basic' }, sendsSpans: true })
  expect(asked).toHaveLength(2)
})

it('sends a secret to no other host, and removes it with its user', async () => {
  const { metrics, vault, built, settings } = createHarness()
  await metrics.setOtlp(withBearer, secret)
  const otherOtlp = { ...withBearer, endpoint: 'https://b.example.com' }
  await expectFailure(metrics.setOtlp(otherOtlp), 'input.invalid')
  await metrics.setOtlp({ endpoint: 'https://b.example.com', sendsSpans: false })
  await expectFailure(vault.get(metricsAccount), 'vault.keyMissing')
  expect((await built())?.otlp).toEqual({ endpoint: 'https://b.example.com', sendsSpans: false, network })
  const textBefore = metricsText(settings.read())
  expect(await metrics.removeOtlp()).not.toHaveProperty('otlp')
  expect(metricsText(settings.read())).not.toBe(textBefore)
  expect(await built()).toBeUndefined()
})

it('sends nothing without its secret', async () => {
  const { metrics, vault, built } = createHarness()
  await metrics.setOtlp(withBearer, secret)
  await vault.remove(metricsAccount)
  expect(await built()).toBeUndefined()
})

it.each([
  ['collector', 'address.notAnAddress'],
  ['http://collector.example.com:4318', 'address.insecure'],
  ['https://user:pass@collector.example.com', 'address.credentials'],
  ['file:///etc/passwd', 'address.notAnAddress'],
])('refuses %s', async (endpoint, code) => {
  const { metrics, asked, settings } = createHarness()
  await expectFailure(metrics.setOtlp({ endpoint, sendsSpans: false }), code)
  expect(asked).toEqual([])
  expect(settings.read().metrics.otlp).toBeUndefined()
})

it('sends nothing without the user’s confirmation', async () => {
  const { metrics, vault } = createHarness(false)
  await expectFailure(metrics.setOtlp({ ...withBearer, endpoint: 'http://localhost:4318' }, secret), 'input.declined')
  expect(metrics.get()).not.toHaveProperty('otlp')
  await expectFailure(vault.get(metricsAccount), 'vault.keyMissing')
})

it('sends nothing when the proxy settings are wrong', async () => {
  const { metrics, built } = createHarness(true, () => Promise.reject(new Error('unusable')))
  await metrics.setOtlp({ endpoint, sendsSpans: false })
  expect(await built()).toBeUndefined()
})
