import type { SandboxView, SandboxWorldView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepSandboxConnection, keepSandboxPlan, type openControl, Sandbox } from '../../../../src/main/app/sandbox'
import { Secret } from '../../../../src/main/core/secret'
import type { SettingsStore } from '../../../../src/main/core/settings/settings'
import { createVault } from '../../../../src/main/core/vault/vault'
import { Plans } from '../../../../src/main/plans/plans'
import { makeConnections } from '../../../support/connections'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memorySettings } from '../../../support/memory-settings'
import { expectFailure } from '../../support/failures'
import { offeredPlan, readyMessage, waitForReady } from './sandbox-ready'

const firstMessage = waitForReady({ plans: [offeredPlan('old', { status: 'EXPIRED' }), offeredPlan('pro')] })
const world: SandboxWorldView = { clock: '2026-11-21T08:00:00.000Z', aheadMs: 0, role: 'ROOT', credits: 0 }

interface Overrides {
  readonly failure?: AppError
  readonly settings?: Record<string, unknown>
  readonly isPlanThere?: boolean
}

function createHarness({ failure, settings: initial, isPlanThere = true }: Overrides = {}) {
  const settings = memorySettings(initial)
  const reportedStates: SandboxView['state'][] = []
  const starts: unknown[] = []
  const situations: unknown[] = []
  const storedStates: (string | undefined)[] = []
  let crashSandbox = (): void => undefined
  const stop = vi.fn(async () => undefined)
  const control: ReturnType<typeof openControl> = {
    requests: async () => [],
    simulate: async (...args) => void situations.push(args),
    world: async () => world,
    moveClock: async () => ({ world, happened: [] }),
    setAccount: async () => world,
    expireTokens: async () => undefined,
    reset: async () => isPlanThere,
  }
  const sandbox = new Sandbox({
    settings,
    host: {
      start: async (ports) => {
        starts.push(ports)
        if (failure) throw failure
        return firstMessage
      },
      stop,
      onExit: (listener) => {
        crashSandbox = listener
      },
    },
    createControl: () => control,
    keepPlan: async ({ plans: [firstPlan] }) => {
      storedStates.push(firstPlan?.planId)
      return 'plan-1'
    },
    onChanged: ({ state }) => reportedStates.push(state),
  })
  return {
    sandbox,
    settings,
    told: reportedStates,
    starts,
    situations,
    kept: storedStates,
    crash: () => crashSandbox(),
    stop,
  }
}

describe('Sandbox', () => {
  it('starts once for concurrent callers, and saves the ports so that the address stays the same', async () => {
    const { sandbox, settings, starts, told } = createHarness()
    const [firstView, secondView] = await Promise.all([sandbox.open(), sandbox.open()])
    expect(firstView).toEqual({
      state: 'running',
      gatewayUrl: firstMessage.gatewayUrl,
      planId: 'plan-1',
      situation: 'normal',
    })
    expect(secondView).toEqual(firstView)
    expect(starts).toEqual([{ gatewayPort: 4860, platformPort: 4861 }])
    expect(told).toEqual(['starting', 'running'])
    expect(settings.read().sandbox).toEqual({
      gatewayPort: 5001,
      platformPort: 5002,
      wanted: true,
      planId: 'plan-1',
      offered: { planId: 'pro', keyId: 'pro-key' },
    })
  })

  it('uses free ports on request', async () => {
    const { sandbox, starts } = createHarness()
    await sandbox.open({ anotherPort: true })
    expect(starts).toEqual([{ gatewayPort: 0, platformPort: 0 }])
  })

  it('reports why it could not start, leaves no process and keeps the ports', async () => {
    const failure = new AppError('sandbox.portInUse', 'Port 4860 is taken.')
    const { sandbox, settings, stop } = createHarness({ failure })
    await expect(sandbox.open()).rejects.toBe(failure)
    expect(sandbox.get()).toEqual({ state: 'failed', failure: failure.failure })
    expect(stop).toHaveBeenCalledOnce()
    expect(settings.read().sandbox).toMatchObject({ gatewayPort: 4860, wanted: false })
  })

  it('shows that it exited unexpectedly, and can be restarted', async () => {
    const { sandbox, crash } = createHarness()
    await sandbox.open()
    crash()
    expect(sandbox.get()).toMatchObject({ state: 'failed', failure: { code: 'sandbox.failed' } })
    for (const call of [sandbox.simulate({ situation: 'normal' }), sandbox.reset(), (async () => sandbox.control())()])
      await expectFailure(call, 'sandbox.failed')
    expect(await sandbox.requests({})).toEqual([])
    expect((await sandbox.open()).state).toBe('running')
  })

  it('does not start with the app after the user stopped it, but does after the app quit', async () => {
    const { sandbox, settings } = createHarness()
    await sandbox.open()
    await sandbox.end()
    expect(settings.read().sandbox.wanted).toBe(true)
    await sandbox.stop()
    expect(settings.read().sandbox.wanted).toBe(false)
    expect(sandbox.get()).toEqual({ state: 'stopped' })
  })

  it('offers the plan used before, whatever its state', async () => {
    const offeredKey = { planId: 'old', keyId: 'old-key' }
    const ports = { gatewayPort: 1, platformPort: 2 }
    const settings = { sandbox: { ...ports, wanted: true, planId: 'plan-1', offered: offeredKey } }
    const { sandbox, kept } = createHarness({ settings })
    await sandbox.open()
    expect(kept).toEqual(['old'])
  })

  it('applies scenarios in sequence, however quickly they are chosen', async () => {
    const { sandbox, situations } = createHarness()
    await sandbox.open()
    const chosen = ['keyDisabled', 'planExpired', 'normal'] as const
    await Promise.all(chosen.map((situation) => sandbox.simulate({ situation })))
    expect(situations.slice(1)).toEqual([
      ['keyDisabled', 'normal'],
      ['planExpired', 'keyDisabled'],
      ['normal', 'planExpired'],
    ])
  })

  it('has no scenario after a reset, and keeps its process', async () => {
    const { sandbox, settings, starts } = createHarness()
    await sandbox.open()
    await sandbox.simulate({ situation: 'dropped' })
    expect(await sandbox.reset()).toMatchObject({ state: 'running', situation: 'normal' })
    expect(settings.read().sandbox.situation).toBe('normal')
    expect(starts).toHaveLength(1)
  })

  it('restarts after a reset that removed the plan in use, so that another one is offered', async () => {
    const { sandbox, starts, stop, told, kept } = createHarness({ isPlanThere: false })
    await sandbox.open()
    expect(await sandbox.reset()).toMatchObject({ state: 'running', situation: 'normal' })
    expect([starts.length, kept]).toEqual([2, ['pro', 'pro']])
    expect(stop).toHaveBeenCalledOnce()
    expect(told.slice(-2)).toEqual(['starting', 'running'])
  })
})

