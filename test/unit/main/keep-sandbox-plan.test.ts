import { expect, it } from 'vitest'
import { Plans } from '../../../src/main/features/plans'
import { keepSandboxPlan } from '../../../src/main/keep-sandbox-plan'
import type { SandboxReady } from '../../../src/main/sandbox/host'
import { Secret } from '../../../src/main/secret'
import { createVault } from '../../../src/main/vault/vault'
import { MemoryKeychain } from '../../support/memory-keychain'
import { memorySettings } from '../../support/memory-settings'

function make() {
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: '', sessionAllowed: true })
  const check = () => Promise.reject(new Error('not asked for'))
  const plans = new Plans({ settings: memorySettings(), vault, check, clock: () => new Date(), usedBy: () => [] })
  return { plans, keychain }
}

const ready = (port: number, key = 'sk-sandbox-0123456789abcdef'): SandboxReady => ({
  kind: 'ready',
  gatewayUrl: `http://127.0.0.1:${port}`,
  platformUrl: 'http://127.0.0.1:2',
  controlToken: 'control',
  addresses: {
    tokenPlanUrl: `http://127.0.0.1:${port}`,
    consoleUrl: 'http://127.0.0.1:2/console',
    identityApiUrl: 'http://127.0.0.1:2/identity/api/v1',
    runtimeApiUrl: 'http://127.0.0.1:2/runtime',
    memoryApiUrl: 'http://127.0.0.1:2/memory',
    registryApiUrl: 'http://127.0.0.1:2/registry',
    aipApiUrl: 'http://127.0.0.1:2/aip',
    inferenceUrl: 'http://127.0.0.1:2/inference/v1',
    registryHost: '127.0.0.1:2',
  },
  iam: {
    tokenUrl: 'http://127.0.0.1:2/iam/oauth2/token',
    clientId: 'client',
    clientSecret: new Secret('cs-sandbox-1'),
  },
  plans: [
    {
      planId: 'p',
      name: 'sandbox-pro',
      status: 'ACTIVE',
      models: [
        { modelCode: 'a', contextTokens: 128_000 },
        { modelCode: 'b', contextTokens: 64_000 },
      ],
      keys: [{ keyId: 'k', name: 'default-key', status: 'ACTIVE', key }],
    },
  ],
})

it('adds the plan once, with its key in the keychain and the smallest context window', async () => {
  const { plans, keychain } = make()
  const id = await keepSandboxPlan({ plans }, ready(1), undefined)
  expect(await keepSandboxPlan({ plans }, ready(1), id)).toBe(id)
  expect(plans.list()).toMatchObject([
    {
      name: 'sandbox-pro',
      source: 'sandbox',
      models: ['a', 'b'],
      contextTokens: 64_000,
      keys: [{ name: 'default-key' }],
    },
  ])
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-0123456789abcdef'])
})

it('follows the sandbox to another port, and takes its new key', async () => {
  const { plans, keychain } = make()
  const id = await keepSandboxPlan({ plans }, ready(1), undefined)
  await keepSandboxPlan({ plans }, ready(9, 'sk-sandbox-other-0123456789'), id)
  expect(plans.find(id).gatewayUrl).toBe('http://127.0.0.1:9')
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-other-0123456789'])
})

it('makes way for a plan of that name that the person has', async () => {
  const { plans } = make()
  await plans.add(
    { name: 'sandbox-pro', gatewayUrl: 'https://gw.example.com', models: [] },
    new Secret('sk-own-0123456789abcd'),
  )
  await keepSandboxPlan({ plans }, ready(1), undefined)
  expect(plans.list().map(({ name }) => name)).toEqual(['sandbox-pro', 'sandbox-pro-2'])
})
