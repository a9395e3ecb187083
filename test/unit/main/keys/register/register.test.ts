import { register as contract } from '@shared/contract'
import { AppError } from '@shared/failure'
import { registerId } from '@shared/key-ids'
import { describe, expect, it, vi } from 'vitest'
import type { AuditEvent } from '../../../../../src/main/core/ports'
import { Secret } from '../../../../../src/main/core/secret'
import { Register } from '../../../../../src/main/keys/register/register'
import type { KeyLastUse } from '../../../../../src/main/usage/ports'
import { sendChatRequest } from '../../../../support/control'
import { createDeferred } from '../../../renderer/support/later'
import { expectFailure } from '../../../support/failures'
import { connectionId, expiredPlanId, proPlanId, proPlanRef, startHarness } from '../../plans/account/account-bench'

type RegisterDeps = ConstructorParameters<typeof Register>[0]

const proKey = { planId: proPlanId, keyId: 'key-pro-default' }
const personHolder = { kind: 'person', name: 'An' } as const
const nowIso = '2026-05-04T03:02:01.000Z'

async function startRegister(options: Partial<RegisterDeps> = {}) {
  const registerHarness = await startHarness()
  const auditEvents: AuditEvent[] = []
  const state = { isOffline: false }
  const { account, plans, settings } = registerHarness
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
    settings,
    plans,
    account: accountStub,
    consoles: () => [connectionId],
    clock: () => new Date(nowIso),
    uses: () => plans.list().map(({ id }) => ({ toolName: 'OpenCode', planId: id })),
    audit: { note: async (entry) => void auditEvents.push(entry) },
    ...options,
  })
  const list = async () => contract['register.list'].output.parse(await register.list())
  return { ...registerHarness, register, list, noted: auditEvents, state }
}

/** Starts a register on a computer that has the plan's default key. `localKey` has its ids on that computer. */
async function startWithSavedKey(options?: Partial<RegisterDeps>) {
  const harness = await startRegister(options)
  await harness.account.keepKey({ connectionId, ...proKey })
  const { id, keys } = harness.plans.find('sandbox-pro')
  return { ...harness, localKey: { planId: id, keyId: keys[0]?.id ?? '' } }
}

/** An account whose calls all have the same outcome. */
const stubAccount = (call: () => Promise<never>): RegisterDeps['account'] => ({
  planKeys: call,
  usage: call,
  setKeyStatus: call,
  deleteKey: call,
})

const addHandedPlan = (plans: Awaited<ReturnType<typeof startHarness>>['plans']) =>
  plans.add({ name: 'handed', gatewayUrl: 'https://h.example.com', models: [] }, new Secret('sk-handed-0123456789'))

describe('the register', () => {
  it('joins the keys of the account with the keys saved here and the tools that use them', async () => {
    const { plans, list, keyText } = await startWithSavedKey()
    await addHandedPlan(plans)
    const entries = await list()
    expect(entries).toMatchObject([
      { planName: 'handed', keyName: 'default-key', status: 'unknown', isKeptHere: true, tools: ['OpenCode'] },
      { planName: 'sandbox-expired', keyName: 'default-key', isKeptHere: false, planId: 'plan-sandbox-expired' },
      {
        planName: 'sandbox-pro',
        keyName: 'default-key',
        status: 'ACTIVE',
        isKeptHere: true,
        tools: ['OpenCode'],
        planId: plans.find('sandbox-pro').id,
        origin: { connectionId, ...proKey },
      },
      { planName: 'sandbox-pro', keyName: 'old-laptop', status: 'DISABLED', isKeptHere: false, tools: [] },
    ])
    expect(entries[0]).not.toHaveProperty('origin')
    expect(JSON.stringify(entries)).not.toContain(keyText('key-pro-default'))
  })

  it('saves the holder and purpose of a key by local id and account id', async () => {
    const { account, plans, register, settings, list, noted: auditNotes } = await startRegister()
    await list()
    await register.update({ ...proKey, holder: personHolder, purpose: 'pipeline' })
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
    const { id, keys } = plans.find('sandbox-pro')
    const localKeyRef = { planId: id, keyId: keys[0]?.id ?? '' }
    const updatedRecord = await register.update({ ...localKeyRef, machine: 'laptop' })
    expect(contract['register.update'].output.parse(updatedRecord)).toMatchObject({
      holder: personHolder,
      purpose: 'pipeline',
      machine: 'laptop',
    })
    const clearedEntry = await register.update({ ...proKey, holder: null, purpose: '', machine: '' })
    expect([clearedEntry.holder, clearedEntry.purpose, clearedEntry.machine]).toEqual([undefined, undefined, undefined])
    expect(settings.read().register).toEqual([])
    expect(auditNotes).toMatchObject([
      { what: 'registerChanged', keyName: 'default-key', subject: 'An' },
      { what: 'registerChanged' },
      { what: 'registerChanged', subject: '' },
    ])
  })
})

