import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { createAccountHarness, listResponse } from './account-desk'
import { json } from './desk'

const futureDate = '2099-01-01T00:00:00Z'
const expiredPlan = { ...planAnswer, planId: 'p1', status: 'EXPIRED' }
const currentPlan = { ...planAnswer, planId: 'p2', expiresAt: futureDate }
const branchPlan = { ...planAnswer, planId: 'b1', expiresAt: futureDate }
const findKey = (name: string) => ({ ...keyAnswer, keyId: `k-${name}`, key: `sk-${name}-0123456789abcdef` })

/** Console responses for the given plans, each with one key. */
const buildRoutes = (root: string, ...plans: readonly { readonly planId: string }[]) => ({
  [`GET ${root}/account`]: json({ accountId: root, role: 'ADMIN', credits: 1_000_000 }),
  [`GET ${root}/token-plans`]: listResponse(...plans),
  ...Object.fromEntries(
    plans.flatMap((plan) => [
      [`GET ${root}/token-plans/${plan.planId}`, json(plan)],
      [`GET ${root}/token-plans/${plan.planId}/keys`, listResponse(findKey(plan.planId))],
      [`POST ${root}/token-plans/${plan.planId}/keys`, json({ ...findKey(`new-${plan.planId}`), name: 'An' }, 201)],
    ]),
  ),
})

/**
 * A test environment with two connections: the active `office` has an expired and a current plan `team`, and `branch`
 * has another plan `team`.
 */
async function startHarness() {
  const harness = await createAccountHarness({
    ...buildRoutes('/console', expiredPlan, currentPlan),
    ...buildRoutes('/branch', branchPlan),
  })
  const { id: office } = harness.core.connections.find('office')
  const { connection } = await harness.core.connections.save({
    name: 'branch',
    addresses: { consoleUrl: `${harness.server.url}/branch`, identityApiUrl: `${harness.server.url}/identity` },
    tokenSource: { kind: 'command', command: [process.execPath, '-e', 'console.log("token-1")'] },
  })
  harness.core.connections.use(office)
  const saveKey = async (plan: string, connectionName = 'office') =>
    harness.run(['key', 'keep', plan, 'default-key', '--connection', connectionName])
  const runIssue = (plan: string) =>
    harness.run(['handout', 'create', '--plan', plan, '--holder', 'An', '--out', join(harness.folder, 'an.age')])
  return { ...harness, branchId: connection.id, keep: saveKey, issue: runIssue }
}

let harness: Awaited<ReturnType<typeof startHarness>>
beforeEach(async () => {
  harness = await startHarness()
})

const ambiguousNameError = (...candidates: readonly string[]) => ({
  code: 'input.invalid',
  message: expect.stringContaining(candidates.join(', ')),
})

describe('a plan uses the name from its account', () => {
  it('even if plans of two accounts share it, which shows the connection too', async () => {
    await harness.keep('p2')
    await harness.keep('b1', 'branch')
    expect(harness.core.plans.list().map(({ name, label }) => [name, label])).toEqual([
      ['handed', undefined],
      ['team', 'team (office)'],
      ['team', 'team (branch)'],
    ])
  })

  it('even if an earlier version used another name, which still works', async () => {
    await harness.keep('p2')
    harness.core.settings.update(({ plans }) => ({
      plans: plans.map((plan) => (plan.origin ? { ...plan, name: 'team-2' } : plan)),
    }))
    await harness.run('plan list')
    expect(harness.core.plans.list().map(({ name }) => name)).toEqual(['handed', 'team'])
    expect(harness.core.plans.find('team-2').name).toBe('team')
  })
})

describe('a name that several plans have', () => {
  it('refers to the one that has not expired', async () => {
    await harness.keep('p1')
    await harness.keep('p2')
    expect((await harness.run('key print --plan team')).out).toBe(`${findKey('p2').key}\n`)
    const { err } = await harness.run('rotate start --plan team --key default-key')
    expect(err).toContain('Rotating default-key of team')
    expect(harness.server.received.findLast(({ path }) => path.includes('/keys'))?.path).toContain('/p2/')
  })

  it.each([
    ['plan delete', ['plan', 'delete', 'team']],
    ['key delete', ['key', 'delete', 'team', 'default-key']],
    ['key disable', ['key', 'disable', 'team', 'default-key']],
  ])('is refused by %s, even if only one has not expired', async (_, args) => {
    const { failure } = await harness.run([...args, '--yes'])
    expect(failure).toMatchObject(ambiguousNameError('office/team (p1, expired)', 'office/team (p2)'))
    expect(harness.changes()).toEqual([])
  })

  it('is refused with the candidates when accounts share it', async () => {
    await harness.keep('p2')
    await harness.keep('b1', 'branch')
    const [, office, branch] = harness.core.plans.list()
    for (const args of [
      ['key', 'print', '--plan', 'team'],
      ['rotate', 'start', '--plan', 'team', '--key', 'default-key'],
    ]) {
      expect((await harness.run(args)).failure).toMatchObject(
        ambiguousNameError(`office/team (${office?.id})`, `branch/team (${branch?.id})`),
      )
    }
  })

  it.each([['branch/team'], ['b1'], ['branch/b1']])('is optional: %s is one plan', async (planName) => {
    await harness.keep('p2')
    await harness.keep('b1', 'branch')
    expect((await harness.run(['key', 'print', '--plan', planName])).out).toBe(`${findKey('b1').key}\n`)
  })
})

describe('rotate start', () => {
  it('refuses an expired plan, also when the new one is not saved here', async () => {
    await harness.keep('p1')
    const { failure } = await harness.run('rotate start --plan team --key default-key --yes')
    expect(failure).toMatchObject({ code: 'account.planExpired' })
    expect(harness.changes()).toEqual([])
  })
})

describe('handout create', () => {
  it('refuses a bare name that only an inactive connection has', async () => {
    await harness.keep('b1', 'branch')
    harness.core.settings.update(({ plans }) => ({
      plans: plans.map((plan) => (plan.origin ? { ...plan, name: 'branch-only' } : plan)),
    }))
    const { failure } = await harness.issue('branch-only')
    expect(failure).toMatchObject({ code: 'input.invalid', message: expect.stringContaining('branch/branch-only') })
    expect(harness.changes()).toEqual([])
  })

  it.each([['p2'], ['team'], ['office/team'], ['office/p2']])(
    'creates a key for a plan without saved keys, by %s',
    async (planName) => {
      const { out, failure } = await harness.issue(planName)
      expect(failure).toBeUndefined()
      expect(out).toContain('for An: key An of team.')
      expect(harness.changes()).toEqual(['POST /token-plans/p2/keys'])
      expect(harness.core.plans.list().map(({ name, origin }) => [name, origin?.planId])).toEqual([
        ['handed', undefined],
        ['team', 'p2'],
      ])
    },
  )

  it('uses the plan of the named connection', async () => {
    await harness.keep('b1', 'branch')
    expect((await harness.issue('branch/team')).failure).toBeUndefined()
    expect(harness.server.received.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/branch/token-plans/b1/keys',
    ])
  })
})
