import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { KeyReminders } from '../../../../../../src/renderer/features/keys/rotation/rotation-list'
import { installMain, renderInApp } from '../../../support/fake-main'

it('warns from the configured ages, and never without one', async () => {
  let days = [60]
  const fakeMain = installMain({
    'rotation.getReminders': () => ({ days }),
    'rotation.setReminders': (newReminders) => {
      days = newReminders.days
      return newReminders
    },
  })
  await renderInApp(<KeyReminders />)
  await userEvent.click(await screen.findByRole('button', { name: '30 days', pressed: false }))
  await userEvent.click(await screen.findByRole('button', { name: '60 days', pressed: true }))
  await userEvent.click(await screen.findByRole('button', { name: '30 days', pressed: true }))
  await waitFor(() => expect(days).toEqual([]))
  expect(fakeMain.askedFor('rotation.setReminders')).toEqual([{ days: [30, 60] }, { days: [30] }, { days: [] }])
})
