import type { MethodOutput } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { AboutRow, Reminders } from '../../../../../src/renderer/features/settings/settings-page'
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
  expect(main.askedFor('settings.setReminders')).toMatchObject([
    { keyDays: [30, 60] },
    { keyDays: [30] },
    { keyDays: [] },
  ])
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
