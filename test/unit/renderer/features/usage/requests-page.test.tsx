import type { UsageRequest } from '@shared/contract'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { RequestsPage } from '../../../../../src/renderer/features/usage/requests-page'
import { chooseOption, createPageRenderer } from '../../support/fake-main'
import { mockElementSize } from '../../support/sized'

mockElementSize(600)

const request = (id: string, overrides: Partial<UsageRequest> = {}): UsageRequest => ({
  id,
  at: '2026-11-21T08:00:00.000Z',
  source: 'relay',
  modelCode: 'large',
  toolName: `tool ${id}`,
  inputTokens: 1_000,
  outputTokens: 200,
  cacheReadTokens: 34,
  status: 200,
  durationMs: 1_250,
  ...overrides,
})

const noCounts = { requests: 1, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }

const render = createPageRenderer(<RequestsPage />, '/usage/requests', {
  'connections.list': () => [],
  'plans.list': () => [],
  'usage.shares': ({ by }) =>
    by === 'tool' ? [{ ...noCounts, id: 'playground', name: 'Playground' }] : [{ ...noCounts, id: 'large' }],
  'usage.sources': () => ({ relay: { requests: 1 }, app: { requests: 0 }, toolLogs: [], consoles: [] }),
  'usage.requests': ({ next, onlyErrors, filter }) => {
    if (onlyErrors || filter.scope === 'app') return { requests: [] }
    const quotaRequest = request('a', { status: 429, error: 'quota' })
    const { inputTokens: _, outputTokens: __, cacheReadTokens: ___, status: ____, ...untold } = request('b')
    const abortedRequest = request('d', { error: 'aborted', isEstimated: true })
    if (next === undefined)
      return { requests: [quotaRequest, { ...untold, error: 'network' }, abortedRequest], next: 'more' }
    return { requests: [request('c')] }
  },
})
const renderPage = (path: string) => render({}, path)

const startIso = '2026-11-21T00:00:00.000Z'
const endIso = '2026-11-22T00:00:00.000Z'

it('lists the requests of a bar, and older ones on request', async () => {
  const { main } = await renderPage(`/usage/requests?scope=relay&model=large&since=${startIso}&until=${endIso}`)
  const [firstRow, secondRow, thirdRow] = (await screen.findAllByRole('row')).slice(1)
  expect(firstRow?.textContent).toContain('429 · Quota used up')
  expect(firstRow?.textContent).toContain('1,234')
  expect(firstRow?.textContent).not.toContain('≈')
  expect(thirdRow?.textContent).toContain('≈ 1,234')
  expect(secondRow?.textContent).toContain('Network')
  expect(secondRow?.textContent).not.toContain('0 / 0')
  await userEvent.click(screen.getByRole('button', { name: 'Show older requests' }))
  await screen.findByText('tool c')
  const filter = { scope: 'relay', modelCode: 'large', from: startIso, to: endIso }
  const firstRequest = { filter, onlyErrors: false, limit: 200 }
  expect(main.askedFor('usage.requests')).toEqual([firstRequest, { ...firstRequest, next: 'more' }])
})

it('shows errors only, and an empty state without any', async () => {
  const { place } = await renderPage('/usage/requests')
  await userEvent.click(await screen.findByRole('switch', { name: 'Errors only' }))
  await waitFor(() => expect(place()).toBe('/usage/requests?errors=1'))
  await screen.findByText('No errors')
})

it('mentions filters only when they hide requests', async () => {
  const { unmount } = await renderPage('/usage/requests?scope=app')
  await screen.findByText('Choose a longer period or another source.')
  unmount()
  await renderPage('/usage/requests?scope=app&model=large')
  await screen.findByText('No requests match these filters in this period.')
})

it('is filtered in place, and a selected period replaces a clicked bar', async () => {
  const { main, place } = await renderPage(`/usage/requests?scope=relay&since=${startIso}&until=${endIso}`)
  await chooseOption('Tool', 'Playground')
  await waitFor(() => expect(place()).toContain('tool=playground'))
  await waitFor(() =>
    expect(main.askedFor('usage.requests').at(-1)).toMatchObject({ filter: { toolId: 'playground' } }),
  )
  expect(place()).toContain('since=')
  await chooseOption('Period', /^Today/)
  await waitFor(() => expect(place()).toBe('/usage/requests?scope=relay&tool=playground&span=today'))
})

it('waits for a complete date while a year is typed', async () => {
  const { main, place } = await renderPage('/usage/requests?span=custom&from=2026-11-20&to=2026-11-22')
  const field = await screen.findByLabelText<HTMLInputElement>('First day')
  await waitFor(() => expect(main.askedFor('usage.requests')).toHaveLength(1))
  for (const value of ['0002-11-20', '0020-11-20', '0202-11-20']) {
    fireEvent.change(field, { target: { value } })
    expect(field.value).toBe(value)
  }
  expect(place()).toContain('from=2026-11-20')
  fireEvent.change(field, { target: { value: '2025-11-20' } })
  await waitFor(() => expect(place()).toContain('from=2025-11-20'))
  await waitFor(() => expect(main.askedFor('usage.requests')).toHaveLength(2))
})

it('does not query the console for single requests', async () => {
  const { main } = await renderPage('/usage/requests?scope=console')
  await screen.findByText('No individual requests')
  expect(main.askedFor('usage.requests')).toEqual([])
})
