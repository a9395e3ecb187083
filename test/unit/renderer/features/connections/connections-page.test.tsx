import type { ConnectionView, MethodInput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConnectionsPage } from '../../../../../src/renderer/features/connections/connections-page'
import { clearTests, useDrafts } from '../../../../../src/renderer/features/connections/tests-and-drafts'
import { buildBuiltInConnection, connection, operation } from '../../support/connections'
import { chooseMenuItem, clickButton, type FakeMethods, installMain, renderInApp } from '../../support/fake-main'

const stagingConnection = connection({ id: 'c2', name: 'Staging', tokenSource: { kind: 'pasted' }, secret: 'missing' })

interface Overrides {
  readonly all?: readonly ConnectionView[]
  readonly save?: (input: MethodInput<'connections.save'>) => Failure | undefined
  readonly readFile?: FakeMethods['connections.readFile']
}

async function renderPage(path: string, overrides: Overrides = {}) {
  const { all = [buildBuiltInConnection(), connection(), stagingConnection], save, readFile = () => ({}) } = overrides
  let list: ConnectionView[] = [...all]
  const fakeMain = installMain({
    'sandbox.get': () => ({ state: 'running' }),
    'operations.list': () => [operation()],
    'connections.list': () => list,
    'connections.readFile': readFile,
    'connections.chooseCaFile': () => ({ path: '/certs/root.pem' }),
    'connections.takeSecretFromClipboard': () => ({ pendingId: 'held-1', masked: '...9f3c' }),
    'connections.save': ({ pendingId: _, ...input }) => {
      const saveFailure = save?.({ ...input })
      if (saveFailure) return saveFailure
      const { id = 'new' } = input
      const savedConnection = { ...connection(), ...list.find((listed) => listed.id === id), ...input, id }
      list = [...list.filter((listed) => listed.id !== id), savedConnection]
      return { connection: savedConnection, corrections: [{ field: 'tokenPlanUrl', correction: 'suffixRemoved' }] }
    },
    'connections.use': ({ id }) => {
      list = list.map((listedConnection) => ({ ...listedConnection, isActive: listedConnection.id === id }))
      return {}
    },
    'connections.remove': ({ id }) => {
      list = list.filter((listedConnection) => listedConnection.id !== id)
      return {}
    },
  })
  return { main: fakeMain, ...(await renderInApp(<ConnectionsPage />, path)) }
}

beforeEach(() => {
  useDrafts.setState({}, true)
  for (const id of ['sandbox', 'c1', 'c2']) clearTests(id)
})

describe('the list of connections', () => {
  it('shows configured parts, sign-in, location of the secret, and the active one', async () => {
    await renderPage('/connections')
    const rows = within(await screen.findByRole('list', { name: 'All connections' })).getAllByRole('listitem')
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/sandboxActiveBuilt in2 of 8 services configuredClient ID and secretSecret in keychain/),
      expect.stringMatching(/Production2 of 8 services configuredClient ID and secretSecret in keychain/),
      expect.stringMatching(/Staging2 of 8 services configuredPasted tokenToken missing/),
    ])
  })

  it('is empty with a first step, and explains a read failure', async () => {
    await renderPage('/connections', { all: [] })
    await screen.findByText('No connections yet')
    expect(screen.getByRole('link', { name: 'Add connection' }).getAttribute('href')).toContain('?new')
  })

  it('shows a failure instead of an empty list', async () => {
    installMain({ 'connections.list': () => ({ code: 'internal.unexpected', message: 'No.' }) })
    await renderInApp(<ConnectionsPage />, '/connections')
    await screen.findByText('Unexpected error')
    expect(screen.queryByText('No connections yet')).toBeNull()
  })

  it('activates another connection', async () => {
    const { main } = await renderPage('/connections')
    await clickButton('Activate Production')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Activate Production' })).toBeNull())
    expect(main.askedFor('connections.use')).toEqual([{ id: 'c1' }])
    await screen.findByRole('button', { name: 'Activate sandbox' })
  })

  it('offers neither to change nor to remove the built-in one', async () => {
    await renderPage('/connections')
    await clickButton('Actions for sandbox')
    const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
    expect(items).toEqual(['Test all', 'Export…'])
  })

  it('stores a missing token from the clipboard and changes nothing else', async () => {
    const { main } = await renderPage('/connections')
    await clickButton('Paste token')
    await clickButton('Paste from clipboard')
    await screen.findByText('...9f3c')
    await clickButton('Save')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const { id, name, addresses, tokenSource } = stagingConnection
    expect(main.askedFor('connections.save')).toEqual([{ id, name, addresses, tokenSource, pendingId: 'held-1' }])
  })
})

