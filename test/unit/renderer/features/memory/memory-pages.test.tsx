import type { MethodInput, ResourcePage } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes } from 'react-router'
import { expect, it } from 'vitest'
import { MemoryRoutes } from '../../../../../src/renderer/features/memory/routes'
import { connection } from '../../support/connections'
import { installMain, renderInApp } from '../../support/fake-main'
import { giveElementsASize } from '../../support/sized'

giveElementsASize(600)

const platform = connection({ id: 'c1', name: 'Work', isActive: true })
const million = 1_000_000

const answerOf = (data: ResourcePage['rows'][number]) => ({ status: 200, data, secrets: [] })

/** A memory whose one session has a million events, newest first. */
function eventsPage({ page = 1, size = 20 }: MethodInput<'resources.page'>): ResourcePage {
  const from = (page - 1) * size
  const rows = Array.from({ length: size }, (_, at) => ({
    role: 'user',
    content: `said ${million - from - at}`,
    createdAt: new Date(1_700_000_000_000 - (from + at) * 1000).toISOString(),
  }))
  return { rows, page, firstPage: 1, totalItems: million, secrets: [] }
}

async function open(path: string, answers: Parameters<typeof installMain>[0]) {
  const main = installMain({
    'connections.list': () => [platform],
    'resources.call': () => answerOf({ id: 'm1', name: 'notes', recordCount: 12 }),
    ...answers,
  })
  const app = (
    <Routes>
      <Route path="/memory/*" element={<MemoryRoutes />} />
    </Routes>
  )
  return { main, ...(await renderInApp(app, path)) }
}

it('browses a million events: draws those on the screen, asks for their pages, and reaches the last by the keyboard', async () => {
  const { main } = await open('/memory/m1/events?actor=ada&session=one', { 'resources.page': eventsPage })
  const beganMs = performance.now()
  await screen.findByText('said 1000000')
  expect(performance.now() - beganMs).toBeLessThan(2_000)
  expect(screen.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')).toBe('1000001')
  expect(screen.getAllByRole('row').length).toBeLessThan(60)
  expect(main.askedFor('resources.page')).toHaveLength(1)
  screen.getByText('said 1000000').closest('tr')?.focus()
  await userEvent.keyboard('{End}')
  await screen.findByText('said 1')
  expect(screen.getAllByRole('row').length).toBeLessThan(60)
  const pages = main.askedFor('resources.page').map((asked) => JSON.stringify(asked))
  expect(pages).toHaveLength(2)
  expect(pages[1]).toContain('"page":10000')
})

it('sends the text of a search under the name that one gives it', async () => {
  const { main } = await open('/memory/m1/records?mode=search&namespace=%2Fa&q-a=tea&limit-a=5&min-a=0.5', {
    'resources.call': ({ operation }) =>
      answerOf(
        operation === 'memory.records.search' ? { hits: [{ key: 'k', fact: 'likes tea', similarity: 0.75 }] } : [],
      ),
  })
  await screen.findByText('likes tea')
  expect(screen.getByText('0.750')).toBeTruthy()
  await userEvent.click(screen.getByText('Search text field: “query”'))
  const field = screen.getByRole('textbox', { name: 'Field name' })
  await userEvent.clear(field)
  await userEvent.type(field, 'searchQuery')
  await waitFor(() => {
    const bodies = main.askedFor('resources.call').map((asked) => JSON.stringify(asked))
    expect(bodies.at(-1)).toContain('"body":{"searchQuery":"tea","limit":5,"scoreThreshold":0.5}')
  })
})

it('says what the platform said when records cannot be had, and asks again', async () => {
  const { main } = await open('/memory/m1/records?namespace=%2Fa', {
    'resources.openSet': () => ({ code: 'api.badRequest', message: 'The namespace must begin with a tenant.' }),
  })
  await screen.findByText('The namespace must begin with a tenant.')
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  await waitFor(() => expect(main.askedFor('resources.openSet')).toHaveLength(2))
})

it('warns of what is lost as far as the platform counts it', async () => {
  await open('/memory', {
    'resources.page': () => ({
      rows: [{ id: 'm1', name: 'notes', recordCount: 12 }],
      page: 1,
      firstPage: 1,
      secrets: [],
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for notes' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete memory' }))
  const question = await screen.findByRole('alertdialog')
  expect(question.textContent).toContain('12 records')
  expect(question.textContent).not.toMatch(/\d events/)
})
