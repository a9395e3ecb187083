import type { MethodInput, ResourcePage } from '@shared/contract'
import { act, renderHook, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { MemoryRouter, Route, Routes, useLocation } from 'react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { IdentitiesRoutes } from '../../../../../../src/renderer/features/platform/identities/routes'
import { RegistryRoutes } from '../../../../../../src/renderer/features/platform/registry/routes'
import { useListPosition } from '../../../../../../src/renderer/features/platform/resources/resource-list'
import { connection } from '../../../support/connections'
import { chooseMenuItem, expectLink, type FakeMethods, installMain, renderInApp } from '../../../support/fake-main'
import { mockElementSize } from '../../../support/sized'

mockElementSize(600)

const platform = connection({
  id: 'c1',
  name: 'Work',
  isActive: true,
  addresses: {
    identityApiUrl: 'https://identity.example.com/api/v1',
    registryApiUrl: 'https://registry.example.com',
    registryHost: 'registry.example.com',
  },
})

const buildPage = (rows: ResourcePage['rows'], overrides: Partial<ResourcePage> = {}): ResourcePage => ({
  rows,
  page: 1,
  firstPage: 1,
  secrets: [],
  ...overrides,
})

async function renderPage(path: string, answers: FakeMethods) {
  const fakeMain = installMain({ 'connections.list': () => [platform], 'resources.keptSecrets': () => [], ...answers })
  const app = (
    <Routes>
      <Route path="/identities/*" element={<IdentitiesRoutes />} />
      <Route path="/registry/*" element={<RegistryRoutes />} />
    </Routes>
  )
  return { main: fakeMain, ...(await renderInApp(app, path)) }
}

it('requests the page in the address, and shows rows with other field names', async () => {
  const { main } = await renderPage('/registry/repositories?page=3&size=50', {
    'resources.page': () =>
      buildPage([{ repo_id: 'r-7', label: 'Agents', layer_count: 12 }], { page: 3, totalItems: 101 }),
  })
  await expectLink('r-7', '/registry/repositories/r-7')
  expect(screen.getByRole('columnheader', { name: 'layer_count' })).toBeTruthy()
  expect(screen.getByRole('cell', { name: 'Agents' })).toBeTruthy()
  expect(screen.getByText('101–101 of 101 · page 3 of 3')).toBeTruthy()
  expect(main.askedFor('resources.page')).toEqual([
    { connectionId: 'c1', operation: 'registry.repositories.list', path: {}, page: 3, size: 50 },
  ])
})

it('requests a list again while a row is being created, and no longer afterwards', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  let status = 'CREATING'
  const { main } = await renderPage('/registry/repositories', {
    'resources.page': () => buildPage([{ name: 'agents', status }]),
  })
  await screen.findByText(/^creating$/i)
  status = 'ACTIVE'
  await vi.advanceTimersByTimeAsync(2000)
  await screen.findByText(/^active$/i)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(main.askedFor('resources.page')).toHaveLength(2)
})

it('keeps every letter and the cursor while typing in the search, and is cleared from outside', async () => {
  const { place } = await renderPage('/identities/agents', {
    'resources.page': () => buildPage([{ name: 'support-agent' }, { name: 'travel' }]),
  })
  const field = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search this page' })
  await userEvent.type(field, 'nowhere')
  await userEvent.type(field, 'el', { initialSelectionStart: 0, initialSelectionEnd: 0 })
  expect(field.value).toBe('elnowhere')
  await screen.findByText('0 of 2')
  await waitFor(() => expect(place()).toBe('/identities/agents?find=elnowhere'))
  await userEvent.click(screen.getByRole('button', { name: 'Show all rows' }))
  await waitFor(() => expect(field.value).toBe(''))
  expect(place()).toBe('/identities/agents')
})

/** A registry with one repository and deletable images, except those in `stubborn`. */
function registry(images: readonly string[], stubborn: readonly string[] = []) {
  const remainingImages = new Set(images)
  const completedActions: string[] = []
  const page = ({ operation }: MethodInput<'resources.page'>): ResourcePage => {
    const rows =
      operation === 'registry.images.list'
        ? [...remainingImages].map((name) => ({ name }))
        : [{ id: 'r', name: 'team/a' }]
    return buildPage(rows, { totalItems: rows.length })
  }
  const call = ({ operation, query }: MethodInput<'resources.call'>) => {
    const image = String(query?.imageName ?? '')
    completedActions.push(`${operation} ${image}`.trim())
    if (image && !stubborn.includes(image)) remainingImages.delete(image)
    return { status: 204, secrets: [] }
  }
  return { done: completedActions, answers: { 'resources.page': page, 'resources.call': call } satisfies FakeMethods }
}

async function deleteTeamA(button: RegExp): Promise<void> {
  await chooseMenuItem('team/a', 'Delete')
  const confirmDialog = within(await screen.findByRole('alertdialog'))
  await userEvent.type(confirmDialog.getByRole('textbox'), 'team/a')
  await userEvent.click(await confirmDialog.findByRole('button', { name: button }))
}

it('stops at an image that cannot be deleted', async () => {
  const { done, answers } = registry(['1.0', '1.1'], ['1.0'])
  await renderPage('/registry/repositories', answers)
  await deleteTeamA(/Delete 2 images/)
  await waitFor(() => expect(done.at(-1)).toBe('registry.repositories.delete'))
  expect(done.filter((operationText) => operationText.endsWith('1.0'))).toHaveLength(1)
})

it('reveals a misleading name, and requests it by its exact id', async () => {
  const { main } = await renderPage('/identities', {
    'resources.page': () => buildPage([{ name: 'sup\u202eport', description: 'a\u0000b' }]),
    'resources.call': () => ({ status: 200, data: { name: 'sup\u202eport', 'no\u200bte': 'x\u202ey' }, secrets: [] }),
  })
  await userEvent.click(await screen.findByRole('link', { name: 'support' }))
  expect(await screen.findByText('x⟨U+202E⟩y')).toBeTruthy()
  expect(screen.getByText('no⟨U+200B⟩te')).toBeTruthy()
  expect(document.body.textContent).not.toMatch(/[\u202e\u200b]/)
  expect(main.askedFor('resources.call')[0]).toMatchObject({ path: { name: 'sup\u202eport' } })
})

const wrapper = ({ children }: { readonly children: ReactNode }) => (
  <MemoryRouter initialEntries={['/models/list?size=10']}>{children}</MemoryRouter>
)

it.each([
  ['#/models/list', '?size=10&find=aurora'],
  ['#/models/keys', '?size=10'],
])('with the window at %s, a search changes the address to %s', (hash, search) => {
  const { result } = renderHook(() => ({ ...useListPosition('models'), at: useLocation() }), { wrapper })
  onTestFinished(() => {
    location.hash = ''
  })
  location.hash = hash
  act(() => result.current.change({ find: 'aurora' }))
  expect(result.current.at).toMatchObject({ pathname: '/models/list', search })
})
