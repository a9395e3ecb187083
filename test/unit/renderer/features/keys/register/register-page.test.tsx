import type { MethodOutput, RegisterEntry } from '@shared/contract'
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { noFilter, useRegisterStore } from '../../../../../../src/renderer/features/keys/register/entries'
import { RegisterPage } from '../../../../../../src/renderer/features/keys/register/register-page'
import { chooseMenuItem as chooseItem, chooseOption, createPageRenderer } from '../../../support/fake-main'
import { buildLocalAccountPlan, buildLocalKey, entry, rotation } from '../../../support/key-care'
import { createDeferred } from '../../../support/later'
import { mockElementSize } from '../../../support/sized'
import { withToasts } from '../../../support/toasts'

mockElementSize(900)
beforeEach(() => useRegisterStore.getState().seek(noFilter))

const toIsoDaysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
const lanEntry = entry({
  purpose: 'work on the shop',
  tools: ['Claude Code'],
  handedOutAt: toIsoDaysAgo(2),
  createdAt: toIsoDaysAgo(100),
})
const pipelineEntry = entry({
  keyId: 'k2',
  keyName: 'ci',
  origin: { connectionId: 'c1', planId: 'a1', keyId: 'ak2' },
  holder: { kind: 'tool', name: 'pipeline' },
  alsoServes: ['Minh'],
})
const remoteEntry = entry({
  keyId: 'ak9',
  keyName: 'remote',
  planId: 'a1',
  origin: { connectionId: 'c1', planId: 'a1', keyId: 'ak9' },
  isKeptHere: false,
  status: 'DISABLED',
})

/** Ids at the account, for a key that is not saved on this computer. */
const remoteKeyAddress = { connectionId: 'c1', planId: 'a1', keyId: 'ak9' }

const renderPage = createPageRenderer(withToasts(<RegisterPage />), '/register', {
  'register.known': () => [],
  'register.list': () => [lanEntry, pipelineEntry, remoteEntry],
  'register.lastUses': ({ keys }) => keys.map(() => ({ isLocalOnly: true })),
  'register.previewRevoke': ({ keys }) => ({
    tools: ['Claude Code'],
    unknownTools: ['Zed'],
    holders: keys.length > 1 ? ['Lan', 'pipeline'] : ['Lan'],
  }),
  'register.revoke': () => ({ failed: [] }),
  'register.enable': () => ({ failed: [] }),
  'connections.list': () => [],
  'register.update': () => lanEntry,
  'plans.list': () => [buildLocalAccountPlan()],
  'rotation.list': () => [],
})

const getRow = async (name: string): Promise<HTMLElement> => {
  const cell = await screen.findByText(name, { selector: 'td *' })
  const row = cell.closest('tr')
  if (!row) throw new Error(`No row ${name}`)
  return row
}

const chooseMenuItem = (key: string, item: string) => chooseItem(`${key} of platform-team`, item)