it('removing a connection asks first, and lists what is removed with it', async () => {
  const { main } = await renderPage('/connections')
  await chooseMenuItem('Production', 'Remove…')
  const confirmDialog = await screen.findByRole('alertdialog')
  await within(confirmDialog).findByText('tracking of a background task: Creating API key ci-runner')
  for (const lossText of ['2 addresses', 'its secret in the keychain', 'its sign-in method']) {
    expect(within(confirmDialog).getByText(lossText)).toBeTruthy()
  }
  expect(main.askedFor('connections.remove')).toEqual([])
  await userEvent.click(within(confirmDialog).getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByText('Production')).toBeNull())
  expect(main.askedFor('connections.remove')).toEqual([{ id: 'c1' }])
})

describe('the form of a connection', () => {
  it('saves the fields, omits empty addresses, and shows each correction on the next page', async () => {
    const { main, place } = await renderPage('/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), '  Lab ')
    await userEvent.type(screen.getByLabelText('Gateway'), 'https://gateway.example.com/v1')
    await clickButton('Save')
    await screen.findByText('Corrected: Gateway (path removed)')
    expect(main.askedFor('connections.save')).toEqual([
      { name: 'Lab', addresses: { tokenPlanUrl: 'https://gateway.example.com/v1' } },
    ])
    expect(place()).toBe('/connections?show=new')
  })

  it('pastes the secret from the clipboard without a field, and ignores pasted text', async () => {
    const { main, container } = await renderPage('/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), 'Lab')
    await userEvent.click(screen.getByRole('radio', { name: /Client ID and secret/ }))
    await userEvent.type(screen.getByLabelText('Token URL'), 'https://iam.example.com/token')
    await userEvent.type(screen.getByLabelText('Client ID'), 'companion')
    screen.getByRole('button', { name: 'Paste from clipboard' }).focus()
    await userEvent.paste('canary-secret')
    await screen.findByText('...9f3c')
    await clickButton('Save')
    await waitFor(() => expect(main.askedFor('connections.save')).toHaveLength(1))
    expect(main.askedFor('connections.save')).toMatchObject([
      { tokenSource: { kind: 'client-credentials', clientId: 'companion' }, pendingId: 'held-1' },
    ])
    expect(container.innerHTML).not.toContain('canary')
    expect(JSON.stringify(main.asked)).not.toContain('canary')
  })

  it('drops a pasted secret when another sign-in is selected', async () => {
    await renderPage('/connections?new')
    await userEvent.click(await screen.findByRole('radio', { name: /Client ID and secret/ }))
    await clickButton('Paste from clipboard')
    await screen.findByText('...9f3c')
    await userEvent.click(screen.getByRole('radio', { name: /Pasted token/ }))
    expect(screen.queryByText('...9f3c')).toBeNull()
  })

  it('reports missing sign-in data at its field, without calling main', async () => {
    const { main } = await renderPage('/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), 'Lab')
    await userEvent.click(screen.getByRole('radio', { name: /^Command/ }))
    await clickButton('Save')
    await screen.findByText('Enter the program.')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Program')))
    expect(main.askedFor('connections.save')).toEqual([])
  })

  it.each([
    ['address.notAnAddress', 'runtimeApiUrl', 'Runtimes'],
    ['address.insecure', 'tokenUrl', 'Token URL'],
    ['connection.nameTaken', 'name', 'Name'],
  ] as const)('shows a refusal %s of %s at its field and stays', async (code, field, label) => {
    const { place } = await renderPage('/connections?edit=c1', { save: () => ({ code, message: 'No.', field }) })
    await userEvent.type(await screen.findByLabelText('Runtimes'), 'x')
    await clickButton('Save')
    await waitFor(() => expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true'))
    expect(screen.getByLabelText('Console').getAttribute('aria-invalid')).toBeNull()
    expect(place()).toBe('/connections?edit=c1')
  })

  it('reports an expired pasted secret', async () => {
    const failure = { code: 'key.notFound', message: 'No.', field: 'pendingId' } as const
    await renderPage('/connections?edit=c2', { save: () => failure })
    await clickButton('Paste from clipboard')
    await screen.findByText('...9f3c')
    await clickButton('Save')
    await screen.findByText('Pasted value expired')
  })

  it('shows that a stored secret stays, unless the client changes', async () => {
    await renderPage('/connections?edit=c1')
    await screen.findByText('Saved in the keychain')
    await userEvent.type(screen.getByLabelText('Client ID'), '2')
    expect(screen.queryByText('Saved in the keychain')).toBeNull()
    await screen.findByRole('button', { name: 'Paste from clipboard' })
  })

  it('picks a certificate file with the system’s dialog', async () => {
    const { main } = await renderPage('/connections?edit=c1')
    await clickButton('Choose file…')
    await screen.findByText('/certs/root.pem')
    await clickButton('Save')
    await waitFor(() => expect(main.askedFor('connections.save')).toMatchObject([{ caFile: '/certs/root.pem' }]))
  })
})

describe('unsaved changes', () => {
  it('survive leaving the page, and are marked in the list', async () => {
    const { unmount } = await renderPage('/connections?new')
    await userEvent.type(await screen.findByLabelText('Name'), 'Lab')
    unmount()
    await renderPage('/connections')
    await screen.findByText('“Lab” is not saved.')
    await userEvent.click(screen.getByRole('link', { name: 'Continue' }))
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Lab')
  })

  it('are discarded only after a confirmation', async () => {
    const { place } = await renderPage('/connections?edit=c1')
    await userEvent.type(await screen.findByLabelText('Name'), ' 2')
    await clickButton('Cancel')
    const confirmDialog = await screen.findByRole('alertdialog', { name: 'Discard changes?' })
    await userEvent.click(within(confirmDialog).getByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(place()).toBe('/connections?show=c1'))
    expect(useDrafts.getState().c1).toBeUndefined()
  })

  it('need no confirmation when they were reverted', async () => {
    const { place } = await renderPage('/connections?edit=c1')
    await userEvent.type(await screen.findByLabelText('Name'), '2{Backspace}')
    await clickButton('Cancel')
    await waitFor(() => expect(place()).toBe('/connections?show=c1'))
  })
})

describe('a connection file', () => {
  const draft = {
    name: 'From a colleague',
    addresses: { memoryApiUrl: 'https://memory.example.org' },
    tokenSource: { kind: 'pasted' as const },
    corrections: [{ field: 'memoryApiUrl' as const, correction: 'trailingSlashRemoved' as const }],
  }

  it('fills the form, shows corrections, and can be undone', async () => {
    const { place } = await renderPage('/connections', { readFile: () => ({ draft }) })
    await clickButton('From a file…')
    await screen.findByText('Corrected: Memory (trailing slash removed)')
    expect(place()).toBe('/connections?new')
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('From a colleague')
    expect(screen.getByRole('radio', { name: /Pasted token/ }).getAttribute('aria-checked')).toBe('true')
    await clickButton('Undo')
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('')
  })

  it('changes nothing when the dialog is closed', async () => {
    const { place, main } = await renderPage('/connections')
    await clickButton('From a file…')
    await waitFor(() => expect(main.askedFor('connections.readFile')).toHaveLength(1))
    expect(place()).toBe('/connections')
  })

  it.each([
    [{ code: 'input.invalid', field: 'clientSecret' }, 'File contains a secret'],
    [{ code: 'input.invalid', field: 'colour' }, 'Invalid connection file'],
    [{ code: 'address.insecure', field: 'consoleUrl' }, 'Console: Insecure address: the key would be sent unencrypted'],
    [{ code: 'file.unparsable', line: 3 }, 'Settings file has a syntax error'],
  ] as const)('that is refused with %j is explained', async (failure, text) => {
    const { place } = await renderPage('/connections', { readFile: () => ({ ...failure, message: 'For the log.' }) })
    await clickButton('From a file…')
    await screen.findByText(text)
    expect(place()).toBe('/connections')
  })
})

it('the page of a connection shows that a connection no longer exists', async () => {
  await renderPage('/connections?show=nobody')
  await screen.findByText('Connection not found')
})
