import type { ImportedKeyView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import type userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useHandoutsStore } from '../../../../../../src/renderer/features/keys/handouts/handout-fields'
import { OpenKeyFilePage } from '../../../../../../src/renderer/features/keys/handouts/open-page'
import { createPageRenderer, type FakeMethods } from '../../../support/fake-main'
import { buildKeyFileContent } from '../../../support/key-care'
import { appView, tool } from '../../../support/views'

beforeEach(() => useHandoutsStore.setState({ made: [], names: '', results: [], accepted: undefined }))

const file = { kitId: 'kit-1', path: '/home/minh/kit.age' }
const passphrase = 'correct horse battery staple lamp river'

const importedKey: ImportedKeyView = {
  planId: 'p7',
  planName: 'platform-team',
  keyId: 'k7',
  keyName: 'minh-2',
  from: 'Lan',
  oldKeyNames: [],
  tools: [],
  hasFailed: false,
  code: 'K7QD-9M2X-4RTA',
}

const renderPage = createPageRenderer(<OpenKeyFilePage />, '/handout/open', {
  'handouts.chooseKit': () => ({ kit: { ...file, needs: 'passphrase' } }),
  'handouts.openKit': () => buildKeyFileContent(),
  'handouts.accept': () => importedKey,
  'handouts.imported': () => [importedKey],
  'handouts.previewSwitch': () => [],
  'handouts.ownRecipient': () => ({ recipient: 'age1mine' }),
  'tools.list': () => [tool()],
  'app.get': () => appView,
  'app.copyText': () => ({}),
})

type User = ReturnType<typeof userEvent.setup>

const chooseFile = async (user: User): Promise<void> =>
  user.click(await screen.findByRole('button', { name: 'Choose file' }))
const field = (): Promise<HTMLInputElement> => screen.findByLabelText('Passphrase')
const openFile = async (user: User): Promise<void> => {
  await chooseFile(user)
  await user.type(await field(), `${passphrase}{Enter}`)
}

describe('importing a key', () => {
  it('keeps no passphrase in the page or the query cache', async () => {
    const { user, queries, container } = await renderPage()
    await chooseFile(user)
    await user.type(await field(), passphrase)
    expect((await field()).type).toBe('password')
    await user.click(screen.getByRole('button', { name: 'Open' }))
    await screen.findByText('Not imported yet.')
    const storedText = JSON.stringify([
      queries
        .getQueryCache()
        .getAll()
        .map(({ queryKey, state }) => [queryKey, state]),
      queries
        .getMutationCache()
        .getAll()
        .map(({ state }) => state),
      useHandoutsStore.getState(),
    ])
    expect(storedText).toContain('kit-1')
    expect(storedText).not.toContain('battery')
    expect(container.innerHTML).not.toContain('battery')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await chooseFile(user)
    expect((await field()).value).toBe('')
  })

  it.each([
    ['lets main read the passphrase from the clipboard', 'passphrase', 'Paste from clipboard'],
    ['needs no passphrase for a kit for this computer', 'nothing', 'Open'],
  ] as const)('%s', async (_name, needs, button) => {
    const { main, user } = await renderPage({ 'handouts.chooseKit': () => ({ kit: { ...file, needs } }) })
    await chooseFile(user)
    await user.click(await screen.findByRole('button', { name: button }))
    await screen.findByText('Not imported yet.')
    expect(main.askedFor('handouts.openKit')).toEqual([{ kitId: 'kit-1' }])
  })

  it('is refused with an explanation, and keeps what was typed', async () => {
    const { main, user } = await renderPage({
      'handouts.openKit': () => ({ code: 'handout.otherRecipient', message: 'no' }),
    })
    await openFile(user)
    await screen.findByText('The file is for another public key')
    expect(main.askedFor('handouts.accept')).toEqual([])
    expect((await field()).value).toBe(passphrase)
  })

  it('explains what to do with a kit for another computer', async () => {
    const { user } = await renderPage({ 'handouts.chooseKit': () => ({ kit: { ...file, needs: 'anotherKey' } }) })
    await chooseFile(user)
    await screen.findByText('Encrypted for another computer')
    await user.click(screen.getByRole('button', { name: 'Show public key' }))
    await screen.findByText('age1mine')
  })

  it('warns about an expired plan', async () => {
    const { user } = await renderPage({
      'handouts.openKit': () => buildKeyFileContent({ expiresAt: '2020-01-01T00:00:00.000Z' }),
    })
    await openFile(user)
    await screen.findByText('Plan expired')
  })
})

describe('an imported kit', () => {
  async function acceptKeyFile(overrides: FakeMethods = {}) {
    const openedPage = await renderPage(overrides)
    await openFile(openedPage.user)
    await openedPage.user.click(await screen.findByRole('button', { name: 'Import' }))
    return openedPage
  }

  it('keeps the code during the tool setup', async () => {
    const { unmount } = await acceptKeyFile()
    await screen.findByText('K7QD-9M2X-4RTA')
    unmount()
    await renderPage()
    await screen.findByText('K7QD-9M2X-4RTA')
  })

  const site = { kind: 'user' as const }
  const claude = { toolId: 'claude-code', toolName: 'Claude Code', site, needsRestart: false }
  const { code: _, ...before } = { ...importedKey, tools: [claude], oldKeyNames: ['minh'] }

  it('switches the tools first, and shows the code after their tests', async () => {
    let currentKey: ImportedKeyView = before
    const { main, user } = await acceptKeyFile({
      'handouts.accept': () => before,
      'handouts.imported': () => [currentKey],
      'handouts.previewSwitch': () => [claude],
      'handouts.switchTools': () => {
        currentKey = importedKey
        return { results: [{ ...claude, state: 'verified' }], imported: importedKey }
      },
    })
    await screen.findByText('Switch Claude Code to the new key')
    expect(screen.queryByText('K7QD-9M2X-4RTA')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Switch tools' }))
    await screen.findByText('K7QD-9M2X-4RTA')
    expect(main.askedFor('handouts.switchTools')).toEqual([{ planId: 'p7', keyId: 'k7' }])
  })

  it('lists what stops before the switch is skipped', async () => {
    const { main, user } = await acceptKeyFile({
      'handouts.accept': () => before,
      'handouts.imported': () => [before],
      'handouts.skipSwitch': () => importedKey,
    })
    await user.click(await screen.findByRole('button', { name: 'Skip…' }))
    const confirmDialog = await screen.findByRole('alertdialog')
    expect(confirmDialog.textContent).toContain('Claude Code stop when minh is disabled')
    expect(main.askedFor('handouts.skipSwitch')).toEqual([])
    await user.click(within(confirmDialog).getByRole('button', { name: 'Skip and show code' }))
    await waitFor(() => expect(main.askedFor('handouts.skipSwitch')).toHaveLength(1))
  })

  it('is saved only if the keychain accepts it', async () => {
    await acceptKeyFile({ 'handouts.accept': () => ({ code: 'vault.unavailable', message: 'no' }) })
    await screen.findByText('Keychain unavailable')
    expect(screen.getByRole('button', { name: 'Import' })).toBeTruthy()
  })
})
