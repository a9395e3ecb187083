import type { AccountPlanView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { useHandoutsStore } from '../../../../../src/renderer/features/keys/handouts'
import { PlanPage } from '../../../../../src/renderer/features/plans/plan-page'
import { formatDateTime } from '../../../../../src/renderer/format'
import { accountPlan, buildBuyer, buildPackage, consoleConnection, daysFromNow, model } from '../../support/account'
import { type FakeMethods, installMain, renderInApp } from '../../support/fake-main'
import { entry } from '../../support/key-care'
import { buildAddress, plan } from '../../support/views'

async function renderPage(initialPlan: AccountPlanView, overrides: FakeMethods = {}, path = '/plans/a1') {
  let currentPlan: AccountPlanView | undefined = initialPlan
  const fakeMain = installMain({
    'connections.list': () => [consoleConnection],
    'plans.list': () => [plan({ id: 'p1', name: 'kept-here' })],
    'tools.list': () => [],
    'plans.readAddress': ({ text }) => buildAddress(text),
    'account.plans': () => (currentPlan ? [currentPlan] : []),
    'account.get': () => buildBuyer(),
    'account.packages': () => [buildPackage()],
    ...overrides,
  })
  const view = await renderInApp(<PlanPage />, path, '/plans/:planId')
  const change = (newPlan: AccountPlanView | undefined): void => {
    currentPlan = newPlan
    fakeMain.tell('data.changed', { domains: ['account'] })
  }
  return { main: fakeMain, change, ...view }
}

describe('the page of an account’s plan', () => {
  it.each([
    [true, /^Renews for 30 days before (.+) for ₫490,000 in credits\./],
    [false, /^Expires at (.+)\. All keys of the plan stop working then\./],
  ])('with auto-renew %s describes the exact expiry', async (autoRenew, pattern) => {
    const expiresAt = daysFromNow(12)
    await renderPage(accountPlan({ autoRenew, expiresAt }))
    const text = (await screen.findByText(pattern)).textContent ?? ''
    expect(pattern.exec(text)?.[1]).toBe(formatDateTime(expiresAt))
  })

  it('is found by the local id too, and checks with its key', async () => {
    const { main } = await renderPage(
      accountPlan({ localPlanId: 'p1' }),
      { 'plans.check': () => ({ code: 'net.timeout', message: 'slow' }) },
      '/plans/p1?check=1',
    )
    await screen.findByRole('heading', { name: 'platform-team', level: 1 })
    await main.waitForCalls('plans.check', [{ planId: 'p1', modelCode: 'large' }])
  })

  it('offers the holders and tools of the plan that was bought again to switch to the new one', async () => {
    const oldPlan = { connectionId: consoleConnection.id, planId: 'a0' }
    const buildHeldKey = (keyId: string, name: string, overrides: object = {}) =>
      entry({ origin: { ...oldPlan, keyId }, keyId, holder: { kind: 'person', name }, ...overrides })
    const plans = [
      plan({ id: 'p0', origin: oldPlan, usedBy: ['claude-code'] }),
      plan({ id: 'p1', origin: { ...oldPlan, planId: 'a1' } }),
    ]
    const { place } = await renderPage(
      accountPlan({ localPlanId: 'p1' }),
      {
        'plans.list': () => plans,
        'register.list': () => [
          buildHeldKey('k1', 'Lê, An'),
          buildHeldKey('k2', 'Lê, An', { alsoServes: ['Chi', 'Binh'] }),
          buildHeldKey('k3', 'Binh', { origin: { connectionId: oldPlan.connectionId, planId: 'a1', keyId: 'k3' } }),
          buildHeldKey('k4', 'Binh'),
          buildHeldKey('k5', 'Leaver', { deleteAt: daysFromNow(3) }),
        ],
      },
      '/plans/a1?after=a0',
    )
    const replaceList = within(await screen.findByRole('list', { name: 'Replace the old plan' }))
    const switchToolsLink = await replaceList.findByRole('link', { name: 'Switch tools' })
    expect(switchToolsLink.getAttribute('href')).toContain('tools=claude-code&plan=p1')
    expect(replaceList.getByText('2 holders have keys of the old plan')).toBeTruthy()
    await userEvent.click(replaceList.getByRole('button', { name: 'Issue new keys' }))
    expect(useHandoutsStore.getState().names).toBe('Chi\n"Lê, An",person')
    expect(place()).toBe(`/handout/many?plan=${encodeURIComponent(`${oldPlan.connectionId}/a1`)}`)
  })

  it('has no auto-renew for an expired plan', async () => {
    await renderPage(accountPlan({ status: 'EXPIRED', expiresAt: daysFromNow(-2) }))
    await screen.findByText('Plan expired')
    expect(screen.getByRole('switch', { name: 'Auto-renew' }).hasAttribute('disabled')).toBe(true)
  })

  it('shows a failing renewal, its attempts and the next one', async () => {
    await renderPage(accountPlan({ renewal: { failedAttempts: 2, nextAttemptAt: daysFromNow(1) } }))
    const notice = await screen.findByRole('alert')
    expect(notice.textContent).toContain('2 attempts failed, probably because credits don’t cover ₫490,000.')
    expect(notice.textContent).toContain('Next attempt tomorrow.')
  })

  it('shows tokens and requests of each model, exactly for screen readers', async () => {
    const models = [model({ tokensUsed: 1_000_000 }), model({ modelCode: 'b', displayName: 'B' })]
    await renderPage(accountPlan({ models }), {}, '/plans/a1?tab=models')
    const meter = await screen.findByRole('meter', { name: 'Aurora Large: Requests' })
    expect(meter.getAttribute('aria-valuetext')).toMatch(/^900 of 1,000 left, 100 used\. 33% of the cycle has passed$/)
    expect(screen.getByText('Requests to this model are paused until the next cycle.')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Copy model code b' }))
  })

  it('opens the list after the plan is deleted by typing its name', async () => {
    const { main, place } = await renderPage(accountPlan(), {
      'account.previewDelete': () => [
        { planId: 'a1', name: 'platform-team', keys: [], tools: [], estimatedRefund: 1_000 },
      ],
      'account.deletePlans': () => ({ deleted: [{ planId: 'a1', refund: 900 }], failed: [], notForgotten: [] }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'More actions' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Delete platform-team?' })
    await within(dialog).findByText('No keys')
    await userEvent.type(within(dialog).getByRole('textbox'), 'platform-team')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete plan' }))
    await waitFor(() => expect(place()).toBe('/plans'))
    expect(main.askedFor('account.deletePlans')).toEqual([{ connectionId: 'c1', planIds: ['a1'] }])
  })

  it('shows that a plan no longer exists', async () => {
    const { change } = await renderPage(accountPlan())
    await screen.findByRole('heading', { name: 'platform-team', level: 1 })
    change(undefined)
    await screen.findByText('Plan not found')
  })
})
