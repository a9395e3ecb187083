import { AccountPlanView, PlanView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { createAccountHarness, issuedKey, listResponse } from './account-desk'
import { connect, createHarness, json } from './desk'

const toRows = (tableText: string): string[] => tableText.trimEnd().split('\n').slice(1)

describe('plan list', () => {
  it('shows plans of the account and local plans in one list with their origin', async () => {
    const harness = await createAccountHarness()
    const { out, err, code } = await harness.run('plan list')
    expect(toRows(out)).toEqual([
      expect.stringMatching(/^team +account +Pro +active .*\(2026-03-31\) +yes +1\/5 +m: 90% of requests +- +p1$/),
      expect.stringMatching(/^twin +account .* p2$/),
      expect.stringMatching(/^twin +account .* p3$/),
      expect.stringMatching(/^handed +by key +- +not tested +- /),
    ])
    expect({ err, code }).toEqual({ err: '', code: 0 })
  })

  it('prints both kinds as views', async () => {
    const harness = await createAccountHarness()
    const { out } = await harness.run('--json plan list')
    const rows: unknown[] = JSON.parse(out)
    expect(rows.slice(0, 3).map((row) => AccountPlanView.parse(row).planId)).toEqual(['p1', 'p2', 'p3'])
    expect(rows.slice(3).map((row) => PlanView.parse(row).name)).toEqual(['handed'])
  })

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

  it.each([
    ['the console cannot be asked', { 'GET /console/token-plans': json({ message: 'no' }, 403) }, /403/, 1],
    [
      'the console answers nonsense',
      { 'GET /console/token-plans': listResponse({ planId: 'odd' }) },
      /Unexpected response/,
      1,
    ],
  ])('prints the local plans with the reason when %s', async (_, routes, reason, expectedCode) => {
    const harness = await createAccountHarness(routes)
    const { out, err, code } = await harness.run('plan list')
    expect(out).toMatch(/^NAME +GATEWAY.*\nhanded +https:\/\/handed\.example\.com /)
    expect(err).toMatch(/^Couldn't list the plans of the account of office: /)
    expect(err).toMatch(reason)
    expect(code).toBe(expectedCode)
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

  it('refuses an unknown connection', async () => {
    const harness = await createAccountHarness()
    const { out, failure } = await harness.run('plan list --connection nobody')
    expect({ out, failure }).toMatchObject({ out: '', failure: { code: 'connection.notFound' } })
  })

  it('sends nothing without a connection', async () => {
    const harness = await createHarness({})
    const { out, err, code } = await harness.run('plan list')
    expect({ out, err, code }).toMatchObject({ out: expect.stringContaining('companion plan add'), err: '', code: 0 })
    expect(harness.server.received).toEqual([])
    await harness.close()
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

  it('shows a handed-over plan', async () => {
    const harness = await createAccountHarness()
    const { out } = await harness.run('plan show handed')
    expect(out).toMatch(/^from +added by key$/m)
    expect(out).not.toContain(issuedKey)
    expect(PlanView.parse(JSON.parse((await harness.run('--json plan show handed')).out).plan).name).toBe('handed')
  })

  it('shows a local plan when the account is unavailable, and says so', async () => {
    const harness = await createAccountHarness({ 'GET /console/token-plans': json({ message: 'no' }, 403) })
    expect(await harness.run('plan show handed')).toMatchObject({
      code: 0,
      err: expect.stringContaining('403'),
    })
    expect((await harness.run('plan show team')).failure).toMatchObject({ code: 'api.forbidden' })
  })

  it.each([
    ['nobody', 'plan.notFound', /companion plan list/],
    ['twin', 'input.invalid', /office\/twin \(p2\), office\/twin \(p3\)/],
  ])('refuses %s', async (planName, code, messagePattern) => {
    const harness = await createAccountHarness()
    const { failure } = await harness.run(['plan', 'show', planName])
    expect(failure).toMatchObject({ code, message: expect.stringMatching(messagePattern) })
  })
})
