import type { ConnectionView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { ConnectionsPage } from '../../../../../src/renderer/features/connections/connections-page'
import { installMain, renderInApp } from '../../support/fake-main'

const production: ConnectionView = {
  id: 'c1',
  name: 'Production',
  addresses: { tokenPlanUrl: 'https://gateway.example.com' },
  createdAt: '2026-11-21T08:00:00.000Z',
}

describe('the address book', () => {
  it('saves what was filled in, leaves empty addresses out, and tells each correction', async () => {
    const main = installMain({
      'connections.list': () => [],
      'connections.save': () => ({
        connection: production,
        corrections: [{ field: 'tokenPlanUrl', correction: 'suffixRemoved' }],
      }),
    })
    const { place } = await renderInApp(<ConnectionsPage />, '/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), '  Production ')
    await userEvent.type(screen.getByLabelText('Gateway'), 'https://gateway.example.com/v1')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Put right: Gateway (path removed)')
    expect(main.askedFor('connections.save')).toEqual([
      { name: 'Production', addresses: { tokenPlanUrl: 'https://gateway.example.com/v1' } },
    ])
    expect(place()).toBe('/connections')
  })

  it('puts a refusal at the field it is about and keeps the sheet open', async () => {
    installMain({
      'connections.list': () => [],
      'connections.save': () => ({ code: 'address.notAnAddress', message: 'No.', field: 'runtimeApiUrl' }),
    })
    await renderInApp(<ConnectionsPage />, '/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), 'Lab')
    await userEvent.type(screen.getByLabelText('Runtimes'), 'x')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByLabelText('Runtimes').getAttribute('aria-invalid')).toBe('true'))
    expect(screen.getByLabelText('Gateway').getAttribute('aria-invalid')).toBeNull()
  })

  it('asks nothing of main while the name is missing', async () => {
    const main = installMain({ 'connections.list': () => [] })
    await renderInApp(<ConnectionsPage />, '/connections?new')
    await userEvent.click(await screen.findByRole('button', { name: 'Save' }))
    await screen.findByText('Give it a name.')
    expect(main.askedFor('connections.save')).toEqual([])
  })

  it('removes a connection only after the question was answered', async () => {
    let all: ConnectionView[] = [production]
    const main = installMain({
      'connections.list': () => all,
      'connections.remove': () => {
        all = []
        return {}
      },
    })
    await renderInApp(<ConnectionsPage />, '/connections')
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for Production' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove…' }))
    const question = await screen.findByRole('alertdialog')
    expect(main.askedFor('connections.remove')).toEqual([])
    await userEvent.click(within(question).getByRole('button', { name: 'Remove' }))
    await screen.findByText('No connection yet')
    expect(main.askedFor('connections.remove')).toEqual([{ id: 'c1' }])
  })

  it('changes the connection that was chosen', async () => {
    const main = installMain({
      'connections.list': () => [production],
      'connections.save': () => ({ connection: production, corrections: [] }),
    })
    await renderInApp(<ConnectionsPage />, '/connections')
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for Production' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit…' }))
    await userEvent.clear(await screen.findByLabelText('Gateway'))
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Production is saved')
    expect(main.askedFor('connections.save')).toEqual([{ id: 'c1', name: 'Production', addresses: {} }])
  })
})
