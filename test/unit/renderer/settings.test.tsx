import type { Failure } from '@shared/failure'
import { act, screen } from '@testing-library/react'
import { it } from 'vitest'
import { useSettings, useUpdateSettings } from '../../../src/renderer/settings'
import { installMain, renderInApp } from './support/fake-main'
import { settingsView } from './support/views'

function Theme() {
  const { theme } = useSettings()
  const update = useUpdateSettings()
  return (
    <button type="button" onClick={() => void update({ theme: 'dark' }).catch(() => undefined)}>
      {theme}
    </button>
  )
}

it('shows a change immediately, before main has saved it', async () => {
  installMain({ 'settings.get': () => settingsView, 'settings.update': () => new Promise(() => undefined) })
  await renderInApp(<Theme />)
  await screen.findByText('light')
  act(() => screen.getByRole('button').click())
  await screen.findByText('dark')
})

it('reverts a change that main could not save', async () => {
  let rejectUpdate: (() => void) | undefined
  const answer = new Promise<Failure>((resolve) => {
    rejectUpdate = () => resolve({ code: 'file.unwritable', message: 'The disk is full.' })
  })
  installMain({ 'settings.get': () => settingsView, 'settings.update': () => answer })
  await renderInApp(<Theme />)
  await screen.findByText('light')
  act(() => screen.getByRole('button').click())
  await screen.findByText('dark')
  rejectUpdate?.()
  await screen.findByText('light')
})
