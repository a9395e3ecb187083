import type { PlanQuota } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { QuotaList } from '../../../../../../src/renderer/features/usage/quota/quota-list'
import { accountPlan, consoleConnection, daysFromNow } from '../../../support/account'
import { createPageRenderer, expectLink } from '../../../support/fake-main'
import { mockElementSize } from '../../../support/sized'
import { plan } from '../../../support/views'

mockElementSize(800)

const noAllowanceForecast = { kind: 'notEnough', reason: 'noAllowance' } as const

const lastsForecast = { kind: 'lasts', used: 0.7, low: 0.61, high: 0.74 } as const
const largeModel: PlanQuota['models'][number] = {
  modelCode: 'large',
  displayName: 'Aurora Large',
  tokens: { quota: 1_000, used: 250, evenPace: 0.33, forecast: lastsForecast },
  requests: { quota: 100, used: 90, evenPace: 0.33, forecast: { kind: 'exhausted' } },
}
const accountQuota: PlanQuota = {
  planId: 'p1',
  origin: { connectionId: 'c1', planId: 'a1' },
  name: 'platform-team',
  source: 'console',
  isExpired: false,
  cycle: { from: daysFromNow(-10), to: daysFromNow(20), autoRenew: true },
  models: [largeModel],
  at: daysFromNow(0),
}
const handedOverQuota: PlanQuota = {
  planId: 'p2',
  name: 'mine',
  source: 'machine',
  isExpired: false,
  models: [
    {
      modelCode: 'small',
      displayName: 'small',
      tokens: { used: 1_234, forecast: noAllowanceForecast },
      requests: { used: 5, forecast: noAllowanceForecast },
    },
  ],
  at: daysFromNow(0),
}

const render = createPageRenderer(<QuotaList />, '/usage/left', {
  'connections.list': () => [consoleConnection],
  'plans.list': () => [
    plan({ origin: { connectionId: 'c1', planId: 'a1' } }),
    plan({ id: 'p2', name: 'mine', models: ['small', 'tiny'] }),
  ],
  'quota.allowances': () => ({ allowances: [{ modelCode: 'small', requestQuota: 500 }], cycleDays: 30 }),
  'quota.setAllowances': () => ({}),
})
const renderPage = (account = accountQuota) => render({ 'quota.list': () => [account, handedOverQuota] })

it('describes for each quota the remaining amount, the even pace and the forecast, also for screen readers', async () => {
  await renderPage()
  const meter = await screen.findByRole('meter', { name: 'Aurora Large: Tokens' })
  expect(meter.getAttribute('aria-valuetext')).toBe(
    '750 of 1,000 left, 250 used. 33% of the cycle has passed. Lasts: 61 to 74% used at renewal',
  )
  expect(screen.getByText('Used up')).toBeTruthy()
  expect(screen.getByText(/all users of the plan/)).toBeTruthy()
})

it('never shows 100 % while something is left', async () => {
  const tokens = { quota: 1_000, used: 998, forecast: noAllowanceForecast }
  await renderPage({ ...accountQuota, models: [{ ...largeModel, tokens }] })
  await screen.findByText('99% of 1K used')
})

it('does not guess unknown values, and shows the source', async () => {
  await renderPage()
  const modelList = await screen.findByRole('list', { name: 'Models of mine' })
  expect(within(modelList).queryByRole('meter')).toBeNull()
  expect(within(modelList).getByText(/^1.2K used/)).toBeTruthy()
  expect(screen.getByText(/this computer only/)).toBeTruthy()
})

it('lets the user enter the quota of a handed-over plan, and of no other', async () => {
  const { main, user } = await renderPage()
  expect(await screen.findAllByRole('button', { name: 'Enter quota' })).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Enter quota' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Quota of mine' }))
  await user.type(await dialog.findByRole('textbox', { name: 'small: tokens' }), 'lots')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(dialog.getByRole('alert').textContent).toBe('Enter a whole number such as 20,000 or 20M.')
  await user.clear(dialog.getByRole('textbox', { name: 'small: tokens' }))
  await user.type(dialog.getByRole('textbox', { name: 'tiny: tokens' }), '1.5M')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  const allowances = [
    { modelCode: 'small', requestQuota: 500 },
    { modelCode: 'tiny', tokenQuota: 1_500_000 },
  ]
  await main.waitForCalls('quota.setAllowances', [{ planId: 'p2', cycleDays: 30, allowances }])
})

it.each([
  ['console', '/usage?scope=console&connection=c1&plan=a1&span=cycle'],
  ['machine', '/usage?scope=machine&plan=p1&span=cycle'],
] as const)('links to the usage of a plan at its source: %s', async (source, expectedHref) => {
  await renderPage({ ...accountQuota, source })
  await expectLink(/^View usage platform-team$/, expectedHref)
})

it('explains no gauges without a plan, and links to a first one', async () => {
  await render({ 'connections.list': () => [], 'plans.list': () => [], 'quota.list': () => [] })
  await expectLink('Add a plan', '/plans/new')
  expect(screen.queryByText('Each model has its own token and request quota.')).toBeNull()
})

it('waits for a console that does not answer yet, and loads the quota when it answers', async () => {
  let isSandboxRunning = false
  const connectionFailure: Failure = { code: 'net.refused', message: 'refused' }
  const { queries } = await render({
    'plans.list': () => [],
    'account.plans': () => (isSandboxRunning ? [accountPlan()] : connectionFailure),
    'quota.list': () => [],
    'quota.refresh': () => [accountQuota],
  })
  await screen.findByText('Waiting for the console')
  expect(screen.queryByText('No plan yet')).toBeNull()
  isSandboxRunning = true
  await queries.refetchQueries({ queryKey: ['account.plans'] })
  await screen.findByRole('meter', { name: 'Aurora Large: Tokens' })
  expect(screen.queryByText('Waiting for the console')).toBeNull()
})
