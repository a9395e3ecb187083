import type { AccountPlanView } from '@shared/contract'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Link, Route, Routes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { PackagesPage } from '../../../../../../src/renderer/features/plans/packages/packages-page'
import { accountPlan, buildBuyer, buildPackage, consoleConnection } from '../../../support/account'
import { createPageRenderer, expectLink, type FakeMethods, replaceText } from '../../../support/fake-main'
import { createDeferred } from '../../../support/later'

const purchasedPlan = accountPlan({ planId: 'new', name: 'pro-2', provisioned: false })

const answers: FakeMethods = {
  'connections.list': () => [consoleConnection],
  'account.get': () => buildBuyer(),
  'account.packages': () => [
    buildPackage(),
    buildPackage({ packageId: 'package-team', planType: 'Team', price: 1_900_000 }),
  ],
  'account.plans': () => [accountPlan({ name: 'pro' })],
  'account.buy': () => purchasedPlan,
}
const renderPage = createPageRenderer(<PackagesPage />, '/plans/packages', answers)

const openBuyDialog = async (type = 'Pro'): Promise<HTMLElement> => {
  await userEvent.click(await screen.findByRole('button', { name: `Buy ${type}` }))
  return screen.findByRole('dialog', { name: `Buy ${type}` })
}
const getPayButton = (dialog: HTMLElement): HTMLElement => within(dialog).getByRole('button', { name: /^Pay / })

describe('the packages', () => {
  it('show their price, and the derived price of a day and a million tokens', async () => {
    await renderPage()
    const card = (await screen.findByRole('link', { name: 'Pro' })).closest('li')
    expect(card?.textContent).toContain('₫490,000 for 30 days')
    expect(card?.textContent).toContain('₫16,333 per day')
    expect(card?.textContent).toContain('₫24,500 per million tokens')
    expect(card?.textContent).toContain('Calculated')
    expect(card?.textContent).toContain('20M tokens·20K requests')
  })

  it('are compared when two are selected', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Compare Pro' }))
    expect(screen.queryByRole('link', { name: 'Compare' })).toBeNull()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Compare Team' }))
    await expectLink('Compare', '/plans/packages/compare?ids=package-pro,package-team')
  })
})

describe('buying', () => {
  it('warns that the balance does not cover a renewal, and leaves auto-renew to the buyer', async () => {
    await renderPage({ 'account.get': () => buildBuyer({ credits: 500_000 }) })
    const dialog = await openBuyDialog()
    await within(dialog).findByText(/which your balance after this purchase doesn’t cover/)
    const renewSwitch = within(dialog).getByRole('switch', { name: 'Auto-renew' })
    expect(renewSwitch.getAttribute('aria-checked')).toBe('true')
    await userEvent.click(renewSwitch)
    expect(within(dialog).queryByText(/doesn’t cover/)).toBeNull()
  })

  it('names forbidden characters, and pays nothing until they are fixed', async () => {
    const { main } = await renderPage()
    const dialog = await openBuyDialog()
    const field = within(dialog).getByRole('textbox')
    await replaceText(field, 'my plan!')
    expect(within(dialog).getByRole('alert').textContent).toContain('Not allowed: a space and “!”.')
    expect(getPayButton(dialog).hasAttribute('disabled')).toBe(true)
    await userEvent.type(field, '{Enter}')
    expect(main.askedFor('account.buy')).toEqual([])
    await replaceText(field, 'x'.repeat(51))
    expect(within(dialog).getByRole('alert').textContent).toContain('51 characters. The limit is 50.')
  })

  it('pays once for repeated clicks', async () => {
    const deferredPlan = createDeferred<AccountPlanView>()
    const { main } = await renderPage({ 'account.buy': () => deferredPlan.promise })
    const dialog = await openBuyDialog()
    const button = getPayButton(dialog)
    const form = dialog.querySelector('form')
    fireEvent.click(button)
    fireEvent.click(button)
    if (form) fireEvent.submit(form)
    deferredPlan.answer(purchasedPlan)
    await deferredPlan.promise
    if (form) fireEvent.submit(form)
    await waitFor(() => expect(screen.queryByText('Paying…')).toBeTruthy())
    expect(main.askedFor('account.buy')).toHaveLength(1)
  })

  it('can be retried after a refusal', async () => {
    let isFirst = true
    const { main, place } = await renderPage({
      'account.buy': () => {
        const wasFirstRequest = isFirst
        isFirst = false
        return wasFirstRequest ? { code: 'api.serverError', message: 'busy' } : purchasedPlan
      },
    })
    const dialog = await openBuyDialog()
    await userEvent.click(getPayButton(dialog))
    await within(dialog).findByRole('alert')
    await userEvent.click(getPayButton(dialog))
    await waitFor(() => expect(place()).toBe('/plans/new'))
    expect(main.askedFor('account.buy')).toHaveLength(2)
  })

  it('offers no second payment when the outcome of the first is unknown', async () => {
    await renderPage({ 'account.buy': () => ({ code: 'account.unknownOutcome', message: 'lost' }) })
    const dialog = await openBuyDialog()
    await userEvent.click(getPayButton(dialog))
    await within(dialog).findByRole('alert')
    expect(within(dialog).queryByRole('button', { name: /^Pay / })).toBeNull()
    expect(within(dialog).getByRole('button', { name: 'Refresh the list' })).toBeTruthy()
  })

  it('opens nothing when the response arrives after the page was left', async () => {
    const deferredPlan = createDeferred<AccountPlanView>()
    const page = (
      <>
        <Routes>
          <Route path="/plans/packages" element={<PackagesPage />} />
          <Route path="*" element={null} />
        </Routes>
        <Link to="/elsewhere">leave</Link>
      </>
    )
    const renderLinkedPage = createPageRenderer(page, '/plans/packages', answers)
    const { main, place } = await renderLinkedPage({ 'account.buy': () => deferredPlan.promise })
    const dialog = await openBuyDialog()
    fireEvent.click(getPayButton(dialog))
    await waitFor(() => expect(main.askedFor('account.buy')).toHaveLength(1))
    fireEvent.click(screen.getByText('leave'))
    await waitFor(() => expect(place()).toBe('/elsewhere'))
    deferredPlan.answer(purchasedPlan)
    await deferredPlan.promise
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(place()).toBe('/elsewhere')
  })
})
