import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Palette } from '../../../../../../src/renderer/features/shell/palette/palette'
import { useCurrentPlan } from '../../../../../../src/renderer/session'
import { buildBuiltInConnection, connection } from '../../../support/connections'
import { installMain, renderInApp } from '../../../support/fake-main'
import { buildLocalAccountPlan } from '../../../support/key-care'
import { profile } from '../../../support/profiles'
import { plan } from '../../../support/views'

function CurrentPlan() {
  return <p data-testid="current">{useCurrentPlan()?.name}</p>
}

async function renderPage() {
  const fakeMain = installMain({
    'connections.list': () => [buildBuiltInConnection(), connection()],
    'connections.use': () => ({}),
    'plans.list': () => [plan(), plan({ id: 'p2', name: 'second' }), buildLocalAccountPlan({ id: 'p3' })],
    'tools.list': () => [],
    'profiles.list': () => [profile({ id: 'c', name: 'client A' }), profile({ isActive: true })],
  })
  const view = await renderInApp(
    <>
      <CurrentPlan />
      <Palette />
    </>,
  )
  return { main: fakeMain, ...view }
}

describe('the palette', () => {
  it('switches to another connection, and omits the active one', async () => {
    const { main } = await renderPage()
    await screen.findByRole('option', { name: 'Switch to Production' })
    expect(screen.queryByRole('option', { name: 'Switch to sandbox' })).toBeNull()
    await userEvent.type(screen.getByRole('combobox'), 'switch prod{Enter}')
    await waitFor(() => expect(main.askedFor('connections.use')).toEqual([{ id: 'c1' }]))
  })

  it('opens a connection to test it', async () => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Test Production' }))
    expect(place()).toBe('/connections?show=c1&test')
  })

  it('switches to another profile, and omits the active one', async () => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Switch to profile client A' }))
    expect(place()).toBe('/profiles/c/switch')
    expect(screen.queryByRole('option', { name: 'Switch to profile work' })).toBeNull()
  })

  it('selects the plan that tools are configured with', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Configure tools with second' }))
    await waitFor(() => expect(screen.getByTestId('current').textContent).toBe('second'))
  })

  it.each([
    ['Rotate key', '/rotate'],
    ['Rotate ci of platform-team', '/rotate?plan=p3&key=k2'],
    ['Issue a key', '/handout'],
    ['Issue several keys', '/handout/many'],
    ['Import a key', '/handout/open'],
    ['Enter confirmation code', '/register?code=1'],
    ['Audit log', '/register/audit'],
    ['Quota and forecasts', '/usage/left'],
    ['Failed requests', '/usage/requests?scope=machine&errors=1'],
    ['Usage of second', '/usage?scope=machine&plan=p2'],
  ])('opens %s', async (name, path) => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name }))
    expect(place()).toBe(path)
  })
})
