import type { TeamView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { TeamPage } from '../../../../../src/renderer/features/team/team-page'
import { clickButton, createPageRenderer } from '../../support/fake-main'

const at = '2026-11-21T08:00:00.000Z'
const joined: Extract<TeamView, { state: 'joined' }> = {
  state: 'joined',
  spaceName: 'Atelier',
  address: 'postgres://an@db.example.com:5432/team',
  fingerprint: 'AB:CD',
  isEncrypted: true,
  personName: 'An',
  machineName: 'desk',
  joinedAt: at,
  isOnline: true,
  syncedAt: at,
  waiting: { notes: 1, lines: 2 },
  people: [],
  conflicts: [],
  rotations: [],
}

const renderPage = createPageRenderer(<TeamPage />, '/team', { 'team.get': () => joined })

it('asks before the upgrade of an older space, and shows waiting changes', async () => {
  const failure = { code: 'team.older' as const, message: 'An older version of this app made the team space.' }
  const { main } = await renderPage({
    'team.get': () => ({ ...joined, isOnline: false, failure }),
    'team.upgrade': () => joined,
  })
  await screen.findByText('3 changes will be sent later')
  await userEvent.click(screen.getByRole('button', { name: 'Upgrade…' }))
  expect(main.askedFor('team.upgrade')).toEqual([])
  await userEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Upgrade' }))
  await main.waitForCalls('team.upgrade', [{}])
})

it('creates a space with a pasted password', async () => {
  const pending = { pendingId: 'p1', masked: '***' }
  const { main } = await renderPage({
    'team.get': () => ({ state: 'none' }),
    'team.create': () => joined,
    'connections.takeSecretFromClipboard': () => pending,
  })
  await clickButton('Create lead space…')
  await userEvent.type(screen.getByLabelText('Name of the space'), 'Atelier')
  await userEvent.type(screen.getByLabelText('Your name'), 'An')
  await userEvent.type(screen.getByLabelText('Database address'), ' postgres://an@localhost/team ')
  const submit = screen.getByRole('button', { name: 'Create lead space' })
  expect(submit.hasAttribute('disabled')).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Paste password' }))
  await waitFor(() => expect(submit.hasAttribute('disabled')).toBe(false))
  await userEvent.click(submit)
  const request = { spaceName: 'Atelier', personName: 'An', address: 'postgres://an@localhost/team', pendingId: 'p1' }
  await main.waitForCalls('team.create', [request])
})
