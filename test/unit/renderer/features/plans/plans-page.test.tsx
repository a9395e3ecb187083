import type { AccountPlanView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { PlansPage } from '../../../../../src/renderer/features/plans/plans-page'
import { usePlansStore } from '../../../../../src/renderer/features/plans/plans-table'
import { accountPlan, buildBuyer, consoleConnection, daysFromNow } from '../../support/account'
import { connection } from '../../support/connections'
import { clickButton, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { createDeferred } from '../../support/later'
import { mockElementSize } from '../../support/sized'
import { plan } from '../../support/views'

mockElementSize(900)
beforeEach(() => usePlansStore.setState({ text: '', filter: 'all', sorting: { by: 'name', isDescending: false } }))

const twoPlans = [
  accountPlan({ planId: 'a1', name: 'alpha' }),
  accountPlan({ planId: 'a2', name: 'beta', autoRenew: false, expiresAt: daysFromNow(3) }),
]

const renderPage = createPageRenderer(<PlansPage />, '/plans', {
  'connections.list': () => [consoleConnection],
  'plans.list': () => [plan({ id: 'p1', name: 'handed' })],
  'tools.list': () => [],
  'account.get': () => buildBuyer(),
  'account.plans': () => twoPlans,
})

const names = (): string[] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByRole('link').textContent ?? '')

describe('the plans', () => {
  it('are those of the account and handed-over ones, which show unknown values', async () => {
    await renderPage()
    const row = (await screen.findByRole('link', { name: 'handed' })).closest('tr')
    expect(names()).toEqual(['alpha', 'beta', 'handed'])
    expect(row?.textContent).toContain('Added by key · gateway.example.com')
    expect(row?.textContent?.match(/unknown/g)).toHaveLength(4)
    expect(screen.queryByRole('checkbox', { name: 'Select handed' })).toBeNull()
    expect(screen.getByText('₫1,000,000 in credits')).toBeTruthy()
  })

  it('send nothing to an account without a console, and explain the missing plans', async () => {
    const { main } = await renderPage({ 'connections.list': () => [connection({ isActive: true, name: 'Lab' })] })
    await screen.findByText('“Lab” has no console address. Only plans added by key are shown.')
    expect(names()).toEqual(['handed'])
    expect(main.asked.filter(({ name }) => name.startsWith('account.'))).toEqual([])
  })

  it('stay usable when the console fails, with local data, the failure and a retry', async () => {
    let isServerDown = true
    const failure = { code: 'net.timeout', message: 'no answer' } as const
    await renderPage({ 'account.plans': () => (isServerDown ? failure : twoPlans) })
    await screen.findByRole('alert')
    expect(names()).toEqual(['handed'])
    isServerDown = false
    await clickButton('Try again')
    await screen.findByRole('link', { name: 'alpha' })
  })

  it('offer to buy one when there is none', async () => {
    await renderPage({ 'account.plans': () => [], 'plans.list': () => [] })
    await screen.findByText('No plan yet')
    expect(screen.getAllByRole('link', { name: 'Buy a plan' }).map((link) => link.getAttribute('href'))).toContain(
      '/plans/packages',
    )
  })

  it('are filtered and searched, also after a return', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('radio', { name: 'Expiring soon' }))
    expect(names()).toEqual(['beta'])
    await userEvent.type(screen.getByRole('searchbox'), 'alpha')
    await screen.findByText('No plans match “alpha”')
    await clickButton('Show all plans')
    expect(names()).toEqual(['alpha', 'beta', 'handed'])
  })

  it('of an inactive connection never appear, however late they arrive', async () => {
    const slowDeferred = createDeferred<AccountPlanView[]>()
    let isSecondCall = false
    const secondConnection = { ...consoleConnection, id: 'c2', name: 'Second' }
    const { main } = await renderPage({
      'connections.list': () =>
        isSecondCall ? [{ ...consoleConnection, isActive: false }, secondConnection] : [consoleConnection],
      'account.plans': ({ connectionId }) =>
        connectionId === 'c1' ? slowDeferred.promise : [accountPlan({ name: 'gamma' })],
    })
    await main.waitForCalls('account.plans', [{ connectionId: 'c1' }])
    isSecondCall = true
    main.tell('data.changed', { domains: ['connections'] })
    await screen.findByRole('link', { name: 'gamma' })
    slowDeferred.answer(twoPlans)
    await slowDeferred.promise
    await waitFor(() => expect(names()).toEqual(['gamma', 'handed']))
    expect(screen.queryByRole('link', { name: 'alpha' })).toBeNull()
  })
})