it('adds the built-in sandbox once, with its secret in the keychain, and writes nothing without a change', async () => {
  const { connections, keychain, settings } = makeConnections()
  await keepSandboxConnection({ connections }, waitForReady())
  const settingsBefore = settings.read()
  keychain.asked.splice(0)
  await keepSandboxConnection({ connections }, waitForReady())
  expect(settings.read()).toEqual(settingsBefore)
  expect(keychain.asked).toEqual(['get connection:sandbox'])
  expect(connections.list()).toMatchObject([
    {
      id: 'sandbox',
      name: 'sandbox',
      isBuiltIn: true,
      isActive: true,
      secret: 'keychain',
      addresses: readyMessage().addresses,
    },
  ])
  expect([...keychain.items]).toEqual([['connection:sandbox', 'cs-sandbox-0123456789']])
})

it('follows the sandbox to other addresses and another secret', async () => {
  const { connections, keychain } = makeConnections()
  await keepSandboxConnection({ connections }, waitForReady())
  const { iam, addresses } = readyMessage()
  await keepSandboxConnection(
    { connections },
    waitForReady({
      addresses: { ...addresses, aipApiUrl: 'http://127.0.0.1:9/aip' },
      iam: { ...iam, tokenUrl: 'http://127.0.0.1:9/token', clientSecret: 'cs-other-0123456789' },
    }),
  )
  expect(connections.find('sandbox')).toMatchObject({
    addresses: { aipApiUrl: 'http://127.0.0.1:9/aip' },
    tokenSource: { tokenUrl: 'http://127.0.0.1:9/token' },
  })
  expect([...keychain.items.values()]).toEqual(['cs-other-0123456789'])
})

describe('the plan of the sandbox', () => {
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
    await expectFailure(keepSandboxPlan({ plans }, waitForReady(), undefined), 'sandbox.failed')
  })

  it('renames its plan when the user has one of that name', async () => {
    const ownPlan = { name: 'sandbox-pro', gatewayUrl: 'https://gw.example.com', models: [] }
    await plans.add(ownPlan, new Secret('sk-own-0123456789abcd'))
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
    const offered = [offeredPlan('p', { name: 'sandbox-pro', models, keys })]
    await keepSandboxPlan({ plans }, waitForReady({ gatewayUrl, plans: offered }), id)
    expect([...keychain.items.values()]).toEqual(['sk-sandbox-0123456789abcdef'])
  })

  it('removes other keys of a deleted sandbox state', async () => {
    const id = await keepFirstPlan()
    await plans.keepKey(id, { keyId: 'k2', name: 'two' }, new Secret('sk-sandbox-two-0123456789'))
    await keepSandboxPlan({ plans }, buildReadyMessage(1, 'sk-sandbox-other-0123456789'), id)
    expect([...keychain.items.values()]).toEqual(['sk-sandbox-other-0123456789'])
    expect(plans.view(id).keys).toMatchObject([{ name: 'default-key', origin: { keyId: 'k' } }])
  })
})
