import type { UsageCounts, UsageSeries, UsageSources } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsagePage } from '../../../../../src/renderer/features/usage/usage-page'
import { useSession } from '../../../../../src/renderer/session'
import { accountPlan, consoleConnection } from '../../support/account'
import { createPageRenderer, expectLink, type FakeMethods, type installMain } from '../../support/fake-main'
import { plan } from '../../support/views'

const counts = (requests: number): UsageCounts => ({
  requests,
  errors: 1,
  inputTokens: requests * 1_000,
  outputTokens: requests * 500,
  cacheTokens: requests * 100,
})
const midnight = (daysAgo: number): string => {
  const currentTime = new Date()
  return new Date(currentTime.getFullYear(), currentTime.getMonth(), currentTime.getDate() - daysAgo).toISOString()
}

/** Usage of seven days. The first three are unknown. */
const buildWeekSeries = (overrides: Partial<UsageSeries> = {}): UsageSeries => ({
  step: 'day',
  buckets: [3, 2, 1, 0].map((daysAgo) => ({ start: midnight(daysAgo), ...counts(10) })),
  totals: { ...counts(40), errors: 4 },
  previous: { from: midnight(13), to: midnight(6), buckets: [], totals: { ...counts(32), errors: 4 } },
  knownFrom: midnight(20),
  at: new Date().toISOString(),
  ...overrides,
})

const sources = (requests: number, consoles: UsageSources['consoles'] = []): UsageSources => {
  return { relay: { requests }, app: { requests: 0 }, toolLogs: [], consoles }
}

const renderPage = createPageRenderer(<UsagePage />, '/usage', {
  'connections.list': () => [{ ...consoleConnection, isActive: true }],
  'account.plans': () => [accountPlan({ localPlanId: 'p1' })],
  'account.keys': () => [],
  'plans.list': () => [plan({ origin: { connectionId: 'c1', planId: 'a1' } }), plan({ id: 'p2', name: 'mine' })],
  'usage.sources': () => sources(40),
  'usage.series': () => buildWeekSeries(),
  'usage.shares': ({ by }) => [{ id: by === 'model' ? 'large' : 'x', name: `a ${by}`, ...counts(30) }],
  'usage.flows': () => [{ plan: { id: 'p1', name: 'team' }, model: { id: 'large' }, requests: 3, tokens: 30 }],
  'usage.cycles': () => [],
})

beforeEach(() => useSession.setState({ usageQuery: '' }))

async function choose(label: string, name: string | RegExp) {
  await userEvent.click(await screen.findByLabelText(label))
  await userEvent.click(await screen.findByRole('option', { name }))
}

const getLastSeriesInput = (fakeMain: ReturnType<typeof installMain>) => fakeMain.askedFor('usage.series').at(-1)

