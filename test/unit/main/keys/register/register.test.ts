import { register as contract } from '@shared/contract'
import { registerId } from '@shared/contract/register'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import type { AuditNote } from '../../../../../src/main/core/ports'
import { Secret } from '../../../../../src/main/core/secret'
import { Register } from '../../../../../src/main/keys/register/register'
import type { KeyLastUse } from '../../../../../src/main/usage/ports'
import { connectionId, expiredPlanId, pro, proPlanRef, startHarness } from '../../plans/account/account-bench'
import { catchFailure } from '../../platform/harness'

type RegisterDeps = ConstructorParameters<typeof Register>[0]

const annHolder = { kind: 'person', name: 'An' } as const
const nowIso = '2026-05-04T03:02:01.000Z'

async function startRegister(options: Partial<RegisterDeps> = {}) {
  const bench = await startHarness()
  const auditNotes: AuditNote[] = []
  const state = { isOffline: false }
  const { account, plans, settings } = bench
  const accountStub: RegisterDeps['account'] = {
    planKeys: async (connectionRef) =>
      state.isOffline ? Promise.reject(new AppError('net.refused', 'off')) : account.planKeys(connectionRef),
    usage: async (usageQuery) => {
      if (state.isOffline) throw new AppError('net.refused', 'off')
      return account.usage(usageQuery)
    },
    setKeyStatus: (statusChange) => account.setKeyStatus(statusChange),
    deleteKey: (keyRef) => account.deleteKey(keyRef),
  }
  const register = new Register({
    ...{ settings, plans, account: accountStub, consoles: () => [connectionId], clock: () => new Date(nowIso) },
    uses: () => plans.list().map(({ id }) => ({ toolName: 'OpenCode', planId: id })),
    audit: { note: async (entry) => void auditNotes.push(entry) },
    ...options,
  })
  const list = async () => contract['register.list'].output.parse(await register.list())
  return { ...bench, register, list, noted: auditNotes, state }
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}

const proKey = { planId: pro, keyId: 'key-pro-default' }

describe('the register', () => {
  it('joins the keys of the account with the keys saved here and the tools that use them', async () => {
    const { account, plans, list, keyText } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await plans.add(
      { name: 'handed', gatewayUrl: 'https://h.example.com', models: [] },
      new Secret('sk-handed-0123456789'),
    )
    const entries = await list()
    expect(entries).toMatchObject([
      { planName: 'handed', keyName: 'default-key', status: 'unknown', isKeptHere: true, tools: ['OpenCode'] },
      { planName: 'sandbox-expired', keyName: 'default-key', isKeptHere: false, planId: 'plan-sandbox-expired' },
      {
        ...{ planName: 'sandbox-pro', keyName: 'default-key', status: 'ACTIVE', isKeptHere: true, tools: ['OpenCode'] },
        ...{ planId: plans.find('sandbox-pro').id, origin: { connectionId, ...proKey } },
      },
      { planName: 'sandbox-pro', keyName: 'old-laptop', status: 'DISABLED', isKeptHere: false, tools: [] },
    ])
    expect(entries[0]).not.toHaveProperty('origin')
    expect(JSON.stringify(entries)).not.toContain(keyText('key-pro-default'))
  })

  it('saves the holder and purpose of a key by local id and account id', async () => {
    const { account, plans, register, list, noted: auditNotes } = await startRegister()
    await list()
    await register.update({ ...proKey, holder: annHolder, purpose: 'pipeline' })
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    const { id, keys } = plans.find('sandbox-pro')
    const local = { planId: id, keyId: keys[0]?.id ?? '' }
    const changed = await register.update({ ...local, machine: 'laptop' })
    expect(contract['register.update'].output.parse(changed)).toMatchObject({
      holder: annHolder,
      purpose: 'pipeline',
      machine: 'laptop',
    })
    const clearedEntry = await register.update({ ...proKey, holder: null, purpose: '', machine: '' })
    expect([clearedEntry.holder, clearedEntry.purpose, clearedEntry.machine]).toEqual([undefined, undefined, undefined])
    expect(auditNotes).toMatchObject([
      { what: 'registerChanged', keyName: 'default-key', subject: 'An' },
      { what: 'registerChanged' },
      { what: 'registerChanged', subject: '' },
    ])
  })

  it('drops an empty note', async () => {
    const { register, settings } = await startRegister()
    await register.update({ ...proKey, holder: annHolder })
    expect(settings.read().register).toHaveLength(1)
    await register.update({ ...proKey, holder: null })
    expect(settings.read().register).toEqual([])
  })

  it('fails for an unknown key', async () => {
    const { register } = await startRegister()
    expect((await catchFailure(register.update({ planId: pro, keyId: 'nobody', holder: annHolder }))).code).toBe(
      'register.notFound',
    )
  })
})

