import { plans as contract, PackageView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { createAccountHarness, listResponse, packageAnswer } from './account-desk'
import { json } from './desk'

const buyArgs = ['plan', 'buy', '--package', 'Pro', '--name', 'new']
const purchasedPlan = { ...planAnswer, planId: 'p9', name: 'new' }
const purchaseRoutes = { 'POST /console/token-plans': json(purchasedPlan, 201) }

describe('plan packages', () => {
  it('shows each package with its models, and as views', async () => {
    const harness = await createAccountHarness()
    expect((await harness.run('plan packages')).out).toMatch(
      /^Pro +package-pro +490,000 VND +30 days +5 +m +1,000 +10$/m,
    )
    const rows = JSON.parse((await harness.run('--json plan packages')).out)
    expect(rows.map((row: unknown) => PackageView.parse(row).packageId)).toEqual(['package-pro'])
  })
})

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
    expect(err).toContain('ID of new: p9')
    expect({ out, failure }).toMatchObject({
      out: '',
      failure: {
        code: 'api.forbidden',
        message: expect.stringMatching(/^new was bought, but its first key did not arrive: /),
      },
    })
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

describe('plan renew', () => {
  it.each([
    ['a word that is neither on nor off', 'perhaps', 'team', 2, undefined],
    ['a plan whose account is not asked', 'on', 'handed', 1, 'plan.notFound'],
  ])('refuses %s', async (_, word, plan, code, failureCode) => {
    const harness = await createAccountHarness()
    const run = await harness.run(['plan', 'renew', word, plan])
    expect(run.code).toBe(code)
    if (failureCode)
      expect(run.failure).toMatchObject({ code: failureCode, message: expect.stringContaining('office') })
    expect(harness.changes()).toEqual([])
  })
})

describe('plan delete', () => {
  const keys = {
    'GET /console/token-plans/p2/keys': listResponse(
      { ...keyAnswer, name: 'a' },
      { ...keyAnswer, keyId: 'k2', name: 'b' },
    ),
  }
  const stubBatchDelete = (answer: unknown) => ({ ...keys, 'POST /console/token-plans:batch-delete': json(answer) })

  it('lists plans that could not be deleted, and fails', async () => {
    const harness = await createAccountHarness(
      stubBatchDelete({
        deleted: [{ planId: 'p1', refund: 441_000 }],
        failed: [{ planId: 'p2', code: 'NOT_FOUND', message: 'It is gone.' }],
      }),
    )
    const args = ['plan', 'delete', 'team', 'p2', '--yes']
    const { out, err, code } = await harness.run(args)
    expect(out).toBe('Deleted team (p1). Refunded to credits: 441,000 VND.\n')
    expect(err).toContain('Not deleted: twin (p2). It is gone. (api.notFound)\n')
    expect(code).toBe(1)
    const jsonRun = await harness.run(['--json', ...args])
    expect(contract['account.deletePlans'].output.parse(JSON.parse(jsonRun.out))).toMatchObject({
      deleted: [{ planId: 'p1' }],
      failed: [{ planId: 'p2' }],
    })
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
