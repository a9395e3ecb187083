import type { MethodOutput, UpdatesView } from '@shared/contract'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { UpdateNotice } from '../../../../../src/renderer/features/settings'
import { AboutRow, Reminders, UpdatesSection } from '../../../../../src/renderer/features/settings/settings-page'
import { setLocale } from '../../../../../src/renderer/i18n'
import { callKey } from '../../../../../src/renderer/ipc'
import { installMain, renderInApp } from '../../support/fake-main'

async function renderReminders(storedReminders: MethodOutput<'settings.getReminders'>) {
  let currentReminders = storedReminders
  const fakeMain = installMain({
    'settings.getReminders': () => currentReminders,
    'settings.setReminders': (newReminders) => {
      currentReminders = newReminders
      return newReminders
    },
  })
  await renderInApp(<Reminders />)
  await screen.findByRole('switch')
  return { main: fakeMain, user: userEvent.setup() }
}

it('adds and removes a day', async () => {
  const { main, user } = await renderReminders({ enabled: true, days: [7, 3, 1], keyDays: [60] })
  await user.click(screen.getByRole('button', { name: '14 days' }))
  await user.click(await screen.findByRole('button', { name: '3 days', pressed: true }))
  expect(main.askedFor('settings.setReminders')).toEqual([
    { enabled: true, days: [7, 3, 1, 14], keyDays: [60] },
    { enabled: true, days: [7, 1, 14], keyDays: [60] },
  ])
})

it('reminds of keys at the chosen ages, and never without one', async () => {
  const { main, user } = await renderReminders({ enabled: true, days: [], keyDays: [60] })
  const clickDays = async (count: number, pressed: boolean) =>
    user.click(
      await within(screen.getByRole('group', { name: 'Remind me about old keys' })).findByRole('button', {
        name: `${count} days`,
        pressed,
      }),
    )
  await clickDays(30, false)
  await clickDays(60, true)
  await clickDays(30, true)
  const savedDays = [[30, 60], [30], []].map((keyDays) => ({ keyDays }))
  expect(main.askedFor('settings.setReminders')).toMatchObject(savedDays)
})

it('keeps the days while reminders are off, but disables them', async () => {
  const { main, user } = await renderReminders({ enabled: true, days: [7], keyDays: [] })
  await user.click(screen.getByRole('switch', { name: /Notify me before a plan expires/ }))
  const day: HTMLButtonElement = await screen.findByRole('button', { name: '7 days', pressed: true })
  await expect.poll(() => day.disabled).toBe(true)
  expect(main.askedFor('settings.setReminders')).toEqual([{ enabled: false, days: [7], keyDays: [] }])
})