describe('a slow account', () => {
  it('does not delay the keys saved here', async () => {
    const { account, register, state } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    state.isOffline = true
    expect(register.known()).toMatchObject([{ planName: 'sandbox-pro', keyName: 'default-key', status: 'unknown' }])
  })

  it('updates the records of all saved keys in one write', async () => {
    const { account, settings, list } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await account.keepKey({ connectionId, planId: expiredPlanId, keyId: 'key-expired-default' })
    settings.update(({ plans }) => ({
      plans: plans.map((plan) => ({ ...plan, keys: plan.keys.map(({ status: _, ...key }) => key) })),
    }))
    let writes = 0
    settings.onChange(() => {
      writes += 1
    })
    await list()
    const statuses = settings.read().plans.flatMap(({ keys }) => keys.map(({ status }) => status))
    expect([statuses, writes]).toEqual([['ACTIVE', 'ACTIVE'], 1])
  })

  it('triggers an event after its response and no second request', async () => {
    const { account } = await startHarness()
    let planKeysCalls = 0
    const releaseGate = createDeferred()
    const slowAccount: RegisterDeps['account'] = {
      planKeys: async (connectionRef) => {
        planKeysCalls += 1
        await releaseGate.promise
        return account.planKeys(connectionRef)
      },
      usage: () => Promise.reject(new Error('not asked for')),
      setKeyStatus: (statusChange) => account.setKeyStatus(statusChange),
      deleteKey: (keyRef) => account.deleteKey(keyRef),
    }
    const eventGate = createDeferred()
    const { list } = await startRegister({ account: slowAccount, timeoutMs: 10, onLate: () => eventGate.resolve() })
    expect(await list()).toEqual([])
    releaseGate.resolve()
    await eventGate.promise
    const entries = await list()
    expect([entries.length, planKeysCalls]).toEqual([3, 1])
    await list()
    expect(planKeysCalls).toBe(2)
  })
})

