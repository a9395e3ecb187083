import { join } from 'node:path'
import { AccountPlanView, plans as contract } from '@shared/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { connect, createAccountHarness, json, listResponse, packageAnswer } from './desk'

const toRows = (tableText: string): string[] => tableText.trimEnd().split('\n').slice(1)

describe('plan list', () => {
  it('merges a plan of the account with the local one that has its keys', async () => {
    const harness = await createAccountHarness()
    await harness.run('key keep team default-key')
    const { out } = await harness.run('plan list')
    expect(toRows(out).filter((row) => row.startsWith('team'))).toHaveLength(1)
    const rows: { localPlanId?: string; id?: string }[] = JSON.parse((await harness.run('--json plan list')).out)
    expect(rows).toHaveLength(5)
    expect(rows[0]?.localPlanId).toBe(rows[4]?.id)
  })

  it('shows that a local plan is missing in its account or belongs to another one', async () => {
    const harness = await createAccountHarness()
    await harness.run('key keep team default-key')
    const { id } = harness.core.connections.find('office')
    const otherConnection = await connect(harness, 'other')
    harness.core.plans.link(harness.core.plans.find('team').id, { connectionId: id, planId: 'gone', keyId: 'k' })
    expect((await harness.run('plan list')).out).toMatch(/^team +gone at the account /m)
    const { out } = await harness.run(['plan', 'list', '--connection', otherConnection])
    expect(out).toMatch(/^team +account of office /m)
  })

  it('prints the local plans with the reason when the console answers nonsense', async () => {
    const harness = await createAccountHarness({ 'GET /console/token-plans': listResponse({ planId: 'odd' }) })
    const { out, err, code } = await harness.run('plan list')
    expect(out).toMatch(/^NAME +GATEWAY.*\nhanded +https:\/\/handed\.example\.com /)
    expect(err).toMatch(/^Couldn't list the plans of the account of office: .*Unexpected response/)
    expect(code).toBe(1)
    const jsonRun = await harness.run('--json plan list')
    expect(JSON.parse(jsonRun.out)).toMatchObject([{ name: 'handed' }])
  })

  it('accepts a connection without a console', async () => {
    const harness = await createAccountHarness()
    await harness.core.connections.save({ name: 'bare', addresses: {} })
    const { out, err, code } = await harness.run('plan list --connection bare')
    expect(out).toContain('handed')
    expect(err).toContain('consoleUrl')
    expect(code).toBe(0)
  })

  it('escapes names of the platform that would break a line or control the terminal', async () => {
    const harness = await createAccountHarness({
      'GET /console/token-plans': listResponse({ ...planAnswer, planType: 'Pro\u001B[2J\nteam  account' }),
    })
    expect(toRows((await harness.run('plan list')).out)[0]).toMatch(/^team +account +Pro\[2J team account +active/)
  })
})

describe('plan show', () => {
  it('shows a plan of the account with its models and masked keys', async () => {
    const harness = await createAccountHarness()
    const { out } = await harness.run('plan show team')
    expect(out).toMatch(/^price +490,000 VND for 30 days$/m)
    expect(out).toMatch(/^m +active +99 of 100 \(99%\) +9 of 10 \(90%\) +chat +Shared /m)
    expect(out).toMatch(/^sk-\.\.\.cdef +default-key +active +2026-03-01 +no +- +k1$/m)
    expect(out).not.toContain(keyAnswer.key)
    const { plan, keys } = JSON.parse((await harness.run('--json plan show p1')).out)
    expect(AccountPlanView.parse(plan).planId).toBe('p1')
    expect(keys).toMatchObject([{ keyId: 'k1', masked: 'sk-...cdef' }])
  })

  it('shows a local plan when the account is unavailable, and says so', async () => {
    const harness = await createAccountHarness({ 'GET /console/token-plans': json({ message: 'no' }, 403) })
    expect(await harness.run('plan show handed')).toMatchObject({ code: 0, err: expect.stringContaining('403') })
    expect((await harness.run('plan show team')).failure).toMatchObject({ code: 'api.forbidden' })
  })
})

const buyArgs = ['plan', 'buy', '--package', 'Pro', '--name', 'new']
const purchasedPlan = { ...planAnswer, planId: 'p9', name: 'new' }
const purchaseRoutes = { 'POST /console/token-plans': json(purchasedPlan, 201) }

describe('plan buy', () => {
  it('buys by type or id, and prints the plan', async () => {
    const harness = await createAccountHarness(purchaseRoutes)
    const { out } = await harness.run([...buyArgs, '--yes', '--json'])
    expect(contract['account.buy'].output.parse(JSON.parse(out))).toMatchObject({ planId: 'p9' })
    await harness.run('plan buy --package package-pro --name more --no-auto-renew --yes')
    const bodies = harness.server.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
    expect(bodies).toEqual([
      { name: 'new', packageId: 'package-pro', autoRenew: true },
      { name: 'more', packageId: 'package-pro', autoRenew: false },
    ])
  })

  it('reports that the plan is bought when waiting for it fails', async () => {
    const harness = await createAccountHarness({
      ...purchaseRoutes,
      'GET /console/token-plans/p9': json({ message: 'no' }, 403),
    })
    const { out, err, failure } = await harness.run([...buyArgs, '--yes', '--wait'])
    expect([out, err]).toEqual(['', expect.stringContaining('ID of new: p9')])
    const message = expect.stringMatching(/^new was bought, but its first key did not arrive: /)
    expect(failure).toMatchObject({ code: 'api.forbidden', message })
  })

  it('refuses a package that is not offered before anything is sent, with --yes or without', async () => {
    const harness = await createAccountHarness(purchaseRoutes)
    const args = ['plan', 'buy', '--package', 'pro', '--name', 'x']
    for (const run of [await harness.run(args), await harness.run([...args, '--yes'])])
      expect(run.failure).toMatchObject({ code: 'input.invalid', message: expect.stringContaining('Available: Pro.') })
    expect(harness.changes()).toEqual([])
  })

  it.each(['with space', '', 'x'.repeat(51), 'é'])('refuses the plan name %j', async (name) => {
    const harness = await createAccountHarness(purchaseRoutes)
    expect((await harness.run(['plan', 'buy', '--package', 'Pro', '--name', name, '--yes'])).code).toBe(2)
    expect(harness.changes()).toEqual([])
  })
})

describe('plan buy-again', () => {
  const buyAgainArgs = ['plan', 'buy-again', 'team', '--name', 'new']
  const buyAgainRoutes = { 'POST /console/token-plans/p1:buy-again': json(purchasedPlan, 201) }

  it('pays today’s price for the same type, only with --yes', async () => {
    const harness = await createAccountHarness({
      ...buyAgainRoutes,
      'GET /console/packages': listResponse({ ...packageAnswer, price: 500_000 }),
    })
    const { err, failure } = await harness.run(buyAgainArgs)
    expect(err).toContain('Total 500,000 VND. Balance: 1,000,000 VND now, 500,000 VND afterwards.\n')
    expect(failure).toMatchObject({ code: 'input.invalid' })
    expect(harness.changes()).toEqual([])
    expect((await harness.run([...buyAgainArgs, '--yes'])).out).toContain('Bought new (p9), Pro')
    expect(harness.changes()).toEqual(['POST /token-plans/p1:buy-again'])
  })

  it('shows the last paid total when the package is no longer offered', async () => {
    const harness = await createAccountHarness({ ...buyAgainRoutes, 'GET /console/packages': listResponse() })
    const { err } = await harness.run(buyAgainArgs)
    expect(err).toContain('no longer sold')
    expect(err).toContain('Total 490,000 VND.')
  })
})

it.each([
  ['a word that is neither on nor off', 'perhaps', 'team', 2, undefined],
  ['a plan whose account is not asked', 'on', 'handed', 1, 'plan.notFound'],
])('plan renew refuses %s', async (_, word, plan, code, failureCode) => {
  const harness = await createAccountHarness()
  const run = await harness.run(['plan', 'renew', word, plan])
  expect(run.code).toBe(code)
  if (failureCode) expect(run.failure).toMatchObject({ code: failureCode, message: expect.stringContaining('office') })
  expect(harness.changes()).toEqual([])
})

describe('plan delete', () => {
  const keys = {
    'GET /console/token-plans/p2/keys': listResponse({ ...keyAnswer, name: 'a' }, { ...keyAnswer, keyId: 'k2' }),
  }
  const stubBatchDelete = (answer: unknown) => ({ ...keys, 'POST /console/token-plans:batch-delete': json(answer) })

  it('lists plans that could not be deleted, and fails', async () => {
    const deleted = [{ planId: 'p1', refund: 441_000 }]
    const failed = [{ planId: 'p2', code: 'NOT_FOUND', message: 'It is gone.' }]
    const harness = await createAccountHarness(stubBatchDelete({ deleted, failed }))
    const args = ['plan', 'delete', 'team', 'p2', '--yes']
    const { out, err, code } = await harness.run(args)
    expect(out).toBe('Deleted team (p1). Refunded to credits: 441,000 VND.\n')
    expect(err).toContain('Not deleted: twin (p2). It is gone. (api.notFound)\n')
    expect(code).toBe(1)
    const jsonRun = await harness.run(['--json', ...args])
    const output = contract['account.deletePlans'].output.parse(JSON.parse(jsonRun.out))
    expect(output).toMatchObject({ deleted: [{ planId: 'p1' }], failed: [{ planId: 'p2' }] })
    expect(jsonRun.code).toBe(1)
  })

  it('deletes nothing when one of the plans is missing or ambiguous', async () => {
    const harness = await createAccountHarness(stubBatchDelete({ deleted: [], failed: [] }))
    for (const planName of ['nobody', 'twin', 'handed']) {
      expect((await harness.run(['plan', 'delete', 'team', planName, '--yes'])).failure).toBeDefined()
    }
    expect(harness.changes()).toEqual([])
  })

  it('reports dead keys that stay in the keychain', async () => {
    const harness = await createAccountHarness(stubBatchDelete({ deleted: [{ planId: 'p1', refund: 0 }], failed: [] }))
    await harness.run('key keep team default-key')
    harness.keychain.isLocked = true
    const { err, code } = await harness.run('plan delete team --yes')
    expect(err).toContain('companion plan remove team')
    expect(code).toBe(1)
  })
})

describe('the name of a plan', () => {
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
  async function startNamesHarness() {
    const harness = await createAccountHarness({
      ...buildRoutes('/console', expiredPlan, currentPlan),
      ...buildRoutes('/branch', branchPlan),
    })
    const { id: office } = harness.core.connections.find('office')
    await harness.core.connections.save({
      name: 'branch',
      addresses: { consoleUrl: `${harness.server.url}/branch`, identityApiUrl: `${harness.server.url}/identity` },
      tokenSource: { kind: 'command', command: [process.execPath, '-e', 'console.log("token-1")'] },
    })
    harness.core.connections.use(office)
    const saveKey = async (plan: string, connectionName = 'office') =>
      harness.run(['key', 'keep', plan, 'default-key', '--connection', connectionName])
    const runIssue = (plan: string) =>
      harness.run(['handout', 'create', '--plan', plan, '--holder', 'An', '--out', join(harness.folder, 'an.age')])
    return { ...harness, keep: saveKey, issue: runIssue }
  }

  let harness: Awaited<ReturnType<typeof startNamesHarness>>
  beforeEach(async () => {
    harness = await startNamesHarness()
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
      const failure = ambiguousNameError(`office/team (${office?.id})`, `branch/team (${branch?.id})`)
      for (const args of ['key print --plan team', 'rotate start --plan team --key default-key'])
        expect((await harness.run(args)).failure).toMatchObject(failure)
    })

    it.each([['branch/team'], ['b1'], ['branch/b1']])('is optional: %s is one plan', async (planName) => {
      await harness.keep('p2')
      await harness.keep('b1', 'branch')
      expect((await harness.run(['key', 'print', '--plan', planName])).out).toBe(`${findKey('b1').key}\n`)
    })
  })

  it('rotate start refuses an expired plan, also when the new one is not saved here', async () => {
    await harness.keep('p1')
    const { failure } = await harness.run('rotate start --plan team --key default-key --yes')
    expect(failure).toMatchObject({ code: 'account.planExpired' })
    expect(harness.changes()).toEqual([])
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
      'creates a key for a plan without saved keys (%s)',
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
      const posted = harness.server.received.filter(({ method }) => method === 'POST')
      expect(posted.map(({ path }) => path)).toEqual(['/branch/token-plans/b1/keys'])
    })
  })
})
