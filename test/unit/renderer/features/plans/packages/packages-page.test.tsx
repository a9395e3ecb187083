import type { AccountPlanView } from '@shared/contract'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useNavigate } from 'react-router'
import { describe, expect, it } from 'vitest'
import { PackagesPage } from '../../../../../../src/renderer/features/plans/packages/packages-page'
import { accountPlan, buildBuyer, buildPackage, withConsole } from '../../../support/account'
import { installMain, renderInApp } from '../../../support/fake-main'
import { createDeferred } from '../../../support/later'

type Answers = Parameters<typeof installMain>[0]

const boughtPlan = accountPlan({ planId: 'new', name: 'pro-2', provisioned: false })

function LeaveButton() {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => void navigate('/elsewhere')}>
      leave
    </button>
  )
}

async function open(overrides: Answers = {}, path = '/plans/packages') {
  const main = installMain({
    'connections.list': () => [withConsole],
    'account.get': () => buildBuyer(),
    'account.packages': () => [
      buildPackage(),
      buildPackage({ packageId: 'package-team', planType: 'Team', price: 1_900_000 }),
    ],
    'account.plans': () => [accountPlan({ name: 'pro' })],
    'account.buy': () => boughtPlan,
    ...overrides,
  })
  return { main, ...(await renderInApp(<PackagesPage />, path)) }
}

const openBuyDialog = async (type = 'Pro'): Promise<HTMLElement> => {
  await userEvent.click(await screen.findByRole('button', { name: `Buy ${type}` }))
  return screen.findByRole('dialog', { name: `Buy ${type}` })
}
const pay = (dialog: HTMLElement): HTMLElement => within(dialog).getByRole('button', { name: /^Pay / })