describe('a slow account', () => {
  it('does not delay the keys saved here', async () => {
    const { register, state } = await startWithSavedKey()
    state.isOffline = true
    expect(register.known()).toMatchObject([{ planName: 'sandbox-pro', keyName: 'default-key', status: 'unknown' }])
  })

  it('updates the records of all saved keys in one write', async () => {
    const { account, settings, list } = await startWithSavedKey()
    await account.keepKey({ connectionId, planId: expiredPlanId, keyId: 'key-expired-default' })
    settings.update(({ plans }) => ({
      plans: plans.map((plan) => ({ ...plan, keys: plan.keys.map(({ status: _, ...key }) => key) })),
    }))
    const onChange = vi.fn()
    settings.onChange(onChange)
    await list()
    const statuses = settings.read().plans.flatMap(({ keys }) => keys.map(({ status }) => status))
    expect(statuses).toEqual(['ACTIVE', 'ACTIVE'])
    expect(onChange).toHaveBeenCalledOnce()
  })

  it('triggers an event after its response and no second request', async () => {
    const { account } = await startHarness()
    let planKeysCalls = 0
    const releaseAccount = createDeferred<void>()
    const slowAccount = {
      ...stubAccount(() => Promise.reject(new Error('not asked for'))),
      planKeys: async (connectionRef: { readonly connectionId: string }) => {
        planKeysCalls += 1
        await releaseAccount.promise
        return account.planKeys(connectionRef)
      },
    }
    const eventGate = createDeferred<void>()
    const { list } = await startRegister({ account: slowAccount, timeoutMs: 10, onLate: () => eventGate.answer() })
    expect(await list()).toEqual([])
    releaseAccount.answer()
    await eventGate.promise
    const entries = await list()
    expect([entries.length, planKeysCalls]).toEqual([3, 1])
    await list()
    expect(planKeysCalls).toBe(2)
  })
})

