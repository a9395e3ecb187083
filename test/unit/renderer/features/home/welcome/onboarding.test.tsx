import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { WelcomePage } from '../../../../../../src/renderer/features/home/welcome/onboarding'
import { installMain, renderInApp } from '../../../support/fake-main'
import { appView, settingsView } from '../../../support/views'

const commonMethods = { 'app.get': () => appView, 'settings.update': () => settingsView }
const clickStartButton = (name: RegExp) => userEvent.click(screen.getByRole('button', { name }))

describe('the first screen', () => {
  it('opens the sandbox and goes to the tools', async () => {
    const fakeMain = installMain({ ...commonMethods, 'sandbox.open': () => ({ state: 'running', planId: 'p1' }) })
    const { place } = await renderInApp(<WelcomePage />, '/welcome')
    await clickStartButton(/Explore with the sandbox/)
    await waitFor(() => expect(place()).toBe('/tools'))
    expect(fakeMain.askedFor('sandbox.open')).toEqual([{}])
    expect(fakeMain.askedFor('settings.update')).toEqual([{ welcomed: true }])
  })

  it('shows that the sandbox is starting, and starts it only once', async () => {
    let finishUpdate: (() => void) | undefined
    const runningSandbox = new Promise<{ state: 'running' }>((resolve) => {
      finishUpdate = () => resolve({ state: 'running' })
    })
    const fakeMain = installMain({ ...commonMethods, 'sandbox.open': () => runningSandbox })
    const { place } = await renderInApp(<WelcomePage />, '/welcome')
    await clickStartButton(/Explore with the sandbox/)
    await screen.findByText('Starting the sandbox…')
    await clickStartButton(/Explore with the sandbox/)
    finishUpdate?.()
    await waitFor(() => expect(place()).toBe('/tools'))
    expect(fakeMain.askedFor('sandbox.open')).toHaveLength(1)
  })

  it('stays when the port is in use, and uses another one on request', async () => {
    const fakeMain = installMain({
      ...commonMethods,
      'sandbox.open': ({ anotherPort }) =>
        anotherPort ? { state: 'running' } : { code: 'sandbox.portInUse', message: 'Port 4860 is in use.' },
    })
    const { place } = await renderInApp(<WelcomePage />, '/welcome')
    await clickStartButton(/Explore with the sandbox/)
    await screen.findByRole('alert')
    expect(place()).toBe('/welcome')
    expect(fakeMain.askedFor('settings.update')).toEqual([])
    await clickStartButton(/another port/i)
    await waitFor(() => expect(place()).toBe('/tools'))
    expect(fakeMain.askedFor('sandbox.open')).toEqual([{}, { anotherPort: true }])
  })

  it.each([
    ['a key that was handed over', /I have a key/, '/plans/new'],
    ['a platform', /Connect a platform/, '/connections?new'],
    ['none yet', /Skip for now/, '/'],
  ])('continues from %s and does not appear again', async (_name, button, path) => {
    const fakeMain = installMain(commonMethods)
    const { place } = await renderInApp(<WelcomePage />, '/welcome')
    await clickStartButton(button)
    await waitFor(() => expect(place()).toBe(path))
    expect(fakeMain.askedFor('settings.update')).toEqual([{ welcomed: true }])
  })

  it('continues even if the setting cannot be saved', async () => {
    installMain({ ...commonMethods, 'settings.update': () => ({ code: 'file.unwritable', message: 'Disk full.' }) })
    const { place } = await renderInApp(<WelcomePage />, '/welcome')
    await clickStartButton(/I have a key/)
    await waitFor(() => expect(place()).toBe('/plans/new'))
  })

  it('warns that keys will not outlive the app without a keychain', async () => {
    installMain({
      ...commonMethods,
      'app.get': () => ({
        ...appView,
        vault: { kind: 'session', reason: 'No service.', install: 'apt install gnome-keyring' },
      }),
    })
    await renderInApp(<WelcomePage />, '/welcome')
    await screen.findByText(/lost when you quit/)
    expect(screen.getByText(/gnome-keyring/)).toBeTruthy()
    expect(screen.queryByText(/Keys stay in/)).toBeNull()
  })
})
