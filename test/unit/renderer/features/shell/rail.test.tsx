import type { ConnectionView, PlanView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { useReloadOnSwitch } from '../../../../../src/renderer/features/connections/use-connections'
import { Rail } from '../../../../../src/renderer/features/shell/rail'
import { useCall } from '../../../../../src/renderer/ipc'
import { buildBuiltInConnection, connection } from '../../support/connections'
import { type FakeMethods, installMain, renderInApp } from '../../support/fake-main'
import { relayView } from '../../support/relay'
import { appView, plan, settingsView } from '../../support/views'

function Plans() {
  useReloadOnSwitch()
  const { data } = useCall('plans.list', {})
  return <p data-testid="plans">{data ? data.map(({ name }) => name).join() : 'loading'}</p>
}

interface Overrides {
  readonly all?: readonly ConnectionView[]
  readonly use?: () => Failure | undefined
  readonly plans?: (activeId: string | undefined) => PlanView[] | Promise<PlanView[]>
  readonly collapsed?: boolean
}

const railMethods: FakeMethods = {
  'app.get': () => appView,
  'sandbox.get': () => ({ state: 'stopped' }),
  'relay.get': () => relayView(),
}

async function renderPage(overrides: Overrides = {}) {
  const { all = [buildBuiltInConnection(), connection()], use, plans = () => [], collapsed = false } = overrides
  let list = [...all]
  const fakeMain = installMain({
    ...railMethods,
    'settings.get': () => ({ ...settingsView, railCollapsed: collapsed }),
    'plans.list': () => plans(list.find(({ isActive }) => isActive)?.id),
    'connections.list': () => list,
    'connections.use': ({ id }) => {
      const switchFailure = use?.()
      if (switchFailure) return switchFailure
      list = list.map((listedConnection) => ({ ...listedConnection, isActive: listedConnection.id === id }))
      return {}
    },
  })
  const view = await renderInApp(
    <>
      <Rail />
      <Plans />
    </>,
  )
  return { main: fakeMain, ...view }
}

const getPlansText = (): string | null | undefined => screen.getByTestId('plans').textContent

describe('the connection switcher', () => {
  it('has its full name when the sidebar is collapsed', async () => {
    await renderPage({ collapsed: true })
    await screen.findByRole('button', { name: 'sandbox. Switch connection' })
  })

  it('never shows data of the previous connection under the next one’s name', async () => {
    let isResponseDelayed = false
    const { queries } = await renderPage({
      plans: (id) => (isResponseDelayed ? new Promise(() => undefined) : [plan({ name: `plan of ${id}` })]),
    })
    await waitFor(() => expect(getPlansText()).toBe('plan of sandbox'))
    isResponseDelayed = true
    await userEvent.click(screen.getByRole('button', { name: /sandbox/ }))
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /Production/ }))
    await waitFor(() => expect(getPlansText()).toBe('loading'))
    queries.clear()
  })

  it('reverts when main cannot switch', async () => {
    await renderPage({ use: () => ({ code: 'connection.notFound', message: 'Gone.' }) })
    await userEvent.click(await screen.findByRole('button', { name: /sandbox/ }))
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /Production/ }))
    await waitFor(() => expect(screen.getByRole('button', { name: /sandbox/ })).toBeTruthy())
  })

  it.each([
    ['Manage connections', '/connections'],
    ['Add a connection', '/connections?new'],
  ])('opens with %s the page %s, also without a connection', async (item, path) => {
    const { place } = await renderPage({ all: [] })
    await userEvent.click(await screen.findByRole('button', { name: /No connection yet/ }))
    await userEvent.click(await screen.findByRole('menuitem', { name: item }))
    expect(place()).toBe(path)
  })
})

describe('the pages', () => {
  const renderPage = async (connections: readonly ConnectionView[]) => {
    installMain({ ...railMethods, 'connections.list': () => [...connections] })
    await renderInApp(<Rail />)
    const nav = await screen.findByRole('navigation', { name: 'Main' })
    return () =>
      within(nav)
        .getAllByRole('link')
        .map(({ textContent }) => textContent)
  }

  it('are few for a user with only a key, and platform pages appear with a connection', async () => {
    const names = await renderPage([])
    await waitFor(() => expect(names()).not.toContain('Runtimes'))
    const shortNames = names()
    expect(shortNames.join(', ')).toBe(
      'Home, Tools, Profiles, Plans, Usage, Playground, Keys, Team, Sandbox, Connections',
    )
    cleanup()
    const readNames = await renderPage([connection()])
    const platformNames = readNames().filter((name) => !shortNames.includes(name))
    expect(platformNames.join(', ')).toBe('Memory, Runtimes, Registry, Identities, Models & API keys')
  })
})