describe('without the account', () => {
  it('shows cached keys, saved keys and notes, without a status', async () => {
    const { register, list, state } = await startWithSavedKey()
    await register.update({ ...proKey, holder: personHolder })
    state.isOffline = true
    const entries = await list()
    expect(entries.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(entries.find(({ holder }) => holder !== undefined)).toMatchObject({
      keyName: 'default-key',
      holder: personHolder,
    })
  })

  it('keeps the names of noted keys after a restart', async () => {
    const { register, state, settings, plans } = await startRegister()
    await register.update({ ...proKey, holder: personHolder })
    state.isOffline = true
    const ports = { consoles: () => [connectionId], uses: () => [], audit: { note: async () => undefined } }
    const account = stubAccount(() => Promise.reject(new AppError('net.refused', 'off')))
    const restartedRegister = new Register({ settings, plans, ...ports, clock: () => new Date(nowIso), account })
    expect(await restartedRegister.list()).toMatchObject([
      { planName: 'sandbox-pro', keyName: 'default-key', status: 'unknown', isKeptHere: false, holder: personHolder },
    ])
  })

  it('marks a noted key as gone when the account no longer lists it', async () => {
    const { account, register, list } = await startRegister()
    await register.update({ ...proKey, holder: personHolder })
    await account.deleteKey({ ...proPlanRef, keyId: 'key-pro-default' })
    expect(await list()).toContainEqual(
      expect.objectContaining({ keyName: 'default-key', status: 'gone', holder: personHolder }),
    )
  })
})

describe('revoking', () => {
  it('names the affected holder, disables the key at the account and records it', async () => {
    const { account, register, noted: auditNotes, list } = await startWithSavedKey({ unknownTools: () => ['Zed'] })
    await register.update({ ...proKey, holder: personHolder })
    const preview = contract['register.previewRevoke'].output.parse(await register.previewRevoke({ keys: [proKey] }))
    expect(preview).toEqual({ tools: ['OpenCode'], unknownTools: ['Zed'], holders: ['An'] })
    expect(await register.revoke({ keys: [proKey] })).toEqual({ failed: [] })
    expect(await list()).toContainEqual(expect.objectContaining({ status: 'DISABLED', holder: personHolder }))
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
    const { id, keys } = await addHandedPlan(plans)
    const { failed } = await register.revoke({ keys: [{ planId: id, keyId: keys[0]?.id ?? '' }, proKey] })
    expect(failed).toMatchObject([{ index: 0, failure: { code: 'rotation.notAtAccount' } }])
    expect(await account.keys(proPlanRef)).toMatchObject([{ status: 'DISABLED' }, {}])
  })

  it('fails without a change when a key is unknown', async () => {
    const { account, register } = await startRegister()
    const keys = [proKey, { planId: proPlanId, keyId: 'nobody' }]
    await expectFailure(register.revoke({ keys }), 'register.notFound')
    expect(await account.keys(proPlanRef)).toMatchObject([{ status: 'ACTIVE' }, {}])
  })

  it('previews 25,000 keys and reads plans and tools only once', async () => {
    const { plans } = await startHarness()
    const keys = Array.from({ length: 25_000 }, (_, index) => ({
      keyId: `k${index}`,
      name: `key ${index}`,
      masked: 'sk-...',
      createdAt: nowIso,
      usedBy: [],
      status: 'ACTIVE' as const,
    }))
    const uses = vi.fn(() => [])
    const { register } = await startRegister({
      plans: { list: () => plans.list(), directory: plans.directory },
      account: {
        ...stubAccount(() => Promise.reject(new Error('not asked for'))),
        planKeys: async () => [{ plan: { planId: proPlanId, name: 'sandbox-pro', localPlanId: undefined }, keys }],
      },
      uses,
    })
    await register.list()
    uses.mockClear()
    const proKeys = keys.map(({ keyId }) => ({ connectionId, planId: proPlanId, keyId }))
    const preview = await register.previewRevoke({ keys: proKeys })
    expect(preview).toEqual({ tools: [], unknownTools: [], holders: [] })
    expect(uses).toHaveBeenCalledOnce()
  })
})

describe('a holder who leaves', () => {
  const week = 7 * 86_400_000
  async function startWithLeavingHolder() {
    const time = { nowMs: Date.parse(nowIso) }
    const onLeave = vi.fn()
    const registerHarness = await startWithSavedKey({ clock: () => new Date(time.nowMs), onLeave })
    await registerHarness.register.update({ ...proKey, holder: personHolder })
    await registerHarness.register.revoke({ keys: [proKey], isLeaving: true })
    return { ...registerHarness, time, onLeave }
  }

  it('loses the keys immediately, and rotations no longer wait for them', async () => {
    const { list, register, localKey, onLeave } = await startWithLeavingHolder()
    const entry = (await list()).find(({ holder }) => holder !== undefined)
    expect(entry).toMatchObject({ status: 'DISABLED', deleteAt: new Date(Date.parse(nowIso) + week).toISOString() })
    expect(register.findHolders([localKey])).toEqual([])
    expect(onLeave).toHaveBeenCalledOnce()
  })

  it('has the keys deleted after 7 days, not before', async () => {
    const { account, register, settings, time } = await startWithLeavingHolder()
    time.nowMs += week - 1
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toHaveLength(2)
    time.nowMs += 1
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toMatchObject([{ name: 'old-laptop' }])
    expect(settings.read().register).toEqual([])
  })

  it('keeps a key that was enabled again, here or at the account', async () => {
    const { account, register, list, time } = await startWithLeavingHolder()
    await account.setKeyStatus({ ...proPlanRef, keyId: 'key-pro-default', status: 'ACTIVE' })
    time.nowMs += week
    await register.deleteDue()
    expect((await list()).find(({ holder }) => holder !== undefined)).toMatchObject({ status: 'ACTIVE' })
    await register.revoke({ keys: [proKey], isLeaving: true })
    expect(await register.enable({ keys: [proKey] })).toEqual({ failed: [] })
    time.nowMs += week
    await register.deleteDue()
    const entry = (await list()).find(({ holder }) => holder !== undefined)
    expect([entry?.status, entry?.deleteAt]).toEqual(['ACTIVE', undefined])
  })

  it('keeps a key that has a new holder', async () => {
    const { account, register, list, time } = await startWithLeavingHolder()
    await register.update({ ...proKey, holder: { kind: 'person', name: 'Minh' } })
    time.nowMs += week
    await register.deleteDue()
    expect(await account.keys(proPlanRef)).toHaveLength(2)
    expect((await list()).find(({ holder }) => holder !== undefined)?.deleteAt).toBeUndefined()
  })

  it('keeps the key while the account is unreachable', async () => {
    const { account, register, settings, state, time } = await startWithLeavingHolder()
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
    await register.update({ ...proKey, holder: personHolder, purpose: 'tests' })
    settings.update(() => ({
      budgets: [
        {
          id: 'b1',
          name: 'An',
          subject: { kind: 'person', name: 'An' },
          unit: 'requests',
          limit: 5,
          period: 'day',
          action: 'warn',
          alsoKeyIds: [],
          createdAt: nowIso,
        },
      ],
    }))
    const renameResult = contract['register.renameHolder'].output.parse(
      await register.renameHolder({ holder: personHolder, name: 'An Nguyễn' }),
    )
    expect(renameResult).toEqual({ id: 'person:an', kind: 'person', name: 'An Nguyễn' })
    expect((await list()).find(({ holder }) => holder)).toMatchObject({ holder: renameResult, purpose: 'tests' })
    expect(settings.read().budgets[0]?.subject).toEqual({ kind: 'person', name: 'An Nguyễn' })
    expect(register.identify({ kind: 'person', name: 'an nguyễn' })).toEqual(renameResult)
    expect(register.identify(personHolder)).toEqual(renameResult)
  })

  it('is refused when another holder has the name', async () => {
    const { register } = await startRegister()
    await register.update({ ...proKey, holder: personHolder })
    const expiredKey = { planId: expiredPlanId, keyId: 'key-expired-default' }
    await register.update({ ...expiredKey, holder: { kind: 'person', name: 'Minh' } })
    await expectFailure(register.renameHolder({ holder: personHolder, name: 'minh' }), 'input.invalid')
  })
})

describe('two connections of the same platform', () => {
  const homeConnectionId = 'home'
  async function startWithTwoConnections() {
    const registerHarness = await startHarness()
    const views = registerHarness.settings.read().connections
    registerHarness.settings.update(() => ({
      connections: [connectionId, homeConnectionId].map((id) => ({
        ...(views[0] ?? { addresses: {}, createdAt: nowIso }),
        id,
        name: id,
        addresses: {},
      })) as typeof views,
    }))
    const changedIds: string[] = []
    const { register, list } = await startRegister({
      settings: registerHarness.settings,
      plans: registerHarness.plans,
      consoles: () => [connectionId, homeConnectionId],
      account: {
        ...stubAccount(() => Promise.reject(new Error('not asked for'))),
        planKeys: async () => registerHarness.account.planKeys({ connectionId }),
        setKeyStatus: async ({ connectionId: keyConnectionId, ...of }) => {
          changedIds.push(keyConnectionId)
          return registerHarness.account.setKeyStatus({ ...of, connectionId })
        },
      },
    })
    registerHarness.plans.directory.noteAccount(homeConnectionId, [{ name: 'sandbox-pro' }])
    return { register, list, changed: changedIds }
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
    await register.revoke({ keys: [{ connectionId: homeConnectionId, ...proKey }] })
    expect(changed).toEqual([homeConnectionId])
  })
})

