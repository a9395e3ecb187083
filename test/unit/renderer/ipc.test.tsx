import { act, screen, waitFor } from '@testing-library/react'
import { useNavigate } from 'react-router'
import { describe, expect, it } from 'vitest'
import { call, callKey, useAction, useCall, useMainNavigation } from '../../../src/renderer/ipc'
import { expectFailure } from '../support/failures'
import { installMain, renderInApp } from './support/fake-main'
import { plan } from './support/views'

it('call rejects with CallError even when the bridge itself fails', async () => {
  Object.assign(window, { companion: { call: () => Promise.reject(new Error('gone')), on: () => () => undefined } })
  await expectFailure(call('app.get', {}), 'internal.unexpected')
})

function Plans() {
  const plans = useCall('plans.list', {})
  return <p>{plans.data ? plans.data.map(({ name }) => name).join() : (plans.error?.failure.code ?? 'loading')}</p>
}

function MainNavigation() {
  useMainNavigation(useNavigate())
  return null
}

it('useCall shows a failure without a retry', async () => {
  const fakeMain = installMain({ 'plans.list': () => ({ code: 'internal.unexpected', message: 'No.' }) })
  await renderInApp(<Plans />)
  await screen.findByText('internal.unexpected')
  expect(fakeMain.askedFor('plans.list')).toHaveLength(1)
})

function Holders() {
  const keys = useCall('register.list', {})
  return <p>{keys.data ? 'keys' : 'loading'}</p>
}

it('the keys of all plans are reloaded when a plan they are merged with changed', async () => {
  const failure = { code: 'net.timeout', message: 'no' } as const
  const fakeMain = installMain({ 'register.list': () => [], 'plans.check': () => failure })
  await renderInApp(
    <>
      <Holders />
      <CheckProbe />
    </>,
  )
  await screen.findByText('keys')
  act(() => screen.getByRole('button').click())
  await waitFor(() => expect(fakeMain.askedFor('register.list')).toHaveLength(2))
})

function CheckProbe() {
  const update = useAction('plans.check', { invalidates: ['plans'] })
  return (
    <button type="button" onClick={() => update.mutate({ planId: 'p1' })}>
      check
    </button>
  )
}

it('useAction reloads the domains it invalidates, even after a failure', async () => {
  const names = ['before', 'after']
  installMain({
    'plans.list': () => [plan({ name: names.shift() ?? 'too often' })],
    'plans.check': () => ({ code: 'vault.keyMissing', message: 'No key.' }),
  })
  await renderInApp(
    <>
      <Plans />
      <CheckProbe />
    </>,
  )
  await screen.findByText('before')
  act(() => screen.getByText('check').click())
  await screen.findByText('after')
})

describe('events from main', () => {
  it('reload changed domains only', async () => {
    const names = ['before', 'after']
    const fakeMain = installMain({ 'plans.list': () => [plan({ name: names.shift() ?? 'too often' })] })
    await renderInApp(<Plans />)
    await screen.findByText('before')
    act(() => fakeMain.tell('data.changed', { domains: ['tools', 'settings'] }))
    expect(fakeMain.askedFor('plans.list')).toHaveLength(1)
    act(() => fakeMain.tell('data.changed', { domains: ['plans'] }))
    await screen.findByText('after')
  })

  it('update the state of the sandbox', async () => {
    const fakeMain = installMain({})
    const { queries } = await renderInApp(<MainNavigation />)
    act(() => fakeMain.tell('sandbox.changed', { state: 'starting' }))
    expect(queries.getQueryData(callKey('sandbox.get', {}))).toEqual({ state: 'starting' })
  })

  it('navigate on request', async () => {
    const fakeMain = installMain({})
    const { place } = await renderInApp(<MainNavigation />)
    act(() => fakeMain.tell('window.navigate', { path: '/settings' }))
    await waitFor(() => expect(place()).toBe('/settings'))
  })

  it('are ignored after the window is closed', async () => {
    const fakeMain = installMain({})
    const { unmount, place } = await renderInApp(<MainNavigation />)
    const listenerCount = fakeMain.listeners.size
    expect(place()).toBe('/')
    unmount()
    expect(fakeMain.listeners.size).toBe(listenerCount - 1)
  })
})
