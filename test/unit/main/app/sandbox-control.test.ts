import { inspect } from 'node:util'
import type { SandboxSituation } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { openControl, SandboxReady } from '../../../../src/main/app/sandbox'
import { directSend } from '../../../support/direct-send'
import { buildChatBody, chatPath, rawRequest, startHarness } from '../../sandbox/support'
import { readyMessage } from './sandbox-ready'

const dayMs = 86_400_000

async function startControl() {
  const harness = await startHarness()
  const sandboxReadyMessage = SandboxReady.parse(structuredClone(harness.sandbox.ready))
  return { harness, ready: sandboxReadyMessage, control: openControl(sandboxReadyMessage, directSend) }
}
type StartedControl = Awaited<ReturnType<typeof startControl>>

/** Result of a gateway call, as a tool would see it. */
async function readOutcome({ harness }: StartedControl): Promise<string> {
  const body = JSON.stringify(buildChatBody('List ten rivers in a long answer', { model: 'aurora-large' }))
  const authorization = `Bearer ${harness.readKey('sandbox-pro', 'default-key')}`
  const headers = { 'content-type': 'application/json', authorization }
  const request = rawRequest(`${harness.gatewayUrl}${chatPath}`, { method: 'POST', headers, body })
  const response = await request.catch(() => undefined)
  if (!response) return 'no answer'
  if (!response.isComplete) return 'broken off'
  const retryAfterSeconds = response.headers['retry-after']
  const isJson = response.text.includes('":')
  return `${response.status}${retryAfterSeconds ? ` after ${retryAfterSeconds}` : ''}${isJson ? '' : ' garbled'}`
}

describe('scenarios', () => {
  it.each<[SandboxSituation, string]>([
    ['normal', '200'],
    ['keyDisabled', '401'],
    ['planExpired', '402'],
    ['allowanceUsedUp', '429'],
    ['rateLimited', '429 after 20'],
    ['serverError', '503'],
    ['malformed', '200 garbled'],
    ['cutStream', 'broken off'],
    ['dropped', 'no answer'],
  ])('%s makes a call return %s, and leaves no trace afterwards', async (situation, outcome) => {
    const control = await startControl()
    await control.control.simulate('normal', 'normal')
    const planBefore = (await control.harness.state()).plans[0]
    await control.control.simulate(situation, 'normal')
    await control.control.simulate('normal', situation)
    expect((await control.harness.state()).plans[0]).toEqual(planBefore)
    await control.control.simulate(situation, 'normal')
    expect(await readOutcome(control)).toBe(outcome)
    await control.control.simulate('normal', situation)
    expect(await readOutcome(control)).toBe('200')
  })

  it('slow delays every response by five seconds', async () => {
    const { harness, control } = await startControl()
    await control.simulate('slow', 'normal')
    expect((await harness.state()).faults).toEqual([{ operations: 'gateway.*', delayMs: 5_000 }])
  })

  it('replace each other', async () => {
    const control = await startControl()
    await control.control.simulate('keyDisabled', 'normal')
    await control.control.simulate('rateLimited', 'keyDisabled')
    await control.control.simulate('allowanceUsedUp', 'rateLimited')
    expect(await readOutcome(control)).toBe('429')
    await control.control.simulate('planExpired', 'allowanceUsedUp')
    await control.control.simulate('normal', 'planExpired')
    expect(await readOutcome(control)).toBe('200')
  })

  it('that end after a restart leave a plan with a new cycle and a full quota', async () => {
    const { harness, ready, control } = await startControl()
    await control.simulate('planExpired', 'normal')
    await openControl(ready, directSend).simulate('allowanceUsedUp', 'planExpired')
    await openControl(ready, directSend).simulate('normal', 'allowanceUsedUp')
    const [plan] = (await harness.state()).plans
    expect([plan?.status, plan?.models[0]?.tokensUsed]).toEqual(['ACTIVE', 0])
  })

  it('survive a restart, which clears faults, and change nothing else', async () => {
    const control = await startControl()
    const plansBefore = (await control.harness.state()).plans
    await control.control.simulate('normal', 'normal')
    expect((await control.harness.state()).plans).toEqual(plansBefore)
    await control.control.simulate('serverError', 'serverError')
    expect(await readOutcome(control)).toBe('503')
  })
})

describe('the clock', () => {
  it('advances past the expiry of the plan in use, and reports what happened', async () => {
    const { harness, control } = await startControl()
    const { plan, aheadMs: clockOffsetMs } = await control.world()
    expect([plan?.name, clockOffsetMs]).toEqual(['sandbox-pro', 0])
    const { world, happened } = await control.moveClock('pastExpiry')
    expect(world.aheadMs).toBeGreaterThan(29 * dayMs)
    expect(world.plan?.status).toBe('ACTIVE')
    const { plans, account } = await harness.state()
    const expiresAt = plans[0]?.expiresAt
    expect(happened[0]).toEqual({ kind: 'renewed', plan: 'sandbox-pro', charged: 490_000, expiresAt })
    expect(world.credits).toBe(account.credits)
  })

  it('reports an expiry when the account cannot pay, and then has no further expiry', async () => {
    const { control } = await startControl()
    await control.setAccount({ credits: 0 })
    const { world, happened } = await control.moveClock('pastExpiry')
    expect(world.plan?.status).toBe('EXPIRED')
    expect(happened).toEqual([{ kind: 'expired', plan: 'sandbox-pro', why: 'unpaid' }])
    await expect(control.moveClock('beforeExpiry')).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
    await expect(control.moveClock('pastExpiry')).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
  })
})

