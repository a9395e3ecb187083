import type { BudgetView } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { BudgetsPage } from '../../../../../../src/renderer/features/usage/budgets/budgets-page'
import { daysFromNow } from '../../../support/account'
import { chooseMenuItem, createPageRenderer, replaceText } from '../../../support/fake-main'
import { plan } from '../../../support/views'

const fields = {
  name: 'Team',
  subject: { kind: 'plan', planId: 'p1' },
  unit: 'tokens',
  limit: 2_000_000,
  period: 'cycle',
  action: 'refuse',
} as const
const budget = (overrides: Partial<BudgetView> = {}): BudgetView => ({
  id: 'b1',
  ...fields,
  subjectName: 'team',
  used: 1_700_000,
  from: daysFromNow(-1),
  to: daysFromNow(3),
  ...overrides,
})

const render = createPageRenderer(<BudgetsPage />, '/usage/budgets', {
  'budgets.save': (input) => budget({ ...input, id: input.id ?? 'b9' }),
  'budgets.remove': () => ({}),
  'plans.list': () => [plan()],
  'register.list': () => [],
})
const renderPage = (...budgets: BudgetView[]) => render({ 'budgets.list': () => budgets })

it('shows the usage of a budget and its consequence', async () => {
  await renderPage(
    budget(),
    budget({ id: 'b2', name: 'CI', used: 2_000_001, unit: 'requests' }),
    budget({ id: 'b3', name: 'Old', subjectName: undefined, used: 0, action: 'warn' }),
  )
  const rows = (await screen.findAllByRole('row')).slice(1).map((row) => row.textContent)
  expect(rows[0]).toContain('Plan: team1.7M of 2M tokens')
  expect(rows[1]).toContain('2M of 2M requests')
  expect(rows[1]).toContain('Rejecting')
  expect(rows[2]).toContain('Plan: removed')
})

it('explains itself without budgets, and shows a failure', async () => {
  const { unmount } = await renderPage()
  await screen.findByText('No budgets yet')
  unmount()
  await render({ 'budgets.list': () => ({ code: 'usage.unavailable', message: 'no' }) })
  await screen.findByRole('button', { name: 'Try again' })
})

it('keeps unchanged fields, and parses a limit as users type it', async () => {
  const { main, user } = await renderPage(budget())
  await chooseMenuItem('Team', 'Edit')
  const sheet = within(await screen.findByRole('dialog'))
  const limit = sheet.getByLabelText('Limit')
  expect(limit).toHaveProperty('value', '2,000,000')
  await replaceText(limit, '0')
  await user.click(sheet.getByRole('button', { name: 'Save' }))
  await sheet.findByText('Enter a whole number from 1 to 1,000,000,000,000.')
  await replaceText(limit, '2.5M')
  await user.click(sheet.getByRole('button', { name: 'Save' }))
  await main.waitForCalls('budgets.save', [{ id: 'b1', ...fields, limit: 2_500_000 }])
})

it('asks before one is deleted', async () => {
  const { main, user } = await renderPage(budget())
  await chooseMenuItem('Team', 'Remove')
  await screen.findByText('The relay stops rejecting requests for it. Usage data stays.')
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  await main.waitForCalls('budgets.remove', [{ id: 'b1' }])
})