describe('usage figures', () => {
  it('show exact values, formula, source and the change to the previous period', async () => {
    await renderPage({}, '/usage?scope=machine')
    const totalsRegion = within(await screen.findByLabelText('Totals'))
    expect(totalsRegion.getByText(/^64,000\. Tokens used = input \+ output \+ cache/).textContent).toContain(
      'Source: this computer.',
    )
    expect(totalsRegion.getByText('64K')).toBeTruthy()
    expect(totalsRegion.getAllByText('Up 25%')).toHaveLength(2)
    expect(totalsRegion.getByText('Same')).toBeTruthy()
  })

  it('are not compared with a partly known period, and show since when they are known', async () => {
    await renderPage({ 'usage.series': () => buildWeekSeries({ knownFrom: midnight(3) }) }, '/usage?scope=machine')
    expect(await screen.findAllByText('No previous data')).toHaveLength(3)
    expect(screen.getByText(/^Data since /)).toBeTruthy()
  })

  it('of a console end with the server’s day, and local ones with the local day', async () => {
    const clockAheadConnection = { ...consoleConnection, isActive: true, aheadMs: 7 * 86_400_000 }
    const { main } = await renderPage({ 'connections.list': () => [clockAheadConnection] }, '/usage?scope=console')
    const wasRequestedWith = (filter: Readonly<Record<string, string>>) =>
      waitFor(() =>
        expect(main.askedFor('usage.series')).toContainEqual(
          expect.objectContaining({ filter: expect.objectContaining(filter), compare: true }),
        ),
      )
    await wasRequestedWith({ scope: 'console', to: midnight(-8) })
    await choose('Source', /^This computer/)
    await wasRequestedWith({ scope: 'machine', to: midnight(-1) })
  })

  it('are filtered by one value each, saved in the address', async () => {
    const { main, place } = await renderPage({}, '/usage?scope=machine')
    await choose('Plan', 'mine')
    await waitFor(() => expect(place()).toBe('/usage?scope=machine&plan=p2'))
    await waitFor(() =>
      expect(getLastSeriesInput(main)).toMatchObject({ filter: { scope: 'machine', planId: 'p2' }, step: 'day' }),
    )
    await userEvent.click(await screen.findByText('Clear filters'))
    expect(place()).toBe('/usage?scope=machine')
  })

  it('keep the plan when the source changes, by its id there', async () => {
    const { main } = await renderPage({}, '/usage?scope=machine&plan=p1&tool=zed')
    await choose('Source', /^Console/)
    const filter = { scope: 'console', planId: 'a1', connectionId: 'c1' }
    await waitFor(() => expect(getLastSeriesInput(main)).toMatchObject({ filter }))
    expect(JSON.stringify(getLastSeriesInput(main))).not.toContain('toolId')
    await expectLink('Requests', '/usage/requests?scope=machine&plan=p1')
  })
})

describe('a chart', () => {
  it('is navigated by arrow keys and links to the requests of a bar', async () => {
    const { place } = await renderPage({}, '/usage?scope=machine')
    const chart = await screen.findByRole('slider', { name: /^Errors over time/ })
    chart.focus()
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
    expect(chart.getAttribute('aria-valuetext')).toMatch(/Errors 1$/)
    await userEvent.keyboard('{Home}')
    expect(chart.getAttribute('aria-valuetext')).toMatch(/unknown$/)
    await userEvent.keyboard('{Enter}{End}{Enter}')
    const query = new URLSearchParams(place()?.split('?')[1])
    expect(place()).toMatch(/^\/usage\/requests\?/)
    expect([query.get('since'), query.get('errors')]).toEqual([midnight(0), '1'])
  })

  it('names the previous period only when it has data', async () => {
    const { unmount } = await renderPage({}, '/usage?compare=1')
    const chart = () => screen.findByRole('figure', { name: 'Tokens over time' })
    expect(within(await chart()).queryByText('Previous period')).toBeNull()
    unmount()
    const previousPeriod = { from: midnight(13), to: midnight(6), totals: counts(8) }
    const buckets = [{ start: midnight(13), ...counts(8) }]
    await renderPage(
      { 'usage.series': () => buildWeekSeries({ previous: { ...previousPeriod, buckets } }) },
      '/usage?compare=1',
    )
    expect(within(await chart()).getByText('Previous period')).toBeDefined()
  })

  it('has a table that distinguishes unknown from zero', async () => {
    await renderPage({}, '/usage?compare=1')
    await userEvent.click(await screen.findByLabelText('Show Tokens over time as table'))
    const rows = within(screen.getByRole('table', { name: 'Tokens over time' })).getAllByRole('row')
    expect(rows.map((row) => row.textContent).at(0)).toBe('TimeInputOutputCacheTotalPrevious period')
    expect(rows.at(1)?.textContent).toMatch(/10,0005,0001,00016,000unknown$/)
    expect(rows.at(-1)?.textContent).toMatch(/(unknown){5}$/)
  })
})

it('links shares to the requests of a model', async () => {
  await renderPage({}, '/usage?scope=machine&span=30d')
  await expectLink('a model', '/usage/requests?scope=machine&model=large&span=30d')
})

it('offers local figures when the console fails, with the reason', async () => {
  const { place } = await renderPage(
    {
      'usage.series': ({ filter }) =>
        filter.scope === 'console' ? { code: 'net.timeout', message: 'slow' } : buildWeekSeries(),
    },
    '/usage?scope=console',
  )
  await screen.findByText('Request timed out')
  await userEvent.click(screen.getByText('Show usage of this computer'))
  expect(place()).toBe('/usage?scope=machine')
  await screen.findByText('64K')
})

