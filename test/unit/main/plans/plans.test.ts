import type { CheckView } from '@shared/contract'
import type { ModelFacts } from '@shared/contract/plans'
import { describe, expect, it, test } from 'vitest'
import type { Confirm } from '../../../../src/main/core/consent/consent'
import { Secret } from '../../../../src/main/core/secret'
import { createVault, noteKept } from '../../../../src/main/core/vault/vault'
import { listModels } from '../../../../src/main/gateway/probe'
import { listPlatformModels, Plans, readPlanModels } from '../../../../src/main/plans/plans'
import { directSend } from '../../../support/direct-send'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memorySettings } from '../../../support/memory-settings'
import { expectFailure } from '../../support/failures'
import { serve } from '../gateway/answering-server'

const secret = new Secret('sk-plans-0123456789abcdef')
const passedCheck: CheckView = {
  ok: true,
  at: '2026-01-01T00:00:00.000Z',
  standard: 'chat-completions',
  requestAddress: 'https://gw.example.com/v1/chat/completions',
  durationMs: 12,
  modelCode: 'm',
}

function createHarness({
  usedBy = [] as string[],
  duringCheck = () => {},
  confirm = undefined as Confirm | undefined,
  readModels = async (): Promise<ModelFacts[]> => [],
} = {}) {
  const settings = memorySettings()
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: true })
  const consentQuestions: unknown[] = []
  const plans = new Plans({
    settings,
    vault,
    clock: () => new Date('2026-01-01T00:00:00Z'),
    readModels,
    findUses: () => () => usedBy.map((toolId) => ({ toolId })),
    ...(confirm ? { confirm } : {}),
    check: async (question) => {
      consentQuestions.push(question)
      duringCheck()
      return passedCheck
    },
  })
  return { plans, settings, keychain, vault, consentQuestions }
}

const input = { name: 'team', gatewayUrl: ' https://GW.example.com/v1/ ', models: ['m', 'm', 'n'] }

/** Creates plans with one that has a key. */
async function startWithPlan(options?: Parameters<typeof createHarness>[0]) {
  const harness = createHarness(options)
  const plan = await harness.plans.add(input, secret)
  return { ...harness, plan, id: plan.id, keyId: plan.keys[0]?.id ?? '' }
}