it.each([
  [{ role: 'VIEWER' as const }, { role: 'VIEWER', credits: 5_000_000 }],
  [{ credits: 0 }, { role: 'ROOT', credits: 0 }],
  [
    { role: 'ADMIN' as const, credits: 10 ** 12 },
    { role: 'ADMIN', credits: 10 ** 12 },
  ],
  [{}, { role: 'ROOT', credits: 5_000_000 }],
])('the account changed by %j is %j', async (change, account) => {
  const { control } = await startControl()
  expect(await control.setAccount(change)).toMatchObject(account)
  expect(await control.world()).toMatchObject(account)
})

it('invalidates earlier access tokens, and new ones work', async () => {
  const { harness, control } = await startControl()
  const tokenBefore = await harness.token()
  const list = '/identity/api/v1/agent-identities?page=0&size=1'
  expect((await harness.api('GET', list, { token: tokenBefore })).status).toBe(200)
  await control.expireTokens()
  expect((await harness.api('GET', list, { token: tokenBefore })).status).toBe(401)
  expect((await harness.api('GET', list, { token: await harness.token() })).status).toBe(200)
})

describe('a reset', () => {
  it('restores the first day and keeps the key', async () => {
    const control = await startControl()
    await control.control.simulate('dropped', 'normal')
    await control.control.setAccount({ role: 'VIEWER', credits: 1 })
    await control.control.moveClock('week')
    expect(await control.control.reset()).toBe(true)
    expect(await control.control.world()).toMatchObject({ aheadMs: 0, role: 'ROOT', credits: 5_000_000 })
    expect(await readOutcome(control)).toBe('200')
  })

  it('reports that the plan in use no longer exists', async () => {
    const { ready } = await startControl()
    const [plan] = ready.plans
    const control = openControl({ ...ready, plans: plan ? [{ ...plan, planId: 'bought' }] : [] }, directSend)
    expect(await control.reset()).toBe(false)
  })
})

it('lists the requests of one listener after a number, with the operation', async () => {
  const { harness, control } = await startControl()
  await harness.post(chatPath, buildChatBody('hi'))
  await harness.api('GET', '/identity/api/v1/agent-identities?page=0&size=1')
  await harness.api('GET', '/nowhere')
  const listRequests = async (filter: Parameters<typeof control.requests>[0]) =>
    (await control.requests(filter)).map(({ area, operation, status }) => [area, operation, status])
  expect(await listRequests({})).toEqual([['gateway', 'gateway.chatCompletions', 200]])
  expect(await listRequests({ area: 'platform' })).toEqual([
    ['platform', 'iam.token', 200],
    ['platform', 'identity.agentIdentities.list', 200],
    ['platform', undefined, 404],
  ])
  expect(await listRequests({ area: 'platform', after: 3 })).toEqual([['platform', undefined, 404]])
})

it('reports a failure when the sandbox has stopped', async () => {
  const { harness, control } = await startControl()
  await harness.sandbox.close()
  await expect(control.world()).rejects.toMatchObject({ failure: { code: 'sandbox.failed' } })
})

it('holds the client secret as a Secret as soon as it is read', () => {
  const { iam } = SandboxReady.parse(readyMessage())
  expect(iam.clientSecret.expose()).toBe('cs-sandbox-0123456789')
  expect([inspect(iam, { depth: 9 }), String(iam.clientSecret)].join()).not.toContain('0123456789')
  expect(() => JSON.stringify(iam)).toThrow()
})

it('parses the messages of a real sandbox', async () => {
  const { sandbox } = await startHarness()
  const { addresses, iam, plans } = SandboxReady.parse(structuredClone(sandbox.ready))
  expect(addresses).toEqual(sandbox.ready.addresses)
  expect(iam).toMatchObject({ tokenUrl: sandbox.ready.iam.tokenUrl, clientId: sandbox.ready.iam.clientId })
  expect(plans.map(({ planId }) => planId)).toEqual(sandbox.ready.plans.map(({ planId }) => planId))
})

it.each([
  ['no addresses', { addresses: undefined }],
  ['an address too few', { addresses: { tokenPlanUrl: 'http://127.0.0.1:1' } }],
  ['no client', { iam: undefined }],
  ['an empty client secret', { iam: { tokenUrl: 'u', clientId: 'c', clientSecret: '' } }],
  ['a client secret that no header carries', { iam: { tokenUrl: 'u', clientId: 'c', clientSecret: 'a b' } }],
  ['another kind', { kind: 'failed' }],
])('does not accept a message with %s as a start', (_what, overrides) => {
  expect(SandboxReady.safeParse(readyMessage(overrides)).success).toBe(false)
})