describe('without the account', () => {
  it('shows cached keys, saved keys and notes, without a status', async () => {
    const { account, register, list, state } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await register.update({ ...proKey, holder: annHolder })
    state.isOffline = true
    const entries = await list()
    expect(entries.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(entries.find(({ holder }) => holder !== undefined)).toMatchObject({
      keyName: 'default-key',
      holder: annHolder,
    })
  })

  it('keeps the names of noted keys after a restart', async () => {
    const { register, state, settings, plans } = await startRegister()
    await register.update({ ...proKey, holder: annHolder })
    state.isOffline = true
    const ports = { consoles: () => [connectionId], uses: () => [], audit: { note: async () => undefined } }
    const failOffline = async () => Promise.reject(new AppError('net.refused', 'off'))
    const restartedRegister = new Register({
      ...{ settings, plans, ...ports, clock: () => new Date(nowIso) },
      account: { planKeys: failOffline, usage: failOffline, setKeyStatus: failOffline, deleteKey: failOffline },
    })
    expect(await restartedRegister.list()).toMatchObject([
      { planName: 'sandbox-pro', keyName: 'default-key', status: 'unknown', isKeptHere: false, holder: annHolder },
    ])
  })

  it('does not wait for an account that does not respond', async () => {
    const waitForever = () => new Promise<never>(() => undefined)
    const { register, plans } = await startRegister({
      account: { planKeys: waitForever, usage: waitForever, setKeyStatus: waitForever, deleteKey: waitForever },
      timeoutMs: 50,
    })
    await plans.add(
      { name: 'handed', gatewayUrl: 'https://h.example.com', models: [] },
      new Secret('sk-handed-0123456789'),
    )
    expect(await register.list()).toMatchObject([{ planName: 'handed' }])
  })

  it('marks a noted key as gone when the account no longer lists it', async () => {
    const { account, register, list } = await startRegister()
    await register.update({ ...proKey, holder: annHolder })
    await account.deleteKey({ ...proPlanRef, keyId: 'key-pro-default' })
    expect(await list()).toContainEqual(
      expect.objectContaining({ keyName: 'default-key', status: 'gone', holder: annHolder }),
    )
  })
})

describe('revoking', () => {
  it('names the affected holder, disables the key at the account and records it', async () => {
    const { account, register, noted: auditNotes, list } = await startRegister({ unknownTools: () => ['Zed'] })
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await register.update({ ...proKey, holder: annHolder })
    const preview = contract['register.previewRevoke'].output.parse(await register.previewRevoke([proKey]))
    expect(preview).toEqual({ tools: ['OpenCode'], unknownTools: ['Zed'], holders: ['An'] })
    expect(await register.revoke([proKey])).toEqual({ failed: [] })
    expect(await list()).toContainEqual(expect.objectContaining({ status: 'DISABLED', holder: annHolder }))
    expect(await account.keys(proPlanRef)).toMatchObject([{ status: 'DISABLED' }, {}])
    expect(auditNotes.at(-1)).toEqual({
      what: 'revoked',
      planName: 'sandbox-pro',
      keyName: 'default-key',
      subject: 'An',
    })
  })

  it('disables only the other keys when one was selected by key', async () => {
    const { account, register, plans } = await startRegister()
    const { id, keys } = await plans.add(
      { name: 'handed', gatewayUrl: 'https://h.example.com', models: [] },
      new Secret('sk-handed-0123456789'),
    )
    const { failed } = await register.revoke([{ planId: id, keyId: keys[0]?.id ?? '' }, proKey])
    expect(failed).toMatchObject([{ index: 0, failure: { code: 'rotation.notAtAccount' } }])
    expect(await account.keys(proPlanRef)).toMatchObject([{ status: 'DISABLED' }, {}])
  })

  it('fails without a change when a key is unknown', async () => {
    const { account, register } = await startRegister()
    const failure = await catchFailure(register.revoke([proKey, { planId: pro, keyId: 'nobody' }]))
    expect(failure.code).toBe('register.notFound')
    expect(await account.keys(proPlanRef)).toMatchObject([{ status: 'ACTIVE' }, {}])
  })

  it('previews 25,000 keys and reads plans and tools only once', async () => {
    const { plans } = await startHarness()
    const keys = Array.from({ length: 25_000 }, (_, index) => ({
      ...{ keyId: `k${index}`, name: `key ${index}`, masked: 'sk-...', createdAt: nowIso, usedBy: [] },
      status: 'ACTIVE' as const,
    }))
    let lookupCount = 0
    const { register } = await startRegister({
      plans: { list: () => plans.list(), directory: plans.directory },
      account: {
        planKeys: async () => [{ plan: { planId: pro, name: 'sandbox-pro', localPlanId: undefined }, keys }],
        usage: () => Promise.reject(new Error('not asked for')),
        setKeyStatus: async () => Promise.reject(new AppError('net.refused', 'off')),
        deleteKey: async () => undefined,
      },
      uses: () => {
        lookupCount += 1
        return []
      },
    })
    await register.list()
    lookupCount = 0
    const preview = await register.previewRevoke(keys.map(({ keyId }) => ({ connectionId, planId: pro, keyId })))
    expect(preview).toEqual({ tools: [], unknownTools: [], holders: [] })
    expect(lookupCount).toBe(1)
  })
})

describe('a holder who leaves', () => {
  const week = 7 * 86_400_000
  async function startLeaving() {
    const time = { nowMs: Date.parse(nowIso) }
    let remainingCount = 0
    const onLeave = (): void => {
      remainingCount += 1
    }
    const bench = await startRegister({ clock: () => new Date(time.nowMs), onLeave })
    await bench.account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await bench.register.update({ ...proKey, holder: annHolder })
    await bench.register.revoke([proKey], { isLeaving: true })
    const local = bench.plans.find('sandbox-pro')
    const id = { planId: local.id, keyId: local.keys[0]?.id ?? '' }
    return { ...bench, time, id, leaves: () => remainingCount }
  }

  it('loses the keys immediately, and rotations no longer wait for them', async () => {
    const { list, register, id, leaves } = await startLeaving()
    const entry = (await list()).find(({ holder }) => holder !== undefined)
    expect(entry).toMatchObject({ status: 'DISABLED', deleteAt: new Date(Date.parse(nowIso) + week).toISOString() })
    expect([register.findHolders([id]), leaves()]).toEqual([[], 1])
  })

  it('has the keys deleted after 7 days, not before', async () => {
    const { account, register, settings, time } = await startLeaving()
    time.nowMs += week - 1
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toHaveLength(2)
    time.nowMs += 1
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toMatchObject([{ name: 'old-laptop' }])
    expect(settings.read().register).toEqual([])
  })

  it('keeps a key that was enabled again, here or at the account', async () => {
    const { account, register, list, time } = await startLeaving()
    await account.setKeyStatus({ ...proPlanRef, keyId: 'key-pro-default', status: 'ACTIVE' })
    time.nowMs += week
    await register.deleteDue()
    expect((await list()).find(({ holder }) => holder !== undefined)).toMatchObject({ status: 'ACTIVE' })
    await register.revoke([proKey], { isLeaving: true })
    expect(await register.enable([proKey])).toEqual({ failed: [] })
    time.nowMs += week
    await register.deleteDue()
    const entry = (await list()).find(({ holder }) => holder !== undefined)
    expect([entry?.status, entry?.deleteAt]).toEqual(['ACTIVE', undefined])
  })

  it('keeps a key that has a new holder', async () => {
    const { account, register, list, time } = await startLeaving()
    await register.update({ ...proKey, holder: { kind: 'person', name: 'Minh' } })
    time.nowMs += week
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toHaveLength(2)
    expect((await list()).find(({ holder }) => holder !== undefined)?.deleteAt).toBeUndefined()
  })

  it('keeps the key while the account is unreachable', async () => {
    const { account, register, settings, state, time } = await startLeaving()
    state.isOffline = true
    time.nowMs += week
    await register.deleteDue()
    expect(settings.read().register).toHaveLength(1)
    expect(await account.keys(proPlanRef)).toHaveLength(2)
  })
})

describe('renaming a holder', () => {
  it('keeps keys, confirmations and budgets, and the same identity for a record without an id', async () => {
    const { register, list, settings } = await startRegister()
    await register.update({ ...proKey, holder: annHolder, purpose: 'tests' })
    settings.update(() => ({
      budgets: [
        {
          ...{ id: 'b1', name: 'An', subject: { kind: 'person', name: 'An' }, unit: 'requests', limit: 5 },
          ...{ period: 'day', action: 'warn', alsoKeyIds: [], createdAt: nowIso },
        },
      ],
    }))
    const renameResult = contract['register.renameHolder'].output.parse(
      await register.renameHolder({ holder: annHolder, name: 'An Nguyễn' }),
    )
    expect(renameResult).toEqual({ id: 'person:an', kind: 'person', name: 'An Nguyễn' })
    expect((await list()).find(({ holder }) => holder)).toMatchObject({ holder: renameResult, purpose: 'tests' })
    expect(settings.read().budgets[0]?.subject).toEqual({ kind: 'person', name: 'An Nguyễn' })
    expect(register.identify({ kind: 'person', name: 'an nguyễn' })).toEqual(renameResult)
    expect(register.identify(annHolder)).toEqual(renameResult)
  })

  it('is refused when another holder has the name', async () => {
    const { register } = await startRegister()
    await register.update({ ...proKey, holder: annHolder })
    await register.update({
      planId: expiredPlanId,
      keyId: 'key-expired-default',
      holder: { kind: 'person', name: 'Minh' },
    })
    expect((await catchFailure(register.renameHolder({ holder: annHolder, name: 'minh' }))).code).toBe('input.invalid')
  })
})

describe('two connections of the same platform', () => {
  const home = 'home'
  async function startWithTwoConnections() {
    const bench = await startHarness()
    const views = bench.settings.read().connections
    bench.settings.update(() => ({
      connections: [connectionId, home].map((id) => ({
        ...(views[0] ?? { addresses: {}, createdAt: nowIso }),
        ...{ id, name: id, addresses: {} },
      })) as typeof views,
    }))
    const changed: string[] = []
    const { register, list } = await startRegister({
      settings: bench.settings,
      plans: bench.plans,
      consoles: () => [connectionId, home],
      account: {
        planKeys: async () => bench.account.planKeys({ connectionId }),
        usage: () => Promise.reject(new Error('not asked for')),
        setKeyStatus: async ({ connectionId: keyConnectionId, ...of }) => {
          changed.push(keyConnectionId)
          return bench.account.setKeyStatus({ ...of, connectionId })
        },
        deleteKey: async () => undefined,
      },
    })
    bench.plans.directory.noteAccount(home, [{ name: 'sandbox-pro' }])
    return { register, list, changed }
  }

  it('show each key once per connection and mark which one the plan belongs to', async () => {
    const { list } = await startWithTwoConnections()
    const entries = (await list()).filter(({ keyId }) => keyId === 'key-pro-default')
    expect(entries.map(({ planLabel }) => planLabel).sort()).toEqual(['sandbox-pro (home)', 'sandbox-pro (office)'])
    expect(new Set(entries.map((entry) => JSON.stringify(registerId(entry)))).size).toBe(2)
  })

  it('disable the key at the connection of its row', async () => {
    const { register, changed, list } = await startWithTwoConnections()
    await list()
    await register.revoke([{ connectionId: home, ...proKey }])
    expect(changed).toEqual([home])
  })
})

describe('notes', () => {
  it('a key handed to a second holder serves both, and the first remains its holder', async () => {
    const { account, plans, register, list } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    const { id, keys } = plans.find('sandbox-pro')
    const key = { planId: id, keyId: keys[0]?.id ?? '' }
    expect(register.otherHolders(key, annHolder)).toEqual(['OpenCode'])
    register.noteHandedOut(key, annHolder, 'tests')
    register.noteAcknowledged(key)
    const binhHolder = { kind: 'person', name: 'Bình' } as const
    expect(register.otherHolders(key, binhHolder)).toEqual(['An', 'OpenCode'])
    register.noteHandedOut(key, binhHolder, undefined)
    const entry = (await list()).find(({ keyId }) => keyId === key.keyId)
    expect(entry).toMatchObject({ holder: annHolder, purpose: 'tests', alsoServes: ['Bình'], handedOutAt: nowIso })
    expect(entry?.acknowledgedAt).toBeUndefined()
  })

  it('a replacement key takes over holder and purpose, but counts as not handed out', async () => {
    const { account, plans, register, list } = await startRegister()
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    await account.addKey({ ...proPlanRef, name: 'new' })
    const { id, keys } = plans.find('sandbox-pro')
    const [oldKeyId = '', newKeyId = ''] = keys.map((key) => key.id)
    register.noteHandedOut({ planId: id, keyId: oldKeyId }, annHolder, 'tests')
    register.noteRotated({ planId: id, oldKeyId, newKeyId })
    const entry = (await list()).find(({ keyId }) => keyId === newKeyId)
    expect(entry).toMatchObject({ holder: annHolder, purpose: 'tests', rotatedAt: nowIso })
    expect(entry?.handedOutAt).toBeUndefined()
    expect(register.listHolders({ connectionId, planId: pro, keyId: 'key-pro-default' })).toEqual(['An'])
    expect(register.findHolders([{ planId: id, keyId: newKeyId }])).toEqual([annHolder])
    register.forgetKey({ connectionId, planId: pro, keyId: entry?.origin?.keyId ?? '' })
    expect(register.findHolders([{ planId: id, keyId: newKeyId }])).toEqual([])
  })

  it('the last use of a key is the newest of a copy, the ledger and the console', async () => {
    const uses: KeyLastUse[] = []
    const bench = await startRegister({ listLastUses: async () => uses, clock: () => new Date() })
    const { account, plans, register, list, state, keyText, sandbox } = bench
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    const { id: planId, keys } = plans.find('sandbox-pro')
    const keyId = keys[0]?.id ?? ''
    const findEntry = async () => (await list()).find((entry) => entry.planId === planId)
    const askAccount = async () =>
      contract['register.lastUses'].output.parse(await register.lastUses([{ planId, keyId }]))
    expect(await findEntry()).not.toHaveProperty('lastUsedFrom')
    expect(await askAccount()).toEqual([{ isLocalOnly: false }])

    register.noteUsed({ planId, keyId })
    expect(await findEntry()).toMatchObject({ lastUsedFrom: 'copied' })
    const inAnHour = Date.now() + 3_600_000
    uses.push(
      { planId, keyId, source: 'toolLog', at: 0 },
      { planId, keyId, source: 'relay', at: inAnHour },
      { planId, keyId, source: 'app', at: 1000 },
    )
    expect(await findEntry()).toMatchObject({ lastUsedFrom: 'relay', lastUsedAt: new Date(inAnHour).toISOString() })

    uses.length = 0
    register.forgetKey({ connectionId, planId: pro, keyId: 'key-pro-default' })
    const body = { model: plans.find('sandbox-pro').models[0], messages: [{ role: 'user', content: 'hi' }] }
    const { status } = await fetch(`${sandbox.ready.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyText('key-pro-default')}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(status).toBe(200)
    expect(await askAccount()).toMatchObject([{ from: 'console', isLocalOnly: false }])
    state.isOffline = true
    expect(await askAccount()).toEqual([{ isLocalOnly: true }])
  })
})

it('the CSV contains every key of the register and no secret', async () => {
  const { account, register, keyText } = await startRegister()
  await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
  const csv = await register.csv()
  expect(csv.trimEnd().split('\r\n')).toHaveLength(4)
  expect(csv).not.toContain(keyText('key-pro-default'))
})