describe('Plans', () => {
  it('stores the key in the keychain and nothing of it in the settings', async () => {
    const { settings, keychain, plan } = await startWithPlan()
    expect(plan).toMatchObject({ name: 'team', gatewayUrl: 'https://gw.example.com', models: ['m', 'n'] })
    expect(plan.keys).toMatchObject([{ masked: secret.masked, kept: 'keychain' }])
    expect([...keychain.items.values()]).toEqual([secret.expose()])
    expect(JSON.stringify(settings.read())).not.toContain('0123456789')
  })

  it('reads model lists once while sizes are unknown, and again after a check', async () => {
    let reads = 0
    const readModels = async () => {
      reads += 1
      return reads === 1 ? [] : [{ modelCode: 'm', contextTokens: 64_000 }]
    }
    const { plans, id } = await startWithPlan({ readModels })
    await plans.learnModels(id)
    await plans.learnModels(id)
    expect([reads, plans.view(id).modelFacts]).toEqual([1, undefined])
    await plans.check(id)
    expect([reads, plans.view(id).modelFacts]).toEqual([2, [{ modelCode: 'm', contextTokens: 64_000 }]])
    expect(plans.update(id, { ...input, gatewayUrl: 'https://other.example.com' }).modelFacts).toBeUndefined()
  })

  it('records that the keychain no longer has a key, until it is saved or read again', async () => {
    const { plans, keychain, id, keyId } = await startWithPlan()
    const items = [...keychain.items]
    keychain.items.clear()
    await expectFailure(plans.readSecret(plans.find(id)), 'vault.keyMissing')
    expect(plans.view(id).keys).toMatchObject([{ kept: 'missing' }])
    for (const [account, value] of items) keychain.items.set(account, value)
    await plans.readSecret(plans.find(id), keyId)
    expect(plans.view(id).keys).toMatchObject([{ kept: 'keychain' }])
  })

  it('records that the gateway rejects a key, until it accepts it again', async () => {
    const { plans, id, keyId } = await startWithPlan()
    plans.noteKeyProblem(keyId, 'rejected')
    expect(plans.view(id).keys).toMatchObject([{ problem: 'rejected' }])
    await plans.check(id)
    expect(plans.view(id).keys[0]?.problem).toBeUndefined()
  })

  it('takes over the names of an account’s keys, and misses one only in a complete list', async () => {
    const { plans } = createHarness()
    const account = { connectionId: 'c', planId: 'p', keyId: 'k' }
    const { id } = await plans.add(input, secret, { source: 'console', keyName: 'ci', account })
    const noteKey = (keyId: string, isComplete: boolean) =>
      plans.noteKeys(new Map([[id, { keys: [{ keyId, name: 'renamed', status: 'ACTIVE' }], isComplete }]]))
    noteKey('other', false)
    expect(plans.view(id).keys[0]?.problem).toBeUndefined()
    noteKey('other', true)
    expect(plans.view(id).keys).toMatchObject([{ problem: 'deleted' }])
    noteKey('k', false)
    const [key] = plans.view(id).keys
    expect([key?.name, key?.problem]).toEqual(['renamed', undefined])
  })

  it('finds a plan by name and id, and explains what to do about an unknown one', async () => {
    const { plans, plan } = await startWithPlan()
    expect(plans.find('team').id).toBe(plan.id)
    expect(plans.find(plan.id).name).toBe('team')
    expect(() => plans.find('other')).toThrow('companion plan list')
  })

  it('refuses a second plan of the same name and saves nothing of it', async () => {
    const { plans, keychain } = await startWithPlan()
    await expectFailure(plans.add(input, secret), 'plan.nameTaken', { field: 'name' })
    expect(keychain.items.size).toBe(1)
    expect(plans.list()).toHaveLength(1)
  })

  it('refuses an address that cannot be a gateway and names the field', async () => {
    const { plans } = createHarness()
    const wrongAddressAdd = plans.add({ ...input, gatewayUrl: 'https://gw.example.com/console' }, secret)
    await expectFailure(wrongAddressAdd, 'address.path', { field: 'gatewayUrl' })
  })

  it('checks the gateway with the plan’s own address, key and first model, and saves the outcome', async () => {
    const { plans, consentQuestions, plan } = await startWithPlan()
    await plans.check(plan.id)
    const question = { url: 'https://gw.example.com', modelCode: 'm', standard: 'chat-completions' }
    expect(consentQuestions).toMatchObject([question])
    expect(plans.list()[0]?.lastCheck).toEqual(passedCheck)
  })

  it('checks the newest active key, and names the replacement of a disabled one', async () => {
    const { plans, settings, consentQuestions, id: planId } = await startWithPlan()
    await plans.keepKey(planId, { keyId: 'account-new', name: 'newest' }, new Secret('sk-plans-new-0123456789zz'))
    await plans.check(planId)
    expect(consentQuestions.at(-1)).toMatchObject({ key: new Secret('sk-plans-new-0123456789zz') })
    const disabledKey = { keyId: 'account-new', name: 'newest', status: 'DISABLED' } as const
    plans.noteKeys(new Map([[planId, { keys: [disabledKey], isComplete: false }]]))
    await plans.check(planId)
    expect(consentQuestions.at(-1)).toMatchObject({ key: secret })
    const plan = plans.find(planId)
    const keyRejectedFailure = { code: 'gateway.keyRejected', message: 'Copy the key again.' } as const
    const disabledId = plan.keys.find(({ name }) => name === 'newest')?.id ?? ''
    const { message } = plans.explainRefusal(keyRejectedFailure, plan, disabledId)
    expect(message).toContain('The key newest of team is disabled.')
    expect(plans.explainRefusal(keyRejectedFailure, plan)).toEqual(keyRejectedFailure)
    expect(plans.explainRefusal({ code: 'net.timeout', message: 'late' }, plan, disabledId).message).toBe('late')
    expect(settings.read().plans[0]?.keys.map(({ status }) => status)).toEqual([undefined, 'DISABLED'])
  })

  it('does not restore a plan that was removed during a check', async () => {
    let resolveRemoval = () => {}
    const { plans, settings, plan } = await startWithPlan({ duringCheck: () => resolveRemoval() })
    resolveRemoval = () => settings.update(() => ({ plans: [] }))
    await plans.check(plan.id)
    expect(plans.list()).toEqual([])
  })

  it('drops the last check when the gateway changes, and keeps it when only the name does', async () => {
    const { plans, plan } = await startWithPlan()
    await plans.check(plan.id)
    expect(plans.update(plan.id, { ...input, name: 'renamed' }).lastCheck).toEqual(passedCheck)
    expect(plans.update(plan.id, { ...input, gatewayUrl: 'https://other.example.com' }).lastCheck).toBeUndefined()
  })

  it('replaces a key in the same keychain item', async () => {
    const { plans, keychain, id, keyId } = await startWithPlan()
    const [account] = [...keychain.items.keys()]
    await plans.replaceKey(id, keyId, new Secret('sk-plans-new-0123456789zz'))
    expect([...keychain.items]).toEqual([[account, 'sk-plans-new-0123456789zz']])
  })

  it('does not remove a plan in use without force, and then removes its key too', async () => {
    const { plans, keychain, plan } = await startWithPlan({ usedBy: ['claude-code'] })
    await expectFailure(plans.remove(plan.id), 'plan.inUse')
    expect(keychain.items.size).toBe(1)
    await plans.remove(plan.id, { evenIfUsed: true })
    expect(plans.list()).toEqual([])
    expect(keychain.items.size).toBe(0)
  })

  it('keeps a plan whose key the keychain did not delete', async () => {
    const { plans, keychain, plan } = await startWithPlan()
    keychain.isLocked = true
    await expectFailure(plans.remove(plan.id), 'vault.unavailable')
    expect(plans.list()).toHaveLength(1)
  })

  it('shows a session key as missing after a restart, and as saved once it moved to the keychain', async () => {
    const { plans, keychain, settings, vault } = createHarness()
    keychain.isLocked = true
    const plan = await plans.add(input, secret)
    expect(plan.keys[0]?.kept).toBe('session')
    const restartedPlans = new Plans({
      settings,
      vault: createVault({ keychain, install: '', sessionAllowed: true }),
      clock: () => new Date(),
      findUses: () => () => [],
      check: async () => passedCheck,
    })
    expect(restartedPlans.list()[0]?.keys[0]?.kept).toBe('missing')
    keychain.isLocked = false
    noteKept(settings, await vault.recheck())
    expect(plans.list()[0]?.keys[0]?.kept).toBe('keychain')
  })

  it.each([
    ['team', ['other'], 'team'],
    ['team', ['team', 'team-2'], 'team-3'],
    ['x'.repeat(50), ['x'.repeat(50)], `${'x'.repeat(48)}-2`],
  ])('finds for %s next to %j the free name %s', async (requestedName, names, free) => {
    const { plans } = createHarness()
    for (const name of names) await plans.add({ ...input, name }, secret)
    expect(plans.freeName(requestedName)).toBe(free)
  })

  it('saves several keys of a linked plan, each once, and removes them individually', async () => {
    const { plans, keychain } = createHarness()
    const account = { connectionId: 'work', planId: 'p', keyId: 'k1' }
    const { id } = await plans.add(input, secret, { source: 'console', keyName: 'default-key', account })
    const secondSecret = new Secret('sk-second-0123456789abcd')
    await plans.keepKey(id, { keyId: 'k2', name: 'two' }, new Secret('sk-wrong-0123456789abcd'))
    await plans.keepKey(id, { keyId: 'k2', name: 'two' }, secondSecret)
    expect([...keychain.items.values()]).toEqual([secret.expose(), secondSecret.expose()])
    expect(plans.view(id).keys.map(({ origin }) => origin?.keyId)).toEqual(['k1', 'k2'])
    expect([...plans.directory.linked('work').keys(), ...plans.directory.linked('other').keys()]).toEqual(['p'])
    await plans.removeKey(id, plans.find(id).keys[0]?.id ?? '')
    expect(plans.view(id).keys).toMatchObject([{ name: 'two' }])
    expect([...keychain.items.values()]).toEqual([secondSecret.expose()])
  })

  it('stays linked when changed, but a replaced key does not', async () => {
    const { plans } = createHarness()
    const account = { connectionId: 'work', planId: 'p', keyId: 'k1' }
    const { id, keys } = await plans.add(input, secret, { source: 'console', keyName: 'default-key', account })
    expect(plans.update(id, { ...input, name: 'renamed' }).origin).toEqual({ connectionId: 'work', planId: 'p' })
    const replacedPlan = await plans.replaceKey(id, keys[0]?.id ?? '', new Secret('sk-other-0123456789abcd'))
    expect(replacedPlan.keys[0]?.origin).toBeUndefined()
  })
})