describe('the key register', () => {
  it('shows the replacement of a rotated key and who still uses it, and does not hand it out', async () => {
    const { user } = await renderPage({
      'plans.list': () => [
        buildLocalAccountPlan({
          keys: [
            buildLocalKey({ replacedBy: { keyId: 'n1', name: 'lan-laptop-2' } }),
            buildLocalKey({ id: 'k2', name: 'ci', status: 'DISABLED', replacedBy: { keyId: 'n2', name: 'ci-2' } }),
          ],
        }),
      ],
      'register.list': () => [lanEntry, { ...pipelineEntry, status: 'DISABLED' }, remoteEntry],
      'rotation.list': () => [
        rotation({
          state: 'waiting',
          handover: [
            { holder: { kind: 'person', name: 'Lan' }, state: 'handedOut' },
            { holder: { kind: 'person', name: 'Minh' }, state: 'confirmed' },
          ],
        }),
      ],
    })
    await waitFor(async () => expect((await getRow('lan-laptop')).textContent).toContain('ReplacedWaiting for Lan'))
    const row = await getRow('lan-laptop')
    expect(row.textContent).not.toContain('Active')
    expect(within(row).getByTitle('Replaced by lan-laptop-2, waiting for Lan')).toBeTruthy()
    expect((await getRow('ci')).textContent).toContain('DisabledReplaced by ci-2')
    await user.click(await screen.findByRole('button', { name: 'Actions for lan-laptop of platform-team' }))
    for (const action of ['Issue this key…', 'Rotate…']) {
      const item = await screen.findByRole('menuitem', { name: new RegExp(action) })
      expect([item.getAttribute('aria-disabled'), item.textContent]).toEqual(['true', `${action}Waiting for Lan`])
    }
    expect(within(row).queryByRole('button', { name: /^Rotate key/, hidden: true })).toBeNull()
  })

  it('shows holders, purpose, status and age of each key', async () => {
    await renderPage()
    const row = await getRow('lan-laptop')
    for (const text of ['platform-team', 'Lan', 'work on the shop', 'Active', 'not confirmed', 'Claude Code']) {
      expect(row.textContent).toContain(text)
    }
    expect(within(row).getByRole('img', { name: 'Person' })).toBeTruthy()
    expect((await getRow('remote')).textContent).toContain('not saved')
    expect((await getRow('ci')).textContent).toContain('shared with Minh')
    expect(screen.getByText('1 not confirmed')).toBeTruthy()
    expect(screen.getByText('1 older than 90 days')).toBeTruthy()
  })

  it('shows the last use of each key at the accounts, and again before the key is disabled', async () => {
    await renderPage({
      'register.list': () => [
        { ...lanEntry, lastUsedAt: toIsoDaysAgo(3), lastUsedFrom: 'relay' },
        pipelineEntry,
        remoteEntry,
      ],
      'register.lastUses': ({ keys }) =>
        keys.map(({ keyId }) => {
          if (keyId === 'ak9') return { isLocalOnly: true }
          return keyId === 'k2' ? { isLocalOnly: false } : { at: toIsoDaysAgo(1), from: 'console', isLocalOnly: false }
        }),
    })
    await waitFor(async () => expect((await getRow('lan-laptop')).textContent).toContain('console · Claude Code'))
    expect((await getRow('ci')).textContent).toContain('Not in 45 days')
    expect((await getRow('remote')).textContent).toContain('No local use')
    await chooseMenuItem('lan-laptop', 'Disable…')
    const confirmDialog = await screen.findByRole('alertdialog')
    await waitFor(() => expect(confirmDialog.textContent).toMatch(/Last used: .*\(console\)/))
  })

  it('shows known keys while an account loads, and then all', async () => {
    const { promise, answer } = createDeferred<RegisterEntry[]>()
    const slowAnswers = { 'register.known': () => [lanEntry], 'register.list': () => promise }
    const { user } = await renderPage(slowAnswers, '/register/holders')
    const revoke = await screen.findByRole('button', { name: 'Lan leaves…' })
    expect(revoke.hasAttribute('disabled')).toBe(true)
    expect(screen.getByText('loading keys from accounts…')).toBeTruthy()
    answer([lanEntry, pipelineEntry])
    await waitFor(() => expect(revoke.hasAttribute('disabled')).toBe(false))
    await user.click(screen.getByRole('tab', { name: 'Keys' }))
    await getRow('ci')
    expect(screen.queryByText('loading keys from accounts…')).toBeNull()
  })

  it('is searched and filtered, with a count of the results, and shows all keys again on request', async () => {
    const { user } = await renderPage()
    await user.type(await screen.findByRole('searchbox', { name: 'Search keys' }), 'pipeline')
    await screen.findByText('1 of 3')
    expect(screen.queryByText('lan-laptop', { selector: 'td *' })).toBeNull()
    await user.clear(screen.getByRole('searchbox'))
    await chooseOption('Needs attention', 'Older than 90 days')
    await getRow('lan-laptop')
    expect(screen.queryByText('ci', { selector: 'td *' })).toBeNull()
    await user.type(screen.getByRole('searchbox'), 'no such key')
    await user.click(await screen.findByRole('button', { name: 'Show all' }))
    await getRow('ci')
  })

  it('explains itself without a key, and why it cannot be read', async () => {
    await renderPage({ 'register.list': () => [] })
    await screen.findByText('No keys yet')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Export CSV' }).disabled).toBe(true)
    await renderPage({ 'register.list': () => ({ code: 'vault.unavailable', message: 'no' }) })
    await screen.findByText('Keychain unavailable')
  })

  it('suggests the holder from the key’s name', async () => {
    const { main, user } = await renderPage({
      'register.list': () => [lanEntry, entry({ ...remoteEntry, keyName: 'shop-ci', holder: undefined })],
    })
    await chooseMenuItem('shop-ci', 'Edit…')
    const sheet = await screen.findByRole('dialog', { name: 'Key details' })
    await user.click(within(sheet).getByRole('button', { name: 'Suggested: shop-ci' }))
    await user.click(within(sheet).getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(main.askedFor('register.update')).toMatchObject([{ holder: { kind: 'tool', name: 'shop-ci' } }]),
    )
  })

  it('saves holder and purpose of a key', async () => {
    const { main, user } = await renderPage()
    await chooseMenuItem('ci', 'Edit…')
    const sheet = await screen.findByRole('dialog', { name: 'Key details' })
    await user.click(within(sheet).getByRole('radio', { name: 'Person' }))
    const name = within(sheet).getByRole('textbox', { name: 'Name' })
    await user.clear(name)
    const save: HTMLButtonElement = within(sheet).getByRole('button', { name: 'Save' })
    expect(save.disabled).toBe(true)
    await user.type(name, ' Minh ')
    await user.type(within(sheet).getByRole('textbox', { name: /Computer/ }), 'laptop')
    await user.click(save)
    await main.waitForCalls('register.update', [
      { planId: 'p1', keyId: 'k2', holder: { kind: 'person', name: 'Minh' }, purpose: '', machine: 'laptop' },
    ])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('removes the holder', async () => {
    const { main, user } = await renderPage()
    await chooseMenuItem('ci', 'Edit…')
    await user.click(await screen.findByRole('radio', { name: 'No holder' }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await main.waitForCalls('register.update', [expect.objectContaining({ holder: null })])
  })

  it('offers rotation only for saved keys', async () => {
    const { user, place } = await renderPage()
    const rotateButton = await screen.findByRole('button', { name: 'Rotate key ci of platform-team' })
    expect(screen.queryByRole('button', { name: 'Rotate key remote of platform-team' })).toBeNull()
    await user.click(rotateButton)
    expect(place()).toBe('/rotate?plan=p1&key=k2')
  })

  it('rotates the selected keys together, and the page lists exceptions', async () => {
    const { user, place } = await renderPage()
    await user.click(await screen.findByRole('checkbox', { name: 'Select all shown keys' }))
    await screen.findByText('2 can be rotated')
    await user.click(screen.getByRole('button', { name: 'Rotate…' }))
    const selectedKeys = new URLSearchParams(place()?.split('?')[1]).getAll('one').toSorted()
    expect(selectedKeys).toEqual(['["a1","ak9"]', '["p1","k1"]', '["p1","k2"]'])
  })

  it('shows the number of paused rotations', async () => {
    await renderPage({ 'rotation.list': () => [rotation({ state: 'stopped' }), rotation({ id: 'r2' })] })
    await screen.findByRole('tab', { name: /Rotations ?1/ })
  })
})

describe('revoking', () => {
  it('of several continues after a failure, names it, and retries only that one', async () => {
    let isServerDown = true
    const { main, user } = await renderPage({
      'register.revoke': ({ keys }) => ({
        failed: keys.flatMap(({ keyId }, index) =>
          keyId === 'k2' && isServerDown ? [{ index, failure: { code: 'api.serverError', message: 'no' } }] : [],
        ),
      }),
    })
    await user.click(await screen.findByRole('checkbox', { name: 'Select lan-laptop of platform-team' }))
    await user.click(screen.getByRole('checkbox', { name: 'Select ci of platform-team' }))
    await user.click(screen.getByRole('button', { name: 'Disable…' }))
    const confirmDialog = await screen.findByRole('alertdialog', { name: 'Disable 2 keys?' })
    await user.click(within(confirmDialog).getByRole('button', { name: 'Disable now' }))
    await within(confirmDialog).findByText('Not disabled:')
    isServerDown = false
    await user.click(within(confirmDialog).getByRole('button', { name: 'Disable now' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    const [lanKey, ciKey] = ['k1', 'k2'].map((keyId) => ({ planId: 'p1', keyId }))
    expect(main.askedFor('register.revoke')).toEqual([{ keys: [ciKey, lanKey] }, { keys: [ciKey] }])
  })

  it('disables many keys in batches, shows the progress, stops on cancel, and reloads the keys only at the end', async () => {
    const manyEntries = Array.from({ length: 120 }, (_, index) => entry({ keyId: `m${index}`, keyName: `m${index}` }))
    const { promise, answer } = createDeferred<MethodOutput<'register.revoke'>>()
    const { main, user } = await renderPage({ 'register.list': () => manyEntries, 'register.revoke': () => promise })
    await user.click(await screen.findByRole('checkbox', { name: 'Select all shown keys' }))
    await user.click(screen.getByRole('button', { name: 'Disable…' }))
    const confirmDialog = await screen.findByRole('alertdialog', { name: 'Disable 120 keys?' })
    await user.click(within(confirmDialog).getByRole('button', { name: 'Disable now' }))
    await within(confirmDialog).findByRole('progressbar', { name: '0 of 120 keys' })
    const countReloads = () => [main.askedFor('register.list').length, main.askedFor('register.previewRevoke').length]
    const [listCount = 0, previewCount] = countReloads()
    await act(async () => main.tell('data.changed', { domains: ['account', 'plans', 'register', 'tools'] }))
    expect(countReloads()).toEqual([listCount, previewCount])
    await user.click(within(confirmDialog).getByRole('button', { name: 'Cancel' }))
    answer({ failed: [] })
    await screen.findByText('Disabled: 50 keys')
    expect(main.askedFor('register.revoke')).toHaveLength(1)
    await waitFor(() => expect(main.askedFor('register.list').length).toBeGreaterThan(listCount))
  })

  it('of everything of a holder names each key and other affected holders, in one step', async () => {
    const sharedEntry = { ...pipelineEntry, alsoServes: ['Lan'] }
    const disabledEntry = entry({ keyId: 'k7', keyName: 'old', status: 'DISABLED' })
    const entries = [lanEntry, sharedEntry, remoteEntry, disabledEntry]
    const { main, user } = await renderPage({ 'register.list': () => entries }, '/register/holders')
    const holders = within(await screen.findByRole('list', { name: 'Holders' }))
    const keys = within(holders.getByRole('list', { name: 'Keys of Lan' })).getAllByRole('listitem')
    expect(keys.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('lan-laptop of platform-team'),
      expect.stringContaining('shared with pipeline'),
      expect.stringContaining('remote of platform-team'),
      expect.stringContaining('Disabled'),
    ])
    await user.click(holders.getByRole('button', { name: 'Lan leaves…' }))
    const confirmDialog = await screen.findByRole('alertdialog', { name: 'Remove Lan?' })
    expect(confirmDialog.textContent).toContain('deleted after 7 days')
    await within(confirmDialog).findByText('Claude Code')
    const disabledKeys = 'These keys will be disabled:lan-laptop of platform-teamci of platform-team'
    expect(confirmDialog.textContent).toContain(disabledKeys)
    const warnings = 'because their configuration record is damaged:ZedHolders who lose access:Lanpipeline'
    expect(confirmDialog.textContent).toContain(warnings)
    expect(main.askedFor('register.revoke')).toEqual([])
    await user.click(within(confirmDialog).getByRole('button', { name: 'Disable now' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(main.askedFor('register.revoke')).toEqual([
      {
        keys: [
          { planId: 'p1', keyId: 'k1' },
          { planId: 'p1', keyId: 'k2' },
          remoteKeyAddress,
          { planId: 'p1', keyId: 'k7' },
        ],
        isLeaving: true,
      },
    ])
  })

  it('is not offered for a disabled key, which can be enabled again', async () => {
    const { main } = await renderPage()
    await chooseMenuItem('remote', 'Enable')
    await main.waitForCalls('register.enable', [{ keys: [remoteKeyAddress] }])
  })
})

it('a confirmation code can be pasted with others, and the first unknown one stops the entry', async () => {
  const holder = { kind: 'person', name: 'Lan' } as const
  const { main, user } = await renderPage(
    {
      'handouts.acknowledge': ({ code }) =>
        code === 'XXXX-XXXX-XXXX'
          ? { code: 'handout.unknownCode', message: 'no' }
          : { holder, planName: 'p', keyName: 'lan-laptop' },
    },
    '/register?code=1',
  )
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Confirmation code' })
  await user.click(field)
  await user.paste('K7QD-9M2X-4RTA, XXXX-XXXX-XXXX, 9M2X-4RTA-K7QD')
  await user.keyboard('{Enter}')
  await screen.findByText('Unknown confirmation code')
  expect(field.value).toBe('XXXX-XXXX-XXXX 9M2X-4RTA-K7QD')
  await user.clear(field)
  await user.paste('9M2X-4RTA-K7QD RTA2-K7QD-9M2X')
  await user.keyboard('{Enter}')
  await screen.findByText('2 keys confirmed')
  const askedCodes = main.askedFor('handouts.acknowledge').map((input) => Object(input).code)
  expect(askedCodes).toEqual(['K7QD-9M2X-4RTA', 'XXXX-XXXX-XXXX', '9M2X-4RTA-K7QD', 'RTA2-K7QD-9M2X'])
})