it('shows and copies runtime versions, licenses and data folder', async () => {
  const app = { version: '1.2.0', platform: 'linux', dataDir: '/data', vault: { kind: 'keychain' } } as const
  const licences = '/opt/companion/LICENSES.packages.txt'
  const fakeMain = installMain({
    'app.about': () => ({ electron: '33.2.1', chromium: '130.0', node: '20.18', isStandIn: true, licences }),
    'app.copyText': () => ({}),
  })
  await renderInApp(<AboutRow app={app} />, '/settings?about=1')
  const box = await screen.findByRole('dialog', { name: 'Platform Companion' })
  await within(box).findByText('Electron 33.2.1 · Chromium 130.0 · Node.js 20.18 (not the release runtime)')
  await userEvent.click(within(box).getByRole('button', { name: 'Copy details' }))
  const [copied] = fakeMain.askedFor('app.copyText')
  for (const expectedText of ['1.2.0', 'Electron 33.2.1', licences, '/data'])
    expect(copied).toMatchObject({ text: expect.stringContaining(expectedText) })
  await userEvent.click(within(box).getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

const release = {
  version: '1.3.0',
  releasedAt: '2026-11-01T00:00:00Z',
  notes: { en: '### Added\n\n- Faster with `companion`', vi: '- Nhanh hơn' },
  page: 'https://example.com/d',
}
const updatesView: UpdatesView = {
  version: '1.2.0',
  channel: 'stable',
  isAutomatic: true,
  by: 'app',
  state: { kind: 'idle' },
}
const ready: Partial<UpdatesView> = { state: { kind: 'ready', release, isAtQuit: false } }

async function renderUpdates(view: Partial<UpdatesView>) {
  const getView = (): UpdatesView => ({ ...updatesView, ...view })
  const fakeMain = installMain({
    'updates.get': getView,
    'updates.change': getView,
    'updates.download': getView,
    'updates.install': getView,
  })
  const { queries } = await renderInApp(<UpdatesSection />)
  await screen.findByText(/Installed: 1.2.0/)
  const change = (newView: UpdatesView): void => void queries.setQueryData(callKey('updates.get', {}), newView)
  return { main: fakeMain, user: userEvent.setup(), change }
}

const buttons = (): string[] => screen.queryAllByRole('button').map((button) => button.textContent ?? '')

it.each<[string, Partial<UpdatesView>, string, string[]]>([
  [
    'a build that does not look',
    { state: { kind: 'off', reason: 'build' } },
    'This build does not check for updates',
    [],
  ],
  ['no check yet', {}, 'Not checked yet', ['Check for updates']],
  ['nothing newer', { checkedAt: '2026-11-23T10:00:00Z' }, 'Up to date', ['Check for updates']],
  ['a newer one', { state: { kind: 'available', release } }, 'Version 1.3.0 is available', ['Download']],
  [
    'one that the system installs',
    { by: 'system', state: { kind: 'available', release } },
    'Version 1.3.0 is available',
    ['Open downloads'],
  ],
  [
    'a download',
    { state: { kind: 'downloading', release, doneBytes: 50_000_000, totalBytes: 100_000_000 } },
    'Downloading version 1.3.0',
    ['Cancel'],
  ],
  ['one that is ready', ready, 'Version 1.3.0 is ready to install', ['Install on quit', 'Restart to update']],
])('shows %s with the possible actions', async (_, view, title, offered) => {
  await renderUpdates(view)
  expect(screen.getByText(title)).toBeTruthy()
  expect(buttons().filter((name) => !['', 'Stable', 'Beta'].includes(name))).toEqual(offered)
})

it('installs, checks and downloads on request', async () => {
  const { main, user } = await renderUpdates(ready)
  await user.click(screen.getByRole('button', { name: 'Restart to update' }))
  await user.click(screen.getByRole('button', { name: 'Install on quit' }))
  expect(main.askedFor('updates.install')).toEqual([{ when: 'now' }, { when: 'atQuit' }])
})

it('explains a refused update', async () => {
  const failure = { code: 'updates.notSigned', message: 'no' } as const
  await renderUpdates({ state: { kind: 'failed', failure } })
  expect(screen.getByText('Couldn’t check for updates')).toBeTruthy()
  expect(screen.getByText('Update not trusted')).toBeTruthy()
})

it('retries a failed download', async () => {
  const failure = { code: 'updates.damaged', message: 'no' } as const
  const { main, user } = await renderUpdates({ state: { kind: 'failed', failure, release } })
  expect(screen.getByText('Couldn’t download version 1.3.0')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(main.askedFor('updates.download')).toEqual([{}])
})

it('promises no download when the system installs', async () => {
  await renderUpdates({ by: 'system' })
  expect(screen.getByRole('switch', { name: 'Check automatically' })).toBeTruthy()
})

it('shows release notes in the window’s language, with lists and headings', async () => {
  const { user, change } = await renderUpdates({ state: { kind: 'available', release } })
  await user.click(screen.getByText('What’s new in 1.3.0'))
  expect(await screen.findByRole('heading', { name: 'Added' })).toBeTruthy()
  expect((await screen.findByRole('listitem')).textContent).toBe('Faster with companion')
  await act(async () => {
    await setLocale('vi')
    change({ ...updatesView, state: { kind: 'available', release }, checkedAt: '2026-11-21T10:00:00.000Z' })
  })
  expect(await screen.findByText('Nhanh hơn')).toBeTruthy()
  await act(() => setLocale('en'))
})

it('saves the selected channel', async () => {
  const { main, user } = await renderUpdates({})
  await user.click(screen.getByRole('radio', { name: 'Beta' }))
  expect(main.askedFor('updates.change')).toEqual([{ channel: 'beta' }])
})

it.each<[string, Partial<UpdatesView>, string]>([
  ['a newer version', { state: { kind: 'available', release } }, 'Version 1.3.0 is availableView update'],
  ['a downloaded version', ready, 'Version 1.3.0 is ready to installView update'],
  ['an upgrade of the running app', { isReplaced: true }, 'Platform Companion was updatedRestart the app to finish.'],
])('the notice on Home names %s', async (_, view, text) => {
  installMain({ 'updates.get': () => ({ ...updatesView, ...view }) })
  const { container } = await renderInApp(<UpdateNotice />)
  await screen.findByText(/^(?:Version 1.3.0|Platform Companion)/)
  expect(container.textContent).toContain(text)
})
