import type { UpdatesView } from '@shared/contract'
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { UpdateNotice } from '../../../../../src/renderer/features/settings'
import { UpdatesSection } from '../../../../../src/renderer/features/settings/settings-page'
import { setLocale } from '../../../../../src/renderer/i18n'
import { installMain, renderInApp } from '../../support/fake-main'

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

async function renderPage(view: Partial<UpdatesView>) {
  const getView = (): UpdatesView => ({ ...updatesView, ...view })
  const fakeMain = installMain({
    'updates.get': getView,
    'updates.change': getView,
    'updates.download': getView,
    'updates.install': getView,
  })
  await renderInApp(<UpdatesSection />)
  await screen.findByText(/Installed: 1.2.0/)
  return { main: fakeMain, user: userEvent.setup() }
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
  await renderPage(view)
  expect(screen.getByText(title)).toBeTruthy()
  expect(buttons().filter((name) => !['', 'Stable', 'Beta'].includes(name))).toEqual(offered)
})

it('installs, checks and downloads on request', async () => {
  const { main, user } = await renderPage(ready)
  await user.click(screen.getByRole('button', { name: 'Restart to update' }))
  await user.click(screen.getByRole('button', { name: 'Install on quit' }))
  expect(main.askedFor('updates.install')).toEqual([{ when: 'now' }, { when: 'atQuit' }])
})

it('explains a refused update', async () => {
  const failure = { code: 'updates.notSigned', message: 'no' } as const
  await renderPage({ state: { kind: 'failed', failure } })
  expect(screen.getByText('Couldn’t check for updates')).toBeTruthy()
  expect(screen.getByText('Update not trusted')).toBeTruthy()
})

it('retries a failed download', async () => {
  const failure = { code: 'updates.damaged', message: 'no' } as const
  const { main, user } = await renderPage({ state: { kind: 'failed', failure, release } })
  expect(screen.getByText('Couldn’t download version 1.3.0')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(main.askedFor('updates.download')).toEqual([{}])
})

it('promises no download when the system installs', async () => {
  await renderPage({ by: 'system' })
  expect(screen.getByRole('switch', { name: 'Check automatically' })).toBeTruthy()
})

it('shows release notes in the window’s language, with lists and headings', async () => {
  const { user } = await renderPage({ state: { kind: 'available', release } })
  await user.click(screen.getByText('What’s new in 1.3.0'))
  expect(await screen.findByRole('heading', { name: 'Added' })).toBeTruthy()
  expect((await screen.findByRole('listitem')).textContent).toBe('Faster with companion')
  await act(() => setLocale('vi'))
  expect((await screen.findByRole('listitem')).textContent).toBe('Nhanh hơn')
  await act(() => setLocale('en'))
})

it('saves the selected channel', async () => {
  const { main, user } = await renderPage({})
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
