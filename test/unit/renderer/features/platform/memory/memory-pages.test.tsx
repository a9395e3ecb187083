import type { MethodInput, ResourcePage } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { MemoryRoutes } from '../../../../../../src/renderer/features/platform/memory/routes'
import { connection } from '../../../support/connections'
import { createPageRenderer, replaceText } from '../../../support/fake-main'
import { mockElementSize } from '../../../support/sized'

mockElementSize(600)

const platform = connection({ id: 'c1', name: 'Work', isActive: true })
const million = 1_000_000

const buildResourceResponse = (data: ResourcePage['rows'][number]) => ({ status: 200, data, secrets: [] })

/** A memory with a session of a million events, newest first. */
function eventsPage({ page = 1, size = 20 }: MethodInput<'resources.page'>): ResourcePage {
  const startIndex = (page - 1) * size
  const rows = Array.from({ length: size }, (_, index) => ({
    role: 'user',
    content: `said ${million - startIndex - index}`,
    createdAt: new Date(1_700_000_000_000 - (startIndex + index) * 1000).toISOString(),
  }))
  return { rows, page, firstPage: 1, totalItems: million, secrets: [] }
}

const renderPage = createPageRenderer(
  <MemoryRoutes />,
  '/memory/m1/records?namespace=%2Fa',
  {
    'connections.list': () => [platform],
    'resources.call': () => buildResourceResponse({ id: 'm1', name: 'notes', recordCount: 12 }),
  },
  '/memory/*',
)

it('loads more events while scrolling, and jumps to the last page of a million', async () => {
  const { main } = await renderPage({ 'resources.page': eventsPage }, '/memory/m1/events?actor=ada&session=one')
  await screen.findByText('said 1000000')
  expect(screen.getByText('Events 1–100 of 1,000,000')).toBeTruthy()
  expect(screen.getAllByRole('row').length).toBeLessThan(60)
  expect(main.askedFor('resources.page')).toHaveLength(1)
  screen.getByText('said 1000000').closest('tr')?.focus()
  await userEvent.keyboard('{End}')
  await screen.findByText('Events 1–200 of 1,000,000')
  expect(screen.getAllByRole('row').length).toBeLessThan(60)
  await userEvent.click(screen.getByRole('button', { name: 'Oldest' }))
  await screen.findByText('said 100')
  const pages = main.askedFor('resources.page').map((input) => JSON.stringify(input))
  expect(pages).toHaveLength(3)
  expect(pages[2]).toContain('"page":10000')
})

it('shows the text of found records, and sends a search text in the configured field', async () => {
  const content = [{ type: 'text', text: 'likes' }, { message: { text: 'tea' } }]
  const hits = [{ key: 'k', content, similarity: 0.75 }, { colour: 'red' }]
  const { main } = await renderPage(
    {
      'resources.call': ({ operation }) => buildResourceResponse(operation === 'memory.records.search' ? { hits } : []),
    },
    '/memory/m1/records?mode=search&namespace=%2Fa&q=tea&limit=5&min=0.5',
  )
  await screen.findByText('likes tea')
  expect(screen.getByText('{"colour":"red"}')).toBeTruthy()
  expect(screen.getByText('0.750')).toBeTruthy()
  await userEvent.click(screen.getByText('Search text field: “query”'))
  const field = screen.getByRole('textbox', { name: 'Field name' })
  await replaceText(field, 'searchQuery')
  await waitFor(() => {
    const bodies = main.askedFor('resources.call').map((input) => JSON.stringify(input))
    expect(bodies.at(-1)).toContain('"body":{"searchQuery":"tea","limit":5,"scoreThreshold":0.5}')
  })
})

it('shows the platform’s message when records cannot be read, and retries', async () => {
  const { main } = await renderPage({
    'resources.rows': () => ({ code: 'api.badRequest', message: 'The namespace must begin with a tenant.' }),
  })
  await screen.findByText('The namespace must begin with a tenant.')
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  await waitFor(() => expect(main.askedFor('resources.rows')).toHaveLength(6))
})

it('requests fewer records when the platform refuses many, and says that there may be more', async () => {
  const { main } = await renderPage({
    'resources.rows': ({ query }) => {
      const limit = Number(query?.limit)
      if (limit > 1000) return { code: 'api.badRequest', message: 'limit must be at most 1000' }
      return { rows: Array.from({ length: limit }, (_, index) => ({ id: index, content: `fact ${index}` })) }
    },
  })
  await screen.findByText('fact 0')
  expect(screen.getByText(/^Showing the first 1,000 records/)).toBeTruthy()
  expect(main.askedFor('resources.rows')).toHaveLength(2)
})

it('exports the selected records', async () => {
  const { main } = await renderPage({
    'resources.rows': () => ({ rows: ['a', 'b', 'c', 'b'].map((content) => ({ content })) }),
    'resources.export': () => ({}),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('checkbox', { name: 'Select record 2' }))
  await user.keyboard('{Shift>}')
  await user.click(screen.getByRole('checkbox', { name: 'Select record 4' }))
  await user.keyboard('{/Shift}')
  await user.click(screen.getByRole('button', { name: 'Export as JSON' }))
  const rows = ['b', 'c', 'b'].map((content) => ({ content }))
  expect(main.askedFor('resources.export')).toEqual([{ name: 'memory-records', format: 'json', rows }])
})
