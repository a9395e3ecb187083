import { beforeEach, expect, it } from 'vitest'
import { keepSandboxPlan } from '../../../../src/main/app/compose-app'
import { Secret } from '../../../../src/main/core/secret'
import type { SettingsStore } from '../../../../src/main/core/settings/settings'
import { createVault } from '../../../../src/main/core/vault/vault'
import { Plans } from '../../../../src/main/plans/plans'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memorySettings } from '../../../support/memory-settings'
import { offeredPlan, waitForReady } from './sandbox/ready'

let keychain: MemoryKeychain
let settings: SettingsStore
let plans: Plans
beforeEach(() => {
  keychain = new MemoryKeychain()
  settings = memorySettings()
  const vault = createVault({ keychain, install: '', sessionAllowed: true })
  const check = () => Promise.reject(new Error('not asked for'))
  plans = new Plans({ settings, vault, check, clock: () => new Date(), findUses: () => () => [] })
})

const buildReadyMessage = (port: number, key = 'sk-sandbox-0123456789abcdef', models = ['a', 'b']) =>
  waitForReady({
    gatewayUrl: `http://127.0.0.1:${port}`,
    plans: [
      offeredPlan('p', {
        name: 'sandbox-pro',
        models: models.map((modelCode, n) => ({ modelCode, contextTokens: 128_000 >> n })),
        keys: [{ keyId: 'k', name: 'default-key', status: 'ACTIVE', key }],
      }),
    ],
  })

const keepFirstPlan = () => keepSandboxPlan({ plans }, buildReadyMessage(1), undefined)

it('adds the plan once, with its key in the keychain and the context sizes of its models', async () => {
  const id = await keepFirstPlan()
  expect(await keepSandboxPlan({ plans }, buildReadyMessage(1), id)).toBe(id)
  expect(plans.list()).toMatchObject([
    {
      name: 'sandbox-pro',
      source: 'sandbox',
      models: ['a', 'b'],
      modelFacts: buildReadyMessage(1).plans[0]?.models,
      keys: [{ name: 'default-key' }],
    },
  ])
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-0123456789abcdef'])
})

it('follows the sandbox to another port and uses its new key', async () => {
  const id = await keepFirstPlan()
  await keepSandboxPlan({ plans }, buildReadyMessage(9, 'sk-sandbox-other-0123456789'), id)
  expect(plans.find(id).gatewayUrl).toBe('http://127.0.0.1:9')
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-other-0123456789'])
})

it('adopts the models of a new key, and keeps user-defined ones with the same key', async () => {
  const id = await keepFirstPlan()
  plans.update(id, { ...plans.find(id), models: ['mine'] })
  await keepSandboxPlan({ plans }, buildReadyMessage(1), id)
  expect(plans.find(id).models).toEqual(['mine'])
  await keepSandboxPlan({ plans }, buildReadyMessage(1, 'sk-sandbox-other-0123456789', ['c']), id)
  expect(plans.find(id).models).toEqual(['c'])
})

it('fails when the sandbox has no plan with a key', async () => {
  await expect(keepSandboxPlan({ plans }, waitForReady(), undefined)).rejects.toMatchObject({
    failure: { code: 'sandbox.failed' },
  })
})

it('renames its plan when the user has one of that name', async () => {
  await plans.add(
    { name: 'sandbox-pro', gatewayUrl: 'https://gw.example.com', models: [] },
    new Secret('sk-own-0123456789abcd'),
  )
  await keepFirstPlan()
  expect(plans.list().map(({ name }) => name)).toEqual(['sandbox-pro', 'sandbox-pro-2'])
})

it('links the plan and its key to the sandbox, also a plan saved before links existed', async () => {
  const id = await keepFirstPlan()
  const linkedPlan = { origin: { connectionId: 'sandbox', planId: 'p' }, keys: [{ origin: { keyId: 'k' } }] }
  expect(plans.list()).toMatchObject([linkedPlan])
  const [{ origin: _, keys, ...plan } = plans.find(id)] = settings.read().plans
  settings.update(() => ({ plans: [{ ...plan, keys: keys.map(({ origin: _origin, ...key }) => key) }] }))
  await keepSandboxPlan({ plans }, buildReadyMessage(1), id)
  expect(plans.list()).toMatchObject([linkedPlan])
})

it('uses the plan already saved from the sandbox’s account', async () => {
  const account = { connectionId: 'sandbox', planId: 'p', keyId: 'k' }
  const planInput = { name: 'bought', gatewayUrl: 'http://127.0.0.1:1', models: ['a'] }
  const secret = new Secret('sk-sandbox-0123456789abcdef')
  const purchasedPlan = await plans.add(planInput, secret, { source: 'console', keyName: 'default-key', account })
  expect(await keepFirstPlan()).toBe(purchasedPlan.id)
  expect(plans.list()).toHaveLength(1)
})

it('keeps the key that tools use when another is offered first', async () => {
  const id = await keepFirstPlan()
  const keys = [
    { keyId: 'new', name: 'new', status: 'ACTIVE', key: 'sk-sandbox-new-0123456789' },
    { keyId: 'k', name: 'default-key', status: 'ACTIVE', key: 'sk-sandbox-0123456789abcdef' },
  ]
  const models = [{ modelCode: 'a', contextTokens: 128_000 }]
  const gatewayUrl = 'http://127.0.0.1:1'
  const otherReadySandbox = waitForReady({
    gatewayUrl,
    plans: [offeredPlan('p', { name: 'sandbox-pro', models, keys })],
  })
  await keepSandboxPlan({ plans }, otherReadySandbox, id)
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-0123456789abcdef'])
})

it('removes other keys of a deleted sandbox state', async () => {
  const id = await keepFirstPlan()
  await plans.keepKey(id, { keyId: 'k2', name: 'two' }, new Secret('sk-sandbox-two-0123456789'))
  await keepSandboxPlan({ plans }, buildReadyMessage(1, 'sk-sandbox-other-0123456789'), id)
  expect([...keychain.items.values()]).toEqual(['sk-sandbox-other-0123456789'])
  expect(plans.view(id).keys).toMatchObject([{ name: 'default-key', origin: { keyId: 'k' } }])
})
