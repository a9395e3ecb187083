import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { RuntimesRoutes } from '../../../../../../src/renderer/features/platform/runtimes/routes'
import { connection } from '../../../support/connections'
import { installMain, renderInApp, replaceText } from '../../../support/fake-main'
import { mockElementSize } from '../../../support/sized'

mockElementSize(600)

const addresses = { runtimeApiUrl: 'https://runtime.example.com' }
const runtime = {
  uuid: 'r-1',
  displayName: 'foreign',
  container_image: 'a:1',
  flavour: 'old',
  replicaCount: 3,
  phase: 'Running',
}
const page = (rows: readonly object[]) => ({ rows: [...rows] as never[], page: 1, firstPage: 1, secrets: [] })

/** A service with different field names than the sandbox. Each log is one line longer than the previous one. */
function installForeignMain(flavors: readonly unknown[] = []) {
  let lines = 0
  return installMain({
    'connections.list': () => [connection({ isActive: true, addresses })],
    'resources.keptSecrets': () => [],
    'resources.page': () => page([runtime]),
    'resources.every': () => ({ rows: [{ endpointId: 'e-1', title: 'door' }] }),
    'resources.call': ({ operation }) => {
      lines += operation.endsWith('logs') ? 1 : 0
      const answers: Readonly<Record<string, unknown>> = {
        'runtime.agentRuntimes.get': { runtime },
        'runtime.agentRuntimes.logs': { text: Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n') },
        'runtime.flavors.list': flavors,
      }
      return { status: 200, data: answers[operation] as never, secrets: [] }
    },
  })
}

const renderPage = (path: string) => renderInApp(<RuntimesRoutes />, path, '/runtimes/*')

const setVisibilityState = (state: 'hidden' | 'visible'): void => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  act(() => {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  })
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('a service with other field names can be browsed, and changes use its own names', async () => {
  const fakeMain = installForeignMain()
  const view = await renderPage('/runtimes')
  await userEvent.click(await screen.findByRole('link', { name: 'foreign' }))
  expect(view.place()).toBe('/runtimes/r-1')
  await screen.findAllByText('Running')
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  const replicas = await screen.findByRole('textbox', { name: 'Replicas' })
  expect(screen.getByDisplayValue('3')).toBe(replicas)
  await replaceText(replicas, '4')
  await userEvent.click(screen.getByRole('button', { name: 'Create version' }))
  await waitFor(() =>
    expect(fakeMain.askedFor('resources.call')).toContainEqual(
      expect.objectContaining({
        operation: 'runtime.agentRuntimes.update',
        path: { id: 'r-1' },
        body: { displayName: 'foreign', container_image: 'a:1', flavour: 'old', replicaCount: 4 },
      }),
    ),
  )
})

const listOptions = async (field: string) => {
  await userEvent.click(await screen.findByRole('combobox', { name: field }))
  return (await screen.findAllByRole('option')).map(({ textContent }) => textContent)
}

test('offers flavors with any of their fields, without duplicates and those without an identifier', async () => {
  installForeignMain([
    { id: 's', name: 'Small', vCPU: 1, memoryGiB: 2, pricePerHour: 650 },
    { code: 'm', cores: 2, ram: '4G' },
    'plain',
    { id: 's', name: 'Again' },
    { vCPU: 9 },
  ])
  await renderPage('/runtimes?new=1')
  expect(await listOptions('Flavor')).toEqual(['Small · 1 vCPU · 2 GiB · 650 per hour', 'm · 2 vCPU · 4G RAM', 'plain'])
})

test('keeps the current flavor selectable even if it is no longer offered', async () => {
  installForeignMain(['new'])
  await renderPage('/runtimes/r-1')
  await userEvent.click(await screen.findByRole('button', { name: 'Update' }))
  expect(await listOptions('Flavor')).toEqual(['old', 'new'])
})

test('a followed log pauses while the window is hidden', async () => {
  const fakeMain = installForeignMain()
  const countLogCalls = (): number =>
    fakeMain
      .askedFor('resources.call')
      .filter((input) => JSON.stringify(input).includes('"runtime.agentRuntimes.logs"')).length
  await renderPage('/runtimes/r-1/logs')
  await screen.findByText('1 line loaded')
  vi.useFakeTimers()
  fireEvent.click(screen.getByRole('switch', { name: 'Follow' }))
  expect(screen.getByText(/refreshes every 3 s/)).toBeTruthy()
  await act(() => vi.advanceTimersByTimeAsync(6_500))
  expect(countLogCalls()).toBe(3)
  expect(screen.getByText(/3 lines loaded/)).toBeTruthy()
  setVisibilityState('hidden')
  expect(screen.getByText(/paused while the window is hidden/)).toBeTruthy()
  await act(() => vi.advanceTimersByTimeAsync(20_000))
  expect(countLogCalls()).toBe(3)
  setVisibilityState('visible')
  await act(() => vi.advanceTimersByTimeAsync(100))
  expect(screen.getByText(/4 lines loaded · refreshes/)).toBeTruthy()
})