describe('a user’s change of a plan', () => {
  const maliciousInput = { ...input, gatewayUrl: 'https://evil.example' }

  it('sends a saved key to another gateway only after a confirmation', async () => {
    const confirmations: unknown[] = []
    const { plans, id } = await startWithPlan({ confirm: async (question) => confirmations.push(question) > 1 })
    await expectFailure(plans.change(id, maliciousInput), 'input.declined')
    expect(plans.find(id).gatewayUrl).toBe('https://gw.example.com')
    const destinations = [{ field: 'tokenPlanUrl', from: 'https://gw.example.com', to: maliciousInput.gatewayUrl }]
    expect(confirmations).toEqual([{ kind: 'sendElsewhere', holder: 'plan', name: 'team', destinations }])
    expect(await plans.change(id, maliciousInput)).toMatchObject({ gatewayUrl: maliciousInput.gatewayUrl })
  })

  it('needs no confirmation when no key moves', async () => {
    const { plans, settings, id } = await startWithPlan({ confirm: () => Promise.reject(new Error('must not ask')) })
    const renamedInput = { name: 'renamed', gatewayUrl: 'gw.example.com/v1', models: ['z'], contextTokens: 5000 }
    const renamedPlan = { name: 'renamed', gatewayUrl: 'https://gw.example.com' }
    expect(await plans.change(id, renamedInput)).toMatchObject(renamedPlan)
    settings.update(({ plans: storedPlans }) => ({ plans: storedPlans.map((plan) => ({ ...plan, keys: [] })) }))
    expect(await plans.change(id, maliciousInput)).toMatchObject({ gatewayUrl: maliciousInput.gatewayUrl })
  })

  it('is refused for an account’s plan even without a key here', async () => {
    const { plans, settings, id } = await startWithPlan()
    const origin = { connectionId: 'c', planId: 'p' }
    settings.update(({ plans: storedPlans }) => ({ plans: storedPlans.map((plan) => ({ ...plan, keys: [], origin })) }))
    await expectFailure(plans.change(id, maliciousInput), 'input.declined')
  })
})