it('keeps showing local figures while the account’s plans cannot be read', async () => {
  await renderPage({ 'account.plans': () => ({ code: 'net.timeout', message: 'slow' }) })
  await screen.findByText('64K')
})

it('explains sources while nothing is counted', async () => {
  await renderPage({ 'usage.sources': () => sources(0), 'connections.list': () => [] })
  await screen.findByText('No usage yet')
  await expectLink('Open relay', '/relay')
  await expectLink('Choose logs', '/usage/sources')
  expect(screen.queryByRole('button', { name: 'Export' })).toBeNull()
})

describe('the source', () => {
  const machineScope = { scope: 'machine' } as const
  const consoles = [{ connectionId: 'c1', name: 'Production' }]
  const weekWithFewTokens = buildWeekSeries({ totals: counts(2) })
  const answers: FakeMethods = {
    'usage.series': ({ filter }) => (filter.scope === 'machine' ? weekWithFewTokens : buildWeekSeries()),
  }

  it.each([0, 40])(
    'is the console, which includes all computers, when %i requests were counted here',
    async (requests) => {
      const { main } = await renderPage({ ...answers, 'usage.sources': () => sources(requests, consoles) })
      await screen.findByLabelText('Totals')
      expect(main.askedFor('usage.series')).toContainEqual(
        expect.objectContaining({ compare: true, filter: expect.objectContaining({ scope: 'console', planId: 'a1' }) }),
      )
    },
  )

  it('is this computer when the account has no plan', async () => {
    const { main } = await renderPage({ 'account.plans': () => [] })
    await waitFor(() => expect(getLastSeriesInput(main)).toMatchObject({ filter: machineScope }))
  })

  it('and other selections are restored by a plain link', async () => {
    const { unmount } = await renderPage(answers)
    await choose('Source', /^This computer/)
    await choose('Period', 'Last 30 days')
    unmount()
    const { main } = await renderPage(answers)
    await screen.findByLabelText('Totals')
    const { filter } = main.askedFor('usage.series')[0] as { filter: { scope: string; from: string; to: string } }
    expect(filter.scope).toBe('machine')
    expect(Math.round((Date.parse(filter.to) - Date.parse(filter.from)) / 86_400_000)).toBe(30)
  })

  it('with lower counts names the one with higher counts, and links to it', async () => {
    const { place } = await renderPage(answers, '/usage?scope=machine&plan=p1')
    await userEvent.click(await screen.findByRole('button', { name: 'Show console' }))
    expect(place()).toBe('/usage?scope=console&plan=a1')
    await screen.findByLabelText('Totals')
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Show (console|this computer)$/ })).toBeNull())
  })

  it.each(['scope=machine', 'scope=relay&plan=p1', 'scope=machine&plan=p2'])(
    'is compared only with the same plan on all of this computer: %s',
    async (query) => {
      const { main } = await renderPage(answers, `/usage?${query}`)
      await screen.findByLabelText('Totals')
      expect(JSON.stringify(main.askedFor('usage.series'))).not.toContain('"scope":"console"')
    },
  )

  it('console has names for its figures that say what it counts', async () => {
    await renderPage({}, '/usage?scope=console')
    const totalsRegion = within(await screen.findByLabelText('Totals'))
    expect(totalsRegion.getByText(/does not say whether failed requests are included/)).toBeTruthy()
    expect(totalsRegion.getByText('Errors (console)')).toBeTruthy()
    expect(totalsRegion.queryByText(/% of requests/)).toBeNull()
  })
})

it('remaining quota loads only its own data', async () => {
  const origin = { connectionId: 'c1', planId: 'a1' }
  const plan = { origin, name: 'team', source: 'console' as const, isExpired: false, at: new Date().toISOString() }
  const { main } = await renderPage({ 'quota.list': () => [{ ...plan, models: [] }] }, '/usage/left')
  await screen.findByRole('list', { name: 'Quota by plan' })
  const names: string[] = main.asked.map(({ name }) => name)
  expect(names.filter((name) => name.startsWith('account.') || name.startsWith('usage.'))).toEqual([])
})
