import { AccountPlanView, plans as contract } from '@shared/contract/plans'
import { AppError } from '@shared/failure'
import { describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { seededWorld } from '../../../../../src/sandbox/seed/seeded-world'
import type { World } from '../../../../../src/sandbox/state/world'
import { createDeferred } from '../../../renderer/support/later'
import { plainWorld } from '../../../sandbox/plain-world'
import { catchFailure, expectFailure } from '../../../support/failures'
import {
  connectionId,
  connectionInput,
  expiredPlanId,
  proPlanId,
  proPlanRef,
  provisioningMs,
  purchaseInput,
  startHarness,
  startMachine,
} from './account-bench'

const proKey = { ...proPlanRef, keyId: 'key-pro-default' }

/** Starts a computer that has the default key of the plan. */
async function startWithSavedKey(options?: Parameters<typeof startHarness>[0]) {
  const harness = await startHarness(options)
  await harness.account.keepKey(proKey)
  return harness
}

describe('the account', () => {
  it.each([
    ['a seeded world', seededWorld],
    ['a fresh one', plainWorld],
  ])('shows all fields of %s in the strict form of the contract', async (_, begin) => {
    const { account } = await startHarness({ begin })
    expect(contract['account.get'].output.parse(await account.get(connectionInput))).toMatchObject({ role: 'ROOT' })
    expect(contract['account.packages'].output.parse(await account.packages(connectionInput)).length).toBeGreaterThan(1)
    const plans = contract['account.plans'].output.parse(await account.plans(connectionInput))
    expect(plans.length).toBeGreaterThan(1)
    for (const { planId } of plans) {
      const keys = await account.keys({ connectionId, planId })
      expect(contract['account.keys'].output.parse(keys)).not.toEqual([])
      expect(AccountPlanView.parse(await account.plan({ connectionId, planId }))).toMatchObject({ planId })
    }
  })

  it('lists 500 plans in five requests, latest purchase first, and 50 keys in one', async () => {
    const { account, requests } = await startHarness({ begin: buildWorldWithManyItems })
    const plans = await account.plans(connectionInput)
    expect(plans).toHaveLength(500)
    expect(plans.map(({ planId }) => planId).slice(0, 3)).toEqual(['plan-499', 'plan-498', 'plan-497'])
    expect((await account.keys({ connectionId, planId: 'plan-250' })).length).toBe(50)
    expect(await requests('GET')).toHaveLength(6)
  })

  it('never shows a key, and marks as used only the first key of a plan that tools use', async () => {
    const { account, plans, keyText } = await startWithSavedKey({ usedBy: ['opencode'] })
    await account.keepKey({ ...proPlanRef, keyId: 'key-pro-old-laptop' })
    const keys = await account.keys(proPlanRef)
    expect(keys).toMatchObject([
      { keyId: 'key-pro-default', kept: 'keychain', usedBy: ['opencode'] },
      { keyId: 'key-pro-old-laptop', kept: 'keychain', usedBy: [], status: 'DISABLED' },
    ])
    expect(JSON.stringify(keys)).not.toContain(keyText('key-pro-default'))
    expect(plans.list()).toMatchObject([{ source: 'console', origin: { connectionId, planId: proPlanId } }])
  })
})

describe('buying', () => {
  it('polls the plan until it is provisioned and then saves its first key, also after a restart', async () => {
    const { account, open, control, plans, settings, keychain, waits, changes } = await startHarness()
    const purchase = contract['account.buy'].output.parse(await account.buy(purchaseInput))
    expect(purchase).toMatchObject({ name: 'mine', status: 'ACTIVE', provisioned: false, usedBy: [] })
    await waits.pass()
    expect(plans.list()).toEqual([])
    account.purchases.stop()
    expect(settings.read().pendingPurchases).toEqual([{ connectionId, planId: purchase.planId }])

    const restartedAccount = open()
    restartedAccount.purchases.resume()
    await control('clock', { advanceMs: provisioningMs })
    const countBefore = changes.count
    await waits.pass()
    await vi.waitFor(() => expect(settings.read().pendingPurchases).toEqual([]))
    expect(plans.list()).toMatchObject([{ name: 'mine', source: 'console', keys: [{ name: 'default-key' }] }])
    expect([...keychain.items.values()]).toEqual([expect.stringMatching(/^sk-/)])
    expect(changes.count).toBe(countBefore + 1)
    const boughtPlan = (await restartedAccount.plans(connectionInput)).find(({ name }) => name === 'mine')
    expect(boughtPlan).toMatchObject({ provisioned: true, localPlanId: plans.find('mine').id })
    restartedAccount.purchases.stop()
  })

  it('polls with growing intervals, up to 30 seconds', async () => {
    const { account, waits } = await startHarness()
    await account.buy(purchaseInput)
    for (let index = 0; index < 7; index++) await waits.pass()
    expect(waits.asked.slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  it('reports to waiters that the key is saved, or the obstacle', async () => {
    const { account, keychain, plans } = await startHarness({ timing: { provisioningMs: 0 } })
    const firstPurchase = await account.buy(purchaseInput)
    await account.purchases.wait({ connectionId, planId: firstPurchase.planId })
    expect(plans.list()).toHaveLength(1)
    keychain.isLocked = true
    const secondPurchase = await account.buy({ ...purchaseInput, name: 'other' })
    const { planId } = secondPurchase
    await expectFailure(account.purchases.wait({ connectionId, planId }), 'vault.unavailable')
  })

  it('saves the key later when the keychain responds again', async () => {
    const { account, keychain, vault, plans, waits, settings } = await startHarness({ timing: { provisioningMs: 0 } })
    await vault.state()
    keychain.isLocked = true
    const { planId } = await account.buy(purchaseInput)
    await expectFailure(account.purchases.wait({ connectionId, planId }), 'vault.unavailable')
    expect(settings.read().pendingPurchases).toHaveLength(1)
    keychain.isLocked = false
    await waits.pass()
    await account.purchases.wait({ connectionId, planId })
    expect(plans.list()).toMatchObject([{ name: 'mine', keys: [{ kept: 'keychain' }] }])
    expect(settings.read().pendingPurchases).toEqual([])
  })

  it('makes one purchase for a double click, and two for different requests', async () => {
    const { account, requests } = await startHarness()
    const [firstPurchase, secondPurchase] = await Promise.all([account.buy(purchaseInput), account.buy(purchaseInput)])
    expect(secondPurchase).toEqual(firstPurchase)
    await Promise.all([account.buy({ ...purchaseInput, name: 'a' }), account.buy({ ...purchaseInput, name: 'b' })])
    expect(await requests('POST')).toHaveLength(3)
  })

  it.each([
    ['account.roleNotAllowed', { role: 'DEVELOPER' }, purchaseInput],
    ['account.roleNotAllowed', { role: 'VIEWER' }, purchaseInput],
    ['account.insufficientCredits', { credits: 489_999 }, purchaseInput],
    ['account.invalidName', {}, { ...purchaseInput, name: 'my plan' }],
    ['account.invalidName', {}, { ...purchaseInput, name: 'x'.repeat(51) }],
    ['api.notFound', {}, { ...purchaseInput, packageId: 'package-none' }],
  ])('is refused with %s for %j before anything is sent', async (code, accountState, input) => {
    const { account, control, requests } = await startHarness()
    await control('account', accountState)
    await expectFailure(account.buy(input), code)
    expect(await requests('POST')).toEqual([])
  })
})

describe('a lost response', () => {
  type Harness = Awaited<ReturnType<typeof startHarness>>
  const cutOffFault = { cutAfterBytes: 10 }
  const buy = ({ account }: Harness) => account.buy(purchaseInput)
  const { packageId: _, ...choice } = purchaseInput
  const buyAgain = ({ account }: Harness) => account.buy({ ...choice, planId: proPlanId })
  const addKey = ({ account }: Harness) => account.addKey({ ...proPlanRef, name: 'mine' })
  const deletePlan = ({ account }: Harness) => account.deletePlans({ connectionId, planIds: [proPlanId] })
  it.each<[string, string, object, (harness: Harness) => Promise<unknown>]>([
    ['a purchase', 'console.tokenPlans.create', cutOffFault, buy],
    ['a purchase', 'console.tokenPlans.create', { isDropped: true }, buy],
    ['a purchase', 'console.tokenPlans.create', { status: 504 }, buy],
    ['a purchase', 'console.tokenPlans.create', { isMalformed: true }, buy],
    ['another purchase', 'console.tokenPlans.buyAgain', cutOffFault, buyAgain],
    ['a new key', 'console.keys.create', cutOffFault, addKey],
    ['a deletion', 'console.tokenPlans.batchDelete', { isDropped: true }, deletePlan],
  ])('of %s (%s, %j) is reported, is not retried, and refreshes the view', async (_name, operations, fault, act) => {
    const harness = await startHarness()
    await harness.control('faults', { faults: [{ operations, ...fault }] })
    await expectFailure(act(harness), 'account.unknownOutcome')
    expect(harness.changes.count).toBe(1)
    expect(await harness.requests('POST')).toHaveLength(1)
  })
})

describe('a deletion with a lost response', () => {
  const buildCutOffFault = (operations: string) => ({ faults: [{ operations, cutAfterBytes: 3 }] })

  it('of a plan is verified, and its local data is removed once the platform confirms it', async () => {
    const { account, control, plans, keychain, requests } = await startWithSavedKey()
    await control('faults', buildCutOffFault('console.tokenPlans.batchDelete'))
    const outcome = await account.deletePlans({ connectionId, planIds: [proPlanId] })
    const expectedOutcome = { deleted: [{ planId: proPlanId }], failed: [], notForgotten: [] }
    expect(contract['account.deletePlans'].output.parse(outcome)).toEqual(expectedOutcome)
    expect([plans.list(), keychain.items.size]).toEqual([[], 0])
    expect(await requests('POST')).toHaveLength(1)
  })

  it('of several plans is reported for each as gone or unknown', async () => {
    const { account, control, plans } = await startWithSavedKey()
    await account.keepKey({ connectionId, planId: expiredPlanId, keyId: 'key-expired-default' })
    await control(`plans/${expiredPlanId}`, { deleted: true })
    await control('faults', { faults: [{ operations: 'console.tokenPlans.batchDelete', isDropped: true }] })
    const outcome = await account.deletePlans({ connectionId, planIds: [proPlanId, expiredPlanId] })
    expect(outcome).toMatchObject({
      deleted: [{ planId: expiredPlanId }],
      failed: [{ planId: proPlanId, code: 'account.unknownOutcome' }],
    })
    expect(plans.list().map(({ name }) => name)).toEqual(['sandbox-pro'])
  })

  it.each([
    ['cannot be listed', 'console.tokenPlans.list'],
    ['cannot be asked for', 'console.tokenPlans.get'],
  ])('of a plan that %s afterwards is unknown, and local data stays', async (_, operations) => {
    const { account, control, plans, keychain } = await startWithSavedKey()
    const { faults } = buildCutOffFault('console.tokenPlans.batchDelete')
    await control('faults', { faults: [...faults, { operations, status: 403 }] })
    await expectFailure(account.deletePlans({ connectionId, planIds: [proPlanId] }), 'account.unknownOutcome')
    expect([plans.list().length, keychain.items.size]).toEqual([1, 1])
  })

  it('of a key is verified in the same way', async () => {
    const { client, control } = await startHarness()
    const call: typeof client.call = async (id, ...rest) => {
      const response = await client.call(id, ...rest)
      if (id === 'console.keys.delete') throw new AppError('net.cut', 'The response was interrupted.')
      return response
    }
    const { account, plans, keychain } = startMachine({ ...client, call })
    await account.keepKey(proKey)
    await control('faults', { faults: [{ operations: 'console.keys.list', status: 403 }] })
    await expectFailure(account.deleteKey(proKey), 'account.unknownOutcome')
    expect([plans.list().length, keychain.items.size]).toEqual([1, 1])
    await control('faults', { faults: [] })
    // The platform reports the deleted key as already gone.
    await account.deleteKey(proKey)
    expect([plans.list().length, keychain.items.size]).toEqual([0, 0])
    const otherKey = await account.addKey({ ...proPlanRef, name: 'laptop' })
    await account.deleteKey({ ...proPlanRef, keyId: otherKey.keyId })
    expect([plans.list().length, keychain.items.size]).toEqual([0, 0])
  })
})

describe('a late response', () => {
  it('does not restore a plan that was deleted in between', async () => {
    const { account, hold, plans, keychain, requests } = await startHarness()
    const lateRequest = hold('console.tokenPlans.get')
    const saveFailure = catchFailure(account.keepKey(proKey))
    await lateRequest.given
    await vi.waitFor(async () => expect(await requests('GET')).toHaveLength(2))
    await account.deletePlans({ connectionId, planIds: [proPlanId] })
    lateRequest.release()
    expect((await saveFailure).code).toBe('api.notFound')
    expect(plans.list()).toEqual([])
    expect(keychain.items.size).toBe(0)
  })

  it('does not override the result of a later request', async () => {
    const { account, hold, control, plans } = await startWithSavedKey()
    const lateRequest = hold('console.tokenPlans.get')
    const answer = account.plan(proPlanRef)
    await lateRequest.given
    const expiresAt = '2027-06-01T00:00:00.000Z'
    await control(`plans/${proPlanId}`, { expiresAt })
    await account.plans(connectionInput)
    lateRequest.release()
    expect((await answer).expiresAt).not.toBe(expiresAt)
    expect(plans.list()[0]?.expiresAt).toBe(expiresAt)
  })

  it('with all keys does not mark those as deleted that were changed in between', async () => {
    const { client } = await startHarness()
    let heldCount = 0
    let holdPromise = Promise.resolve()
    const pages: typeof client.pages = async function* (id, ...rest) {
      yield* client.pages(id, ...rest)
      if (id !== 'console.keys.list') return
      heldCount += 1
      await holdPromise
    }
    const { account, plans } = startMachine({ ...client, pages })
    await account.keepKey(proKey)
    await account.keepKey({ connectionId, planId: expiredPlanId, keyId: 'key-expired-default' })
    heldCount = 0
    const held = createDeferred<void>()
    holdPromise = held.promise
    const lateAnswer = account.planKeys(connectionInput)
    await vi.waitFor(() => expect(heldCount).toBe(2))
    await account.setKeyStatus({ ...proKey, status: 'DISABLED' })
    held.answer()
    await lateAnswer
    expect(plans.list().flatMap(({ keys }) => keys.map(({ problem }) => problem))).toEqual([undefined, undefined])
  })

  it('of a pending purchase saves nothing once the plan is deleted', async () => {
    const { account, hold, plans, settings, keychain } = await startHarness({ timing: { provisioningMs: 0 } })
    const lateRequest = hold('console.tokenPlans.get')
    const { planId } = await account.buy(purchaseInput)
    await lateRequest.given
    const settledPromise = account.purchases.wait({ connectionId, planId })
    await account.deletePlans({ connectionId, planIds: [planId] })
    expect(settings.read().pendingPurchases).toEqual([])
    lateRequest.release()
    await settledPromise
    expect(settings.read().pendingPurchases).toEqual([])
    expect(plans.list()).toEqual([])
    expect(keychain.items.size).toBe(0)
  })
})

describe('a saved plan', () => {
  it('updates name, gateway, models and expiry from the account, and keeps its context window', async () => {
    const { account, plans, settings } = await startWithSavedKey()
    const [keptPlan] = settings.read().plans
    if (!keptPlan) throw new Error('not kept')
    const stale = { name: 'renamed', contextTokens: 9000, gatewayUrl: 'https://old.example.com', models: ['x'] }
    settings.update(() => ({ plans: [{ ...keptPlan, ...stale }] }))
    const proPlan = (await account.plans(connectionInput)).find(({ planId }) => planId === proPlanId)
    if (!proPlan) throw new Error('not listed')
    const { gatewayUrl, expiresAt } = proPlan
    const models = proPlan.models.map(({ modelCode }) => modelCode)
    expect(plans.list()).toMatchObject([{ name: 'sandbox-pro', contextTokens: 9000, gatewayUrl, models, expiresAt }])
  })

  it('has the account’s name, even if it was added by key', async () => {
    const { account, plans } = await startHarness()
    const planInput = { name: 'sandbox-pro', gatewayUrl: 'https://gw.example.com', models: [] }
    await plans.add(planInput, new Secret('sk-own-0123456789abcd'))
    await account.keepKey(proKey)
    await account.plans(connectionInput)
    expect(plans.list().map(({ name }) => name)).toEqual(['sandbox-pro', 'sandbox-pro'])
    expect(plans.list().map(({ source }) => source)).toEqual(['handed-over', 'console'])
    expect(() => plans.find('sandbox-pro')).toThrow('2 plans are named sandbox-pro')
  })

  it('ignores a different key with an id that the sandbox reused', async () => {
    const earlierHarness = await startHarness()
    await earlierHarness.account.keepKey(proKey)
    const { account, plans, settings } = await startHarness()
    settings.update(() => ({ plans: earlierHarness.settings.read().plans }))
    expect((await account.keys(proPlanRef))[0]?.kept).toBeUndefined()
    await account.keepKey(proKey)
    expect((await account.keys(proPlanRef))[0]?.kept).toBe('keychain')
    expect(plans.list()).toMatchObject([{ keys: [{ name: 'default-key' }] }])
  })
})

describe('keys', () => {
  it('are saved immediately after creation, in the existing plan', async () => {
    const { account, plans, keychain } = await startWithSavedKey()
    const addedKey = contract['account.addKey'].output.parse(await account.addKey({ ...proPlanRef, name: 'laptop' }))
    expect(addedKey).toMatchObject({ name: 'laptop', status: 'ACTIVE', kept: 'keychain', usedBy: [] })
    expect(plans.list()).toMatchObject([{ keys: [{ name: 'default-key' }, { name: 'laptop' }] }])
    expect(keychain.items.size).toBe(2)
  })

  it('are created once for a double click', async () => {
    const { account } = await startHarness()
    await Promise.all([account.addKey({ ...proPlanRef, name: 'one' }), account.addKey({ ...proPlanRef, name: 'one' })])
    expect((await account.keys(proPlanRef)).map(({ name }) => name)).toEqual(['default-key', 'old-laptop', 'one'])
  })

  it('are refused at the limit before anything is sent', async () => {
    const { account, requests } = await startHarness()
    for (const name of ['a', 'b', 'c']) await account.addKey({ ...proPlanRef, name })
    await expectFailure(account.addKey({ ...proPlanRef, name: 'd' }), 'account.keyLimitReached')
    expect((await requests('POST')).filter((path) => path.endsWith('/keys'))).toHaveLength(3)
  })

  it.each(['', '   ', 'x'.repeat(51)])('named %j are refused', async (name) => {
    const { account } = await startHarness()
    await expectFailure(account.addKey({ ...proPlanRef, name }), 'account.invalidName', { field: 'name' })
    await expectFailure(account.renameKey({ ...proKey, name }), 'account.invalidName', { field: 'name' })
  })

  it('are refused until the plan is provisioned', async () => {
    const { account } = await startHarness()
    const { planId } = await account.buy(purchaseInput)
    await expectFailure(account.addKey({ connectionId, planId, name: 'x' }), 'account.notProvisioned')
    const [key] = await account.keys({ connectionId, planId })
    expect(key).toMatchObject({ name: 'default-key', masked: '...' })
    const saveFailure = account.keepKey({ connectionId, planId, keyId: key?.keyId ?? '' })
    await expectFailure(saveFailure, 'account.notProvisioned')
  })

  it('that could not be saved are reported without their text, and can be saved later', async () => {
    const { account, keychain, plans, changes, vault } = await startHarness()
    await vault.state()
    keychain.isLocked = true
    const failure = await catchFailure(account.addKey({ ...proPlanRef, name: 'laptop' }))
    expect(failure.code).toBe('account.keyNotKept')
    expect(failure.message).toMatch(/laptop was created.*keychain/)
    expect(failure.message).not.toContain('sk-')
    expect(changes.count).toBe(1)
    expect(plans.list()).toEqual([])
    keychain.isLocked = false
    const createdKey = (await account.keys(proPlanRef)).find(({ name }) => name === 'laptop')
    expect(createdKey?.kept).toBeUndefined()
    await account.keepKey({ ...proPlanRef, keyId: createdKey?.keyId ?? '' })
    expect(plans.list()).toMatchObject([{ keys: [{ name: 'laptop', kept: 'keychain' }] }])
  })

  it('are copied from the keychain when saved here, or else from the account', async () => {
    const { account, keyText, requests } = await startHarness()
    const accountSecret = await account.readSecret(proKey)
    await account.keepKey(proKey)
    const requestCount = (await requests('GET')).length
    const localSecret = await account.readSecret(proKey)
    expect([accountSecret.expose(), localSecret.expose()]).toEqual([keyText(proKey.keyId), keyText(proKey.keyId)])
    expect((await requests('GET')).length).toBe(requestCount)
  })

  it('are removed here when deleted, and the last one with its plan', async () => {
    const { account, plans, keychain } = await startHarness({ usedBy: ['opencode'] })
    const otherKey = await account.addKey({ ...proPlanRef, name: 'laptop' })
    await account.keepKey(proKey)
    await account.deleteKey({ ...proPlanRef, keyId: otherKey.keyId })
    expect(plans.list()).toMatchObject([{ keys: [{ name: 'default-key' }] }])
    await account.deleteKey(proKey)
    expect(plans.list()).toEqual([])
    expect(keychain.items.size).toBe(0)
    expect((await account.keys(proPlanRef)).map(({ name }) => name)).toEqual(['old-laptop'])
  })

  it.each([
    ['is refused', { status: 500 }],
    ['gets no answer', { isDropped: true }],
  ])('stay here when their deletion %s', async (_, fault) => {
    const { account, plans, control } = await startWithSavedKey()
    await control('faults', { faults: [{ operations: 'console.keys.delete', ...fault }] })
    await catchFailure(account.deleteKey(proKey))
    expect(plans.list()).toMatchObject([{ keys: [{ kept: 'keychain' }] }])
  })

  it('that the keychain does not delete are still reported as deleted at the account', async () => {
    const { account, keychain, plans } = await startWithSavedKey()
    keychain.isLocked = true
    const message = expect.stringContaining('deleted from the account')
    await expectFailure(account.deleteKey(proKey), 'vault.unavailable', { message })
    expect(plans.list()).toHaveLength(1)
  })
})

const rejectRequest = async (): Promise<never> => {
  throw new AppError('input.declined', 'No.')
}

describe('auto-renew near the expiry', () => {
  async function startClosing() {
    const harness = await startHarness()
    await harness.account.setAutoRenew({ ...proPlanRef, autoRenew: false }, rejectRequest)
    await harness.control(`plans/${proPlanId}`, { expiresAt: new Date(Date.now() + 2 * 86_400_000).toISOString() })
    return { ...harness, credits: async () => (await harness.account.get(connectionInput)).credits }
  }

  it('is not switched on, and nothing is paid, without consent to the amount', async () => {
    const { account, credits } = await startClosing()
    const creditsBefore = await credits()
    await expectFailure(account.setAutoRenew({ ...proPlanRef, autoRenew: true }, rejectRequest), 'input.declined')
    expect(await credits()).toBe(creditsBefore)
    expect(await account.plan(proPlanRef)).toMatchObject({ autoRenew: false })
  })

  it('renews immediately after consent to the amount, which is in the audit log', async () => {
    const { account, credits, noted } = await startClosing()
    const creditsBefore = await credits()
    const quotes: unknown[] = []
    const { total, expiresAt } = await account.plan(proPlanRef)
    const consent = async (quote: unknown) => void quotes.push(quote)
    const autoRenewResult = await account.setAutoRenew({ ...proPlanRef, autoRenew: true }, consent)
    expect(quotes).toEqual([{ planName: 'sandbox-pro', amount: total, credits: creditsBefore }])
    expect(await credits()).toBe(creditsBefore - total)
    expect(autoRenewResult.expiresAt > expiresAt).toBe(true)
    expect(noted.slice(-2)).toEqual([
      { what: 'autoRenewOn', planName: 'sandbox-pro' },
      { what: 'planRenewed', planName: 'sandbox-pro', subject: `${total} VND` },
    ])
  })

  it('is switched off without a confirmation', async () => {
    const { account } = await startClosing()
    const { autoRenew } = await account.setAutoRenew({ ...proPlanRef, autoRenew: false }, rejectRequest)
    expect(autoRenew).toBe(false)
  })
})

describe('deleting plans', () => {
  it('is previewed with keys, local tools and the current refund', async () => {
    const { account, control } = await startWithSavedKey({ usedBy: ['opencode'] })
    await control('models', { planId: proPlanId, modelCode: 'aurora-large', tokensUsed: 7_777_777 })
    const previews = await account.previewDelete({ connectionId, planIds: [proPlanId, expiredPlanId, 'gone'] })
    expect(contract['account.previewDelete'].output.parse(previews)).toMatchObject([
      { planId: proPlanId, keys: ['default-key', 'old-laptop'], tools: ['Tool opencode'] },
      { planId: expiredPlanId, keys: ['default-key'], tools: [], estimatedRefund: 0 },
    ])
    const { deleted } = await account.deletePlans({ connectionId, planIds: [proPlanId] })
    expect(previews[0]?.estimatedRefund).toBe(deleted[0]?.refund)
    expect(deleted[0]?.refund).toBeGreaterThan(100_000)
  })

  it('fails and names the plans when none of them exists', async () => {
    const { account } = await startHarness()
    await expectFailure(account.previewDelete({ connectionId, planIds: ['gone'] }), 'api.notFound')
  })

  it('lists failures, and removes local data of plans deleted now or before', async () => {
    const { account, control, plans, keychain } = await startWithSavedKey()
    await account.keepKey({ connectionId, planId: expiredPlanId, keyId: 'key-expired-default' })
    await control(`plans/${expiredPlanId}`, { deleted: true })
    const planIds = [proPlanId, expiredPlanId, proPlanId]
    const outcome = contract['account.deletePlans'].output.parse(await account.deletePlans({ connectionId, planIds }))
    expect(outcome).toMatchObject({
      deleted: [{ planId: proPlanId }],
      failed: [{ planId: expiredPlanId, code: 'api.notFound', message: expect.stringContaining('deleted') }],
      notForgotten: [],
    })
    expect(plans.list()).toEqual([])
    expect(keychain.items.size).toBe(0)
  })

  it('names a local plan whose key the keychain did not delete', async () => {
    const { account, keychain, plans } = await startWithSavedKey()
    keychain.isLocked = true
    const outcome = await account.deletePlans({ connectionId, planIds: [proPlanId] })
    expect(outcome).toMatchObject({ deleted: [{ planId: proPlanId }], notForgotten: ['sandbox-pro'] })
    expect(plans.list()).toHaveLength(1)
  })
})

/** Creates a sandbox world of 500 plans with 50 keys each. */
function buildWorldWithManyItems(seed: string, nowMs: number): World {
  const world = plainWorld(seed, nowMs)
  const [plan] = world.plans
  const [key] = world.keys
  if (!plan || !key) throw new Error('no plan')
  const plans = Array.from({ length: 500 }, (_, n) => ({
    ...plan,
    planId: `plan-${n}`,
    name: `plan-${n}`,
    maxKeys: 50,
    purchasedAt: new Date(nowMs - (500 - n) * 60_000).toISOString(),
  }))
  const keys = plans.flatMap(({ planId }) =>
    Array.from({ length: 50 }, (_, n) => ({ ...key, planId, keyId: `${planId}-key-${n}`, name: `key-${n}` })),
  )
  return { ...world, plans, keys }
}

it('every change of an account is recorded by name after it succeeded', async () => {
  const { account, noted: auditNotes } = await startHarness({ timing: { provisioningMs: 0 } })
  await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
  const key = { ...proPlanRef, keyId: (await account.addKey({ ...proPlanRef, name: 'ci' })).keyId }
  await account.renameKey({ ...key, name: ' build ' })
  await account.setKeyStatus({ ...key, status: 'DISABLED' })
  await account.setKeyStatus({ ...key, status: 'ACTIVE' })
  await account.deleteKey(key)
  const purchase = await account.buy(purchaseInput)
  await account.purchases.wait({ connectionId, planId: purchase.planId })
  await account.deletePlans({ connectionId, planIds: [purchase.planId, 'nothing'] })
  const planName = 'sandbox-pro'
  expect(auditNotes).toEqual([
    { what: 'keySaved', planName, keyName: 'default-key' },
    { what: 'keyAdded', planName, keyName: 'ci' },
    { what: 'keyRenamed', planName, keyName: 'build', subject: 'ci' },
    { what: 'keyDisabled', planName, keyName: 'build' },
    { what: 'keyEnabled', planName, keyName: 'build' },
    { what: 'keyDeleted', planName, keyName: 'build' },
    { what: 'planBought', planName: 'mine', subject: expect.stringMatching(/^\d+ VND$/) },
    { what: 'planDeleted', planName: 'mine' },
  ])
})

it('failures are not recorded', async () => {
  const { account, noted: auditNotes } = await startHarness()
  await catchFailure(account.deleteKey({ ...proPlanRef, keyId: 'nobody' }))
  await catchFailure(account.addKey({ connectionId, planId: proPlanId, name: ' ' }))
  expect(auditNotes).toEqual([])
})