describe('the packages', () => {
  it('show their price, and the derived price of a day and a million tokens', async () => {
    await open()
    const card = (await screen.findByRole('link', { name: 'Pro' })).closest('li')
    expect(card?.textContent).toContain('₫490,000 for 30 days')
    expect(card?.textContent).toContain('₫16,333 per day')
    expect(card?.textContent).toContain('₫24,500 per million tokens')
    expect(card?.textContent).toContain('Calculated')
    expect(card?.textContent).toContain('20M tokens·20K requests')
  })

  it('are compared when two are selected', async () => {
    await open()
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Compare Pro' }))
    expect(screen.queryByRole('link', { name: 'Compare' })).toBeNull()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Compare Team' }))
    expect(screen.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe(
      '/plans/packages/compare?ids=package-pro,package-team',
    )
  })

  it.each(['DEVELOPER', 'VIEWER'] as const)(
    'explain to a %s who can buy, instead of a disabled button',
    async (role) => {
      await open({ 'account.get': () => buildBuyer({ role }) })
      await screen.findByText(/Ask a Root or Admin/)
      expect(screen.queryByRole('button', { name: /^Buy/ })).toBeNull()
      expect(screen.getByRole('link', { name: 'I have a key' }).getAttribute('href')).toBe('/plans/new')
    },
  )
})

describe('buying', () => {
  it('suggests a free name, renews by default, and shows the balance before and after', async () => {
    const { main, place } = await open()
    const dialog = await openBuyDialog()
    await waitFor(() => expect(within(dialog).getByRole('textbox')).toHaveProperty('value', 'pro-2'))
    expect(dialog.textContent).toContain('Current balance₫1,000,000')
    expect(dialog.textContent).toContain('Balance after purchase₫510,000')
    await userEvent.click(pay(dialog))
    await waitFor(() => expect(place()).toBe('/plans/new'.replace('new', boughtPlan.planId)))
    const purchaseInput = { connectionId: 'c1', packageId: 'package-pro', name: 'pro-2', autoRenew: true }
    expect(main.askedFor('account.buy')).toEqual([purchaseInput])
  })

  it('warns that the balance does not cover a renewal, and leaves auto-renew to the buyer', async () => {
    await open({ 'account.get': () => buildBuyer({ credits: 500_000 }) })
    const dialog = await openBuyDialog()
    await within(dialog).findByText(/which your balance after this purchase doesn’t cover/)
    const renewSwitch = within(dialog).getByRole('switch', { name: 'Auto-renew' })
    expect(renewSwitch.getAttribute('aria-checked')).toBe('true')
    await userEvent.click(renewSwitch)
    expect(within(dialog).queryByText(/doesn’t cover/)).toBeNull()
  })

  it('names forbidden characters, and pays nothing until they are fixed', async () => {
    const { main } = await open()
    const dialog = await openBuyDialog()
    const field = within(dialog).getByRole('textbox')
    await userEvent.clear(field)
    await userEvent.type(field, 'my plan!')
    expect(within(dialog).getByRole('alert').textContent).toContain('Not allowed: a space and “!”.')
    expect(pay(dialog).hasAttribute('disabled')).toBe(true)
    await userEvent.type(field, '{Enter}')
    expect(main.askedFor('account.buy')).toEqual([])
    await userEvent.clear(field)
    await userEvent.type(field, 'x'.repeat(51))
    expect(within(dialog).getByRole('alert').textContent).toContain('51 characters. The limit is 50.')
  })

  it('pays once for repeated clicks', async () => {
    const deferredPlan = createDeferred<AccountPlanView>()
    const { main } = await open({ 'account.buy': () => deferredPlan.promise })
    const dialog = await openBuyDialog()
    const button = pay(dialog)
    const form = dialog.querySelector('form')
    fireEvent.click(button)
    fireEvent.click(button)
    if (form) fireEvent.submit(form)
    deferredPlan.answer(boughtPlan)
    await deferredPlan.promise
    if (form) fireEvent.submit(form)
    await waitFor(() => expect(screen.queryByText('Paying…')).toBeTruthy())
    expect(main.askedFor('account.buy')).toHaveLength(1)
  })

  it('can be retried after a refusal', async () => {
    let isFirst = true
    const { main, place } = await open({
      'account.buy': () => {
        const wasFirst = isFirst
        isFirst = false
        return wasFirst ? { code: 'api.serverError', message: 'busy' } : boughtPlan
      },
    })
    const dialog = await openBuyDialog()
    await userEvent.click(pay(dialog))
    await within(dialog).findByRole('alert')
    await userEvent.click(pay(dialog))
    await waitFor(() => expect(place()).toBe('/plans/new'))
    expect(main.askedFor('account.buy')).toHaveLength(2)
  })

  it('shows the missing amount when the credits are too low, and refreshes on request', async () => {
    let credits = 300_000
    await open({ 'account.get': () => buildBuyer({ credits }) })
    const dialog = await openBuyDialog()
    await within(dialog).findByText('₫190,000 short')
    expect(within(dialog).queryByRole('button', { name: /^Pay / })).toBeNull()
    credits = 600_000
    await userEvent.click(within(dialog).getByRole('button', { name: 'Check again' }))
    await waitFor(() => expect(pay(dialog)).toBeTruthy())
  })

  it('offers no second payment when the outcome of the first is unknown', async () => {
    await open({ 'account.buy': () => ({ code: 'account.unknownOutcome', message: 'lost' }) })
    const dialog = await openBuyDialog()
    await userEvent.click(pay(dialog))
    await within(dialog).findByRole('alert')
    expect(within(dialog).queryByRole('button', { name: /^Pay / })).toBeNull()
    expect(within(dialog).getByRole('button', { name: 'Refresh the list' })).toBeTruthy()
  })

  it('opens nothing when the response arrives after the page was left', async () => {
    const deferredPlan = createDeferred<AccountPlanView>()
    const fakeMain = installMain({
      'connections.list': () => [withConsole],
      'account.get': () => buildBuyer(),
      'account.packages': () => [buildPackage()],
      'account.plans': () => [],
      'account.buy': () => deferredPlan.promise,
    })
    const { Route, Routes } = await import('react-router')
    const { place } = await renderInApp(
      <>
        <Routes>
          <Route path="/plans/packages" element={<PackagesPage />} />
          <Route path="*" element={null} />
        </Routes>
        <LeaveButton />
      </>,
      '/plans/packages',
    )
    const dialog = await openBuyDialog()
    fireEvent.click(pay(dialog))
    await waitFor(() => expect(fakeMain.askedFor('account.buy')).toHaveLength(1))
    fireEvent.click(screen.getByText('leave'))
    await waitFor(() => expect(place()).toBe('/elsewhere'))
    deferredPlan.answer(boughtPlan)
    await deferredPlan.promise
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(place()).toBe('/elsewhere')
  })
})
