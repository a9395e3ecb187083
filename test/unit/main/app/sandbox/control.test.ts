import type { SandboxSituation } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { openControl } from '../../../../../src/main/app/sandbox/control'
import { SandboxReady } from '../../../../../src/main/app/sandbox/host'
import { directSend } from '../../../../support/direct-send'
import { ask, chatPath, rawRequest, startBench } from '../../../sandbox/support'

const dayMs = 86_400_000

async function start() {
  const bench = await startBench()
  const ready = SandboxReady.parse(structuredClone(bench.sandbox.ready))
  return { bench, ready, control: openControl(ready, directSend) }
}
type Started = Awaited<ReturnType<typeof start>>

/** Result of a gateway call, as a tool would see it. */
async function readOutcome({ bench }: Started): Promise<string> {
  const body = JSON.stringify(ask('List ten rivers in a long answer', { model: 'aurora-large' }))
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${bench.readKey('sandbox-pro', 'default-key')}`,
  }
  const answer = await rawRequest(`${bench.gatewayUrl}${chatPath}`, { method: 'POST', headers, body }).catch(
    () => undefined,
  )
  if (!answer) return 'no answer'
  if (!answer.isComplete) return 'broken off'
  const wait = answer.headers['retry-after']
  const isJson = answer.text.includes('":')
  return `${answer.status}${wait ? ` after ${wait}` : ''}${isJson ? '' : ' garbled'}`
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
    const started = await start()
    await started.control.simulate('normal', 'normal')
    const before = (await started.bench.state()).plans[0]
    await started.control.simulate(situation, 'normal')
    await started.control.simulate('normal', situation)
    expect((await started.bench.state()).plans[0]).toEqual(before)
    await started.control.simulate(situation, 'normal')
    expect(await readOutcome(started)).toBe(outcome)
    await started.control.simulate('normal', situation)
    expect(await readOutcome(started)).toBe('200')
  })

  it('slow delays every response by five seconds', async () => {
    const { bench, control } = await start()
    await control.simulate('slow', 'normal')
    expect((await bench.state()).faults).toEqual([{ operations: 'gateway.*', delayMs: 5_000 }])
  })

  it('replace each other', async () => {
    const started = await start()
    await started.control.simulate('keyDisabled', 'normal')
    await started.control.simulate('rateLimited', 'keyDisabled')
    await started.control.simulate('allowanceUsedUp', 'rateLimited')
    expect(await readOutcome(started)).toBe('429')
    await started.control.simulate('planExpired', 'allowanceUsedUp')
    await started.control.simulate('normal', 'planExpired')
    expect(await readOutcome(started)).toBe('200')
  })

  it('that end after a restart leave a plan with a new cycle and a full quota', async () => {
    const { bench, ready, control } = await start()
    await control.simulate('planExpired', 'normal')
    await openControl(ready, directSend).simulate('allowanceUsedUp', 'planExpired')
    await openControl(ready, directSend).simulate('normal', 'allowanceUsedUp')
    const [plan] = (await bench.state()).plans
    expect([plan?.status, plan?.models[0]?.tokensUsed]).toEqual(['ACTIVE', 0])
  })

  it('survive a restart, which clears faults, and change nothing else', async () => {
    const started = await start()
    const before = (await started.bench.state()).plans
    await started.control.simulate('normal', 'normal')
    expect((await started.bench.state()).plans).toEqual(before)
    await started.control.simulate('serverError', 'serverError')
    expect(await readOutcome(started)).toBe('503')
  })
})

describe('the clock', () => {
  it('advances past the expiry of the plan in use, and reports what happened', async () => {
    const { bench, control } = await start()
    const { plan, aheadMs } = await control.world()
    expect([plan?.name, aheadMs]).toEqual(['sandbox-pro', 0])
    const { world, happened } = await control.moveClock('pastExpiry')
    expect(world.aheadMs).toBeGreaterThan(29 * dayMs)
    expect(world.plan?.status).toBe('ACTIVE')
    expect(happened[0]).toEqual({
      kind: 'renewed',
      plan: 'sandbox-pro',
      charged: 490_000,
      expiresAt: (await bench.state()).plans[0]?.expiresAt,
    })
    expect(world.credits).toBe((await bench.state()).account.credits)
  })

  it('reports an expiry when the account cannot pay, and then has no further expiry', async () => {
    const { control } = await start()
    await control.setAccount({ credits: 0 })
    const { world, happened } = await control.moveClock('pastExpiry')
    expect(world.plan?.status).toBe('EXPIRED')
    expect(happened).toEqual([{ kind: 'expired', plan: 'sandbox-pro', why: 'unpaid' }])
    await expect(control.moveClock('beforeExpiry')).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
    await expect(control.moveClock('pastExpiry')).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
  })
})

describe('the account', () => {
  it.each([
    [{ role: 'VIEWER' as const }, { role: 'VIEWER', credits: 5_000_000 }],
    [{ credits: 0 }, { role: 'ROOT', credits: 0 }],
    [
      { role: 'ADMIN' as const, credits: 1_000_000_000_000 },
      { role: 'ADMIN', credits: 1_000_000_000_000 },
    ],
    [{}, { role: 'ROOT', credits: 5_000_000 }],
  ])('changed by %j is %j', async (change, account) => {
    const { control } = await start()
    expect(await control.setAccount(change)).toMatchObject(account)
    expect(await control.world()).toMatchObject(account)
  })
})

it('invalidates earlier access tokens, and new ones work', async () => {
  const { bench, control } = await start()
  const before = await bench.token()
  const list = '/identity/api/v1/agent-identities?page=0&size=1'
  expect((await bench.api('GET', list, { token: before })).status).toBe(200)
  await control.expireTokens()
  expect((await bench.api('GET', list, { token: before })).status).toBe(401)
  expect((await bench.api('GET', list, { token: await bench.token() })).status).toBe(200)
})

describe('a reset', () => {
  it('restores the first day and keeps the key', async () => {
    const started = await start()
    await started.control.simulate('dropped', 'normal')
    await started.control.setAccount({ role: 'VIEWER', credits: 1 })
    await started.control.moveClock('week')
    expect(await started.control.reset()).toBe(true)
    expect(await started.control.world()).toMatchObject({ aheadMs: 0, role: 'ROOT', credits: 5_000_000 })
    expect(await readOutcome(started)).toBe('200')
  })

  it('reports that the plan in use no longer exists', async () => {
    const { ready } = await start()
    const [plan] = ready.plans
    const bought = openControl({ ...ready, plans: plan ? [{ ...plan, planId: 'bought' }] : [] }, directSend)
    expect(await bought.reset()).toBe(false)
  })
})

it('lists the requests of one listener after a number, with the operation', async () => {
  const { bench, control } = await start()
  await bench.post(chatPath, ask('hi'))
  await bench.api('GET', '/identity/api/v1/agent-identities?page=0&size=1')
  await bench.api('GET', '/nowhere')
  const told = async (filter: Parameters<typeof control.requests>[0]) =>
    (await control.requests(filter)).map(({ area, operation, status }) => [area, operation, status])
  expect(await told({})).toEqual([['gateway', 'gateway.chatCompletions', 200]])
  expect(await told({ area: 'platform' })).toEqual([
    ['platform', 'iam.token', 200],
    ['platform', 'identity.agentIdentities.list', 200],
    ['platform', undefined, 404],
  ])
  expect(await told({ area: 'platform', after: 3 })).toEqual([['platform', undefined, 404]])
})

it('reports a failure when the sandbox has stopped', async () => {
  const { bench, control } = await start()
  await bench.sandbox.close()
  await expect(control.world()).rejects.toMatchObject({ failure: { code: 'sandbox.failed' } })
})