const key = new Secret('sk-model-lists-0123456789')

const serveList = (data: readonly object[]) =>
  serve((_request, response) => void response.end(JSON.stringify({ data })))

const createConnections = (rows: readonly object[]) => ({
  client: async () => ({
    async *pages() {
      yield { status: 200, data: rows, page: 0, items: rows }
    },
  }),
})

test.each<[string, object, Partial<ModelFacts>]>([
  ['vLLM', { id: 'm', max_model_len: 32_768 }, { contextTokens: 32_768 }],
  ['OpenRouter', { id: 'm', context_length: 200_000 }, { contextTokens: 200_000 }],
  ['LiteLLM', { id: 'm', model_info: { max_input_tokens: 64_000 } }, { contextTokens: 64_000 }],
  ['llama.cpp', { id: 'm', meta: { n_ctx_train: 131_072 } }, { contextTokens: 131_072 }],
  ['LM Studio', { id: 'm', max_context_length: 8192, type: 'llm' }, { contextTokens: 8192 }],
  ['a list with limits', { id: 'm', limit: { context: 64_000, output: 8000 } }, { contextTokens: 64_000 }],
  ['Mistral', { id: 'm', capabilities: { vision: true, audio: false } }, { capabilities: ['vision'] }],
  ['a list with texts', { id: 'm', context_window: '128K' }, { contextTokens: 128_000 }],
  ['a list with impossible sizes', { id: 'm', context_length: 1e12, max_model_len: -1 }, {}],
  ['a list with odd types', { id: 'm', context_length: { a: 1 }, capabilities: [1, '', 'x'.repeat(99)] }, {}],
  ['OpenAI', { id: 'm', object: 'model', owned_by: 'x' }, {}],
])('reads the facts of a model from the list of %s', async (_name, entry, facts) => {
  const server = await serveList([entry])
  const listed = await listModels({ url: server.url, key }, directSend)
  expect(listed).toMatchObject({ facts: [{ modelCode: 'm', ...facts }] })
  expect((await listModels({ url: server.url }, directSend)).kind).toBe('listed')
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key.expose()}`, undefined])
})

test('reads the facts of a platform', async () => {
  const rows = [{ uuid: 'u', name: 'Vega', modelCode: 'vega', contextTokens: 256_000, enabledTypes: ['chat'] }, 7, {}]
  expect(await listPlatformModels('c', createConnections(rows as object[]))).toEqual([
    { modelCode: 'vega', contextTokens: 256_000, capabilities: ['chat'] },
  ])
})

test('asks the gateway only for what the platform does not know', async () => {
  const server = await serveList([
    { id: 'a', max_model_len: 9000 },
    { id: 'b', max_model_len: 32_000 },
    { id: 'other', max_model_len: 1000 },
  ])
  const plan = { origin: { connectionId: 'c', planId: 'p' }, gatewayUrl: server.url, models: ['a', 'b'] }
  const read = (rows: readonly object[]) =>
    readPlanModels(plan, async () => key, {
      connections: createConnections(rows),
      listModels: (question) => listModels(question, directSend),
    })
  const platformModel = { modelCode: 'a', contextTokens: 64_000 }
  expect(await read([platformModel])).toEqual([platformModel, { modelCode: 'b', contextTokens: 32_000 }])
  expect(await read([platformModel, { modelCode: 'b', contextTokens: 8192 }])).toHaveLength(2)
  expect(server.received).toHaveLength(1)
})

test('knows nothing without lists, and never fails', async () => {
  const plan = { origin: { connectionId: 'c', planId: 'p' }, gatewayUrl: 'http://127.0.0.1:9', models: [] }
  const fail = () => Promise.reject(new Error('gone'))
  const deps = { connections: { client: fail }, listModels: async () => ({ kind: 'unknown' }) as const }
  expect(await readPlanModels(plan, fail, deps)).toEqual([])
  expect(await readPlanModels(plan, async () => key, deps)).toEqual([])
})