describe('auto-renew', () => {
  const getAlphaSwitch = (): HTMLElement => screen.getByRole('switch', { name: 'Auto-renew of alpha' })
  const clickAlphaSwitch = async () =>
    userEvent.click(await screen.findByRole('switch', { name: 'Auto-renew of alpha' }))
  const alphaWithoutRenewal = accountPlan({ planId: 'a1', name: 'alpha', autoRenew: false })

  it('shows the selection immediately, and then main’s confirmation', async () => {
    const slowDeferred = createDeferred<AccountPlanView>()
    let plans = twoPlans
    const setAutoRenew = () => slowDeferred.promise
    const { main } = await renderPage({ 'account.plans': () => plans, 'account.setAutoRenew': setAutoRenew })
    await clickAlphaSwitch()
    expect(getAlphaSwitch().getAttribute('aria-checked')).toBe('false')
    plans = [alphaWithoutRenewal, ...twoPlans.slice(1)]
    slowDeferred.answer(alphaWithoutRenewal)
    await waitFor(() => expect(main.askedFor('account.plans').length).toBeGreaterThan(1))
    expect(getAlphaSwitch().getAttribute('aria-checked')).toBe('false')
    expect(main.askedFor('account.setAutoRenew')).toEqual([{ connectionId: 'c1', planId: 'a1', autoRenew: false }])
  })

  it('reverts when it could not be changed', async () => {
    await renderPage({ 'account.setAutoRenew': () => ({ code: 'account.planExpired', message: 'too late' }) })
    await clickAlphaSwitch()
    await waitFor(() => expect(getAlphaSwitch().getAttribute('aria-checked')).toBe('true'))
  })
})

describe('deleting several plans', () => {
  const preview = (planId: string, name: string, estimatedRefund: number) => ({
    planId,
    name,
    keys: ['default-key', `${name}-laptop`],
    tools: name === 'alpha' ? ['Claude Code'] : [],
    estimatedRefund,
  })
  const failed = [{ planId: 'a2', code: 'api.notFound' as const, message: 'gone' }]
  const outcome = { deleted: [{ planId: 'a1', refund: 100_000 }], failed, notForgotten: [] }

  async function openDeletion(overrides: FakeMethods = {}) {
    const openedPage = await renderPage({
      'account.previewDelete': () => [preview('a1', 'alpha', 120_000), preview('a2', 'beta', 30_000)],
      'account.deletePlans': () => outcome,
      ...overrides,
    })
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select all plans of the account' }))
    await clickButton('Delete…')
    return { ...openedPage, dialog: await screen.findByRole('dialog', { name: 'Delete 2 plans?' }) }
  }

  it('lists everything that stops, estimates the refund, and requires typing the words', async () => {
    const { dialog, main } = await openDeletion()
    await within(dialog).findByText('2 keys: default-key and alpha-laptop')
    expect(dialog.textContent).toContain('Tools on this computer: Claude Code')
    expect(dialog.textContent).toContain('≈ ₫150,000')
    expect(dialog.textContent).toContain('Estimated refund')
    const confirm = within(dialog).getByRole('button', { name: 'Delete 2 plans' })
    await userEvent.type(within(dialog).getByRole('textbox'), 'delete 2 plan')
    expect(confirm.hasAttribute('disabled')).toBe(true)
    await userEvent.type(within(dialog).getByRole('textbox'), 's')
    await userEvent.dblClick(confirm)
    expect(main.askedFor('account.deletePlans')).toEqual([{ connectionId: 'c1', planIds: ['a1', 'a2'] }])
  })

  it('does not delete before it has listed the consequences', async () => {
    const { dialog } = await openDeletion({ 'account.previewDelete': () => ({ code: 'net.timeout', message: 'slow' }) })
    await within(dialog).findByRole('alert')
    await userEvent.type(within(dialog).getByRole('textbox'), 'delete 2 plans')
    expect(within(dialog).getByRole('button', { name: 'Delete 2 plans' }).hasAttribute('disabled')).toBe(true)
  })
})
