import type { RemindersView } from '@shared/contract'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { Reminders } from '../../../../../src/renderer/features/settings/settings-page'
import { installMain, renderInApp } from '../../support/fake-main'

async function open(kept: RemindersView) {
  let now = kept
  const main = installMain({
    'settings.getReminders': () => now,
    'settings.setReminders': (next) => {
      now = next
      return next
    },
  })
  await renderInApp(<Reminders />)
  await screen.findByRole('switch')
  return { main, user: userEvent.setup() }
}

it('adds and takes away a day', async () => {
  const { main, user } = await open({ enabled: true, days: [7, 3, 1] })
  await user.click(screen.getByRole('button', { name: '14 days' }))
  await user.click(await screen.findByRole('button', { name: '3 days', pressed: true }))
  expect(main.askedFor('settings.setReminders')).toEqual([
    { enabled: true, days: [7, 3, 1, 14] },
    { enabled: true, days: [7, 1, 14] },
  ])
})

it('keeps the days while reminders are off, but lets none be chosen', async () => {
  const { main, user } = await open({ enabled: true, days: [7] })
  await user.click(screen.getByRole('switch', { name: /Notify me before a plan expires/ }))
  const day: HTMLButtonElement = await screen.findByRole('button', { name: '7 days', pressed: true })
  await expect.poll(() => day.disabled).toBe(true)
  expect(main.askedFor('settings.setReminders')).toEqual([{ enabled: false, days: [7] }])
})
