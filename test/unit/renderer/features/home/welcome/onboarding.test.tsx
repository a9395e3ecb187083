import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { WelcomePage } from '../../../../../../src/renderer/features/home/welcome/onboarding'
import { createPageRenderer } from '../../../support/fake-main'
import { createDeferred } from '../../../support/later'
import { appView, settingsView } from '../../../support/views'

const renderPage = createPageRenderer(<WelcomePage />, '/welcome', {
  'app.get': () => appView,
  'settings.update': () => settingsView,
})
const clickStartButton = (name: RegExp) => userEvent.click(screen.getByRole('button', { name }))

describe('the first screen', () => {
  it('shows that the sandbox is starting, and starts it only once', async () => {
    const { promise, answer } = createDeferred<{ state: 'running' }>()
    const { main, place } = await renderPage({ 'sandbox.open': () => promise })
    await clickStartButton(/Explore with the sandbox/)
    await screen.findByText('Starting the sandbox…')
    await clickStartButton(/Explore with the sandbox/)
    answer({ state: 'running' })
    await waitFor(() => expect(place()).toBe('/tools'))
    expect(main.askedFor('sandbox.open')).toHaveLength(1)
  })

  it('stays when the port is in use, and uses another one on request', async () => {
    const { main, place } = await renderPage({
      'sandbox.open': ({ anotherPort }) =>
        anotherPort ? { state: 'running' } : { code: 'sandbox.portInUse', message: 'Port 4860 is in use.' },
    })
    await clickStartButton(/Explore with the sandbox/)
    await screen.findByRole('alert')
    expect(place()).toBe('/welcome')
    expect(main.askedFor('settings.update')).toEqual([])
    await clickStartButton(/another port/i)
    await waitFor(() => expect(place()).toBe('/tools'))
    expect(main.askedFor('sandbox.open')).toEqual([{}, { anotherPort: true }])
  })

  it.each([
    ['a key that was handed over', /I have a key/, '/plans/new'],
    ['a platform', /Connect a platform/, '/connections?new'],
    ['none yet', /Skip for now/, '/'],
  ])('continues from %s and does not appear again', async (_name, button, path) => {
    const { main, place } = await renderPage()
    await clickStartButton(button)
    await waitFor(() => expect(place()).toBe(path))
    expect(main.askedFor('settings.update')).toEqual([{ welcomed: true }])
  })

  it('continues even if the setting cannot be saved', async () => {
    const { place } = await renderPage({
      'settings.update': () => ({ code: 'file.unwritable', message: 'Disk full.' }),
    })
    await clickStartButton(/I have a key/)
    await waitFor(() => expect(place()).toBe('/plans/new'))
  })

  it('warns that keys will not outlive the app without a keychain', async () => {
    const vault = { kind: 'session', reason: 'No service.', install: 'apt install gnome-keyring' } as const
    await renderPage({ 'app.get': () => ({ ...appView, vault }) })
    await screen.findByText(/lost when you quit/)
    expect(screen.getByText(/gnome-keyring/)).toBeTruthy()
    expect(screen.queryByText(/Keys stay in/)).toBeNull()
  })
})