describe('notes', () => {
  it('a key handed to a second holder serves both, and the first remains its holder', async () => {
    const { register, list, localKey: key } = await startWithSavedKey()
    expect(register.otherHolders(key, personHolder)).toEqual(['OpenCode'])
    register.noteHandedOut(key, personHolder, 'tests')
    register.noteAcknowledged(key)
    const otherHolder = { kind: 'person', name: 'Bình' } as const
    expect(register.otherHolders(key, otherHolder)).toEqual(['An', 'OpenCode'])
    register.noteHandedOut(key, otherHolder, undefined)
    const entry = (await list()).find(({ keyId }) => keyId === key.keyId)
    expect(entry).toMatchObject({ holder: personHolder, purpose: 'tests', alsoServes: ['Bình'], handedOutAt: nowIso })
    expect(entry?.acknowledgedAt).toBeUndefined()
  })

  it('a replacement key takes over holder and purpose, but counts as not handed out', async () => {
    const { account, plans, register, list, localKey } = await startWithSavedKey()
    await account.addKey({ ...proPlanRef, name: 'new' })
    const { id, keys } = plans.find('sandbox-pro')
    const newKeyId = keys[1]?.id ?? ''
    register.noteHandedOut(localKey, personHolder, 'tests')
    register.noteRotated({ planId: id, oldKeyId: localKey.keyId, newKeyId })
    const entry = (await list()).find(({ keyId }) => keyId === newKeyId)
    expect(entry).toMatchObject({ holder: personHolder, purpose: 'tests', rotatedAt: nowIso })
    expect(entry?.handedOutAt).toBeUndefined()
    expect(register.listHolders({ connectionId, planId: proPlanId, keyId: 'key-pro-default' })).toEqual(['An'])
    expect(register.findHolders([{ planId: id, keyId: newKeyId }])).toEqual([personHolder])
    register.forgetKey({ connectionId, planId: proPlanId, keyId: entry?.origin?.keyId ?? '' })
    expect(register.findHolders([{ planId: id, keyId: newKeyId }])).toEqual([])
  })

  it('the last use of a key is the newest of a copy, the ledger and the console', async () => {
    const lastUses: KeyLastUse[] = []
    const registerHarness = await startWithSavedKey({ listLastUses: async () => lastUses, clock: () => new Date() })
    const { register, list, state, keyText, sandbox } = registerHarness
    const { planId, keyId } = registerHarness.localKey
    const findEntry = async () => (await list()).find((entry) => entry.planId === planId)
    const fetchLastUses = async () =>
      contract['register.lastUses'].output.parse(await register.lastUses({ keys: [{ planId, keyId }] }))
    expect(await findEntry()).not.toHaveProperty('lastUsedFrom')
    expect(await fetchLastUses()).toEqual([{ isLocalOnly: false }])

    register.noteUsed({ planId, keyId })
    expect(await findEntry()).toMatchObject({ lastUsedFrom: 'copied' })
    const inOneHourMs = Date.now() + 3_600_000
    lastUses.push(
      { planId, keyId, source: 'toolLog', at: 0 },
      { planId, keyId, source: 'relay', at: inOneHourMs },
      { planId, keyId, source: 'app', at: 1000 },
    )
    expect(await findEntry()).toMatchObject({ lastUsedFrom: 'relay', lastUsedAt: new Date(inOneHourMs).toISOString() })

    lastUses.length = 0
    register.forgetKey({ connectionId, planId: proPlanId, keyId: 'key-pro-default' })
    const sentAt = new Date().toISOString()
    expect(await sendChatRequest(sandbox.ready.gatewayUrl, keyText('key-pro-default'))).toBe(200)
    const [lastUse] = await fetchLastUses()
    expect(lastUse).toMatchObject({ from: 'console', isLocalOnly: false })
    // The console only knows the hour. A key in use must not look unused.
    expect(lastUse?.at && lastUse.at >= sentAt).toBe(true)
    state.isOffline = true
    expect(await fetchLastUses()).toEqual([{ isLocalOnly: true }])
  })
})

