import type { Forecast, PlanQuota, UsageSeries } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { HomePage } from '../../../../../src/renderer/features/home/home-page'
import { PageStartContext } from '../../../../../src/renderer/settings'
import { accountPlan, buildBuyer, consoleConnection, daysFromNow } from '../../support/account'
import { createPageRenderer, expectLink, type FakeMethods } from '../../support/fake-main'
import { buildLocalAccountPlan, rotation } from '../../support/key-care'
import { createDeferred } from '../../support/later'
import { appView, plan } from '../../support/views'

const answers: FakeMethods = {
  'app.get': () => appView,
  'connections.list': () => [consoleConnection],
  'account.get': () => buildBuyer(),
  'account.plans': () => [accountPlan({ localPlanId: 'p1' })],
  'plans.list': () => [buildLocalAccountPlan()],
  'tools.list': () => [],
  'sandbox.get': () => ({ state: 'stopped' }),
  'rotation.list': () => [],
}
const renderPage = createPageRenderer(<HomePage />, '/', answers)

describe('the home page of a team lead', () => {
  it('offers to rotate and to hand out a key', async () => {
    await renderPage()
    await expectLink('Rotate key', '/rotate')
    await expectLink('Issue a key', '/handout')
  })

  it('shows an unfinished rotation, explains that nothing is broken, and links to it', async () => {
    const failedTool = { toolId: 'zed', toolName: 'Zed', site: { kind: 'user' as const }, state: 'failed' as const }
    await renderPage({ 'rotation.list': () => [rotation({ state: 'stopped', tools: [failedTool] })] })
    await screen.findByText('Rotation of lan-laptop is incomplete')
    expect(screen.getByText(/Still on the old key: Zed/)).toBeTruthy()
    await expectLink('View rotation', '/rotate/r1')
  })
})

it('shows the first model of a plan that is forecast to run out, with a warning', async () => {
  const expected = { at: daysFromNow(5), earliest: daysFromNow(4), daysBeforeRenewal: 15 }
  const runsOut: Forecast = { kind: 'runsOut', used: 1.2, ...expected }
  const lasts: Forecast = { kind: 'lasts', used: 0.3, low: 0.2, high: 0.4 }
  const model = (displayName: string, forecast: Forecast) => ({
    modelCode: displayName,
    displayName,
    tokens: { quota: 1_000, used: 100, evenPace: 0.05, forecast },
    requests: { quota: 1_000, used: 900, evenPace: 0.05, forecast: lasts },
  })
  const quota: PlanQuota = {
    origin: { connectionId: 'c1', planId: 'a1' },
    name: 'platform-team',
    source: 'console',
    isExpired: false,
    models: [model('Slow', lasts), model('Fast', runsOut)],
    at: daysFromNow(0),
  }
  await renderPage({ 'quota.list': () => [quota] })
  await screen.findByText('runs out 15 days early')
  expect(screen.getByText('lowest: Fast')).toBeTruthy()
  const gauge = screen.getByLabelText('Fast: Tokens')
  expect(gauge.getAttribute('aria-valuetext')).toBe('900 tokens left. runs out 15 days early')
})

it('offers neither to a user with only a handed-over key', async () => {
  await renderPage({ 'connections.list': () => [], 'plans.list': () => [plan()] })
  await screen.findByRole('link', { name: 'Add a plan' })
  expect(screen.queryByRole('link', { name: 'Rotate key' })).toBeNull()
})

it('offers a first plan, and no key actions, to an account without plans, also while loading', async () => {
  const { promise, answer } = createDeferred<[]>()
  await renderPage({ 'account.plans': () => promise, 'plans.list': () => [] })
  await screen.findByRole('link', { name: 'Buy a plan' })
  expect(screen.queryByRole('link', { name: 'Rotate key' })).toBeNull()
  answer([])
  await expectLink('Add a plan', '/plans/new')
  expect(screen.queryByRole('link', { name: 'Rotate key' })).toBeNull()
})

it('offers no first steps while the first connection loads its plans', async () => {
  const emptyStart = (
    <PageStartContext value={{ plans: 0, connections: 0 }}>
      <HomePage />
    </PageStartContext>
  )
  const { promise, answer } = createDeferred<[]>()
  await createPageRenderer(emptyStart, '/', answers)({ 'account.plans': () => promise, 'plans.list': () => [] })
  await screen.findByRole('link', { name: 'Buy a plan' })
  expect(screen.queryByRole('list', { name: 'How to start' })).toBeNull()
  answer([])
  await expectLink('Add a plan', '/plans/new')
})

describe('the weekly chart', () => {
  const midnight = (daysAgo: number): string => {
    const currentTime = new Date()
    return new Date(currentTime.getFullYear(), currentTime.getMonth(), currentTime.getDate() - daysAgo).toISOString()
  }
  const counts = (inputTokens: number) => ({ requests: 1, errors: 0, inputTokens, outputTokens: 0, cacheTokens: 0 })
  const buildWeek = (tokens: number): UsageSeries => ({
    step: 'day',
    buckets: tokens === 0 ? [] : [1, 0].map((daysAgo) => ({ start: midnight(daysAgo), ...counts(tokens) })),
    totals: counts(tokens * 2),
    at: midnight(0),
  })
  const twoPlanAnswers: FakeMethods = {
    'plans.list': () => [buildLocalAccountPlan(), plan({ id: 'p9', name: 'by-key' })],
    'usage.series': ({ filter }) => buildWeek(filter.scope === 'console' ? 1_000 : 20),
  }

  it('counts each plan once, by the source of its row, with a table', async () => {
    await renderPage(twoPlanAnswers)
    const card = within(await screen.findByRole('figure', { name: 'Tokens used, last 7 days' }))
    await card.findByRole('img', { name: '2,040 tokens in the last 7 days' })
    await userEvent.click(card.getByRole('button', { name: 'Show Tokens used, last 7 days as table' }))
    const rows = within(card.getByRole('table', { name: 'Tokens used, last 7 days' })).getAllByRole('row')
    expect(rows).toHaveLength(8)
    const cells = (row: HTMLElement | undefined) => row && [...row.children].slice(1).map((cell) => cell.textContent)
    expect(cells(rows[0])).toEqual(['by-key', 'platform-team', 'Total'])
    expect(cells(rows[1])).toEqual(['20', '1,000', '1,020'])
    expect(cells(rows[7])).toEqual(['unknown', 'unknown', '0'])
  })

  it('explains itself while there is no usage', async () => {
    await renderPage({ ...twoPlanAnswers, 'usage.series': () => buildWeek(0) })
    await screen.findByText(/^No tokens used yet\./)
  })

  it('shows known plans when the console fails, with the reason', async () => {
    await renderPage({
      ...twoPlanAnswers,
      'usage.series': ({ filter }) =>
        filter.scope === 'console' ? { code: 'net.refused', message: 'refused' } : buildWeek(20),
    })
    const card = within(await screen.findByRole('figure', { name: 'Tokens used, last 7 days' }))
    await card.findByRole('img', { name: '40 tokens in the last 7 days' })
    expect(card.getByText('Connection refused')).toBeTruthy()
  })
})