it('the CSV contains a heading, every key of the register and no secret', async () => {
  const { register, keyText } = await startWithSavedKey()
  await register.update({ ...proKey, holder: personHolder })
  const csv = await register.csv()
  const [heading, ...rows] = csv.trimEnd().split('\r\n')
  expect(heading).toMatch(/^Plan,Key,Ends with,Status,Holder,Kind of holder,Purpose,/)
  expect(rows).toHaveLength(3)
  expect(rows[1]).toMatch(/^sandbox-pro,default-key,.+,ACTIVE,An,person,.*,OpenCode,/)
  expect(csv).not.toContain(keyText('key-pro-default'))
})

describe('a key with an end date', () => {
  const week = 7 * 86_400_000

  async function startWithEndDate() {
    const time = { nowMs: Date.parse(nowIso) }
    const harness = await startWithSavedKey({ clock: () => new Date(time.nowMs) })
    const endsAt = new Date(time.nowMs + week).toISOString()
    expect(await harness.register.update({ ...proKey, endsAt })).toMatchObject({ endsAt })
    return { ...harness, time }
  }

  it('is disabled and reported then, once', async () => {
    const { account, register, time } = await startWithEndDate()
    time.nowMs += week - 1
    expect(await register.disableDue()).toEqual([])
    time.nowMs += 1
    expect(await register.disableDue()).toMatchObject([{ keyName: 'default-key', planName: 'sandbox-pro' }])
    expect(await account.keys(proPlanRef)).toContainEqual(
      expect.objectContaining({ name: 'default-key', status: 'DISABLED' }),
    )
    await register.enable({ keys: [proKey] })
    expect(await register.disableDue()).toEqual([])
  })

  it('is tried again after the account was unreachable, and keeps no date that was removed', async () => {
    const { register, state, time } = await startWithEndDate()
    time.nowMs += week
    state.isOffline = true
    expect(await register.disableDue()).toEqual([])
    state.isOffline = false
    await register.update({ ...proKey, endsAt: null })
    expect(await register.disableDue()).toEqual([])
  })
})
