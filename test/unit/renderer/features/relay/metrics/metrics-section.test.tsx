import type { MetricsView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { MetricsSection } from '../../../../../../src/renderer/features/relay/metrics/metrics-section'
import { chooseOption, installMain, renderInApp } from '../../../support/fake-main'

function install() {
  let currentMetrics: MetricsView = { prometheus: { isOn: false, address: 'http://127.0.0.1:4870/metrics' } }
  const fakeMain = installMain({
    'metrics.get': () => currentMetrics,
    'metrics.setPrometheus': ({ isOn }) => {
      currentMetrics = { ...currentMetrics, prometheus: { ...currentMetrics.prometheus, isOn } }
      return currentMetrics
    },
    'metrics.takeSecret': () => ({ pendingId: 'held', masked: 'ab...yz' }),
    'metrics.setOtlp': ({ pendingId, ...otlp }) => {
      currentMetrics = { ...currentMetrics, otlp: { ...otlp, hasSecret: pendingId !== undefined } }
      return currentMetrics
    },
    'metrics.removeOtlp': () => {
      const { otlp: _, ...rest } = currentMetrics
      currentMetrics = rest
      return currentMetrics
    },
  })
  return { main: fakeMain, user: userEvent.setup() }
}

it('shows the Prometheus address once enabled', async () => {
  const { user } = install()
  await renderInApp(<MetricsSection />)
  await user.click(await screen.findByRole('switch', { name: 'Serve metrics for Prometheus' }))
  await screen.findByText('http://127.0.0.1:4870/metrics')
  await screen.findByRole('button', { name: 'Copy token' })
})

it('saves a collector with its sign-in, without the secret, and removes it', async () => {
  const { main, user } = install()
  await renderInApp(<MetricsSection />)
  await user.click(await screen.findByRole('button', { name: 'Set collector…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.findByText('Enter the address of a collector.')
  await user.type(dialog.getByLabelText('Collector address'), 'https://otlp.example.com')
  await chooseOption('Sign-in', 'Custom header')
  await user.type(dialog.getByLabelText('Header name'), 'x-key')
  await user.click(dialog.getByRole('button', { name: 'Paste' }))
  await dialog.findByText('ab...yz')
  await user.click(dialog.getByRole('switch', { name: 'Send spans' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText('Metrics and spans')
  const auth = { kind: 'header', name: 'x-key' }
  expect(main.askedFor('metrics.setOtlp')).toEqual([
    { endpoint: 'https://otlp.example.com', sendsSpans: true, auth, pendingId: 'held' },
  ])
  await user.click(screen.getByRole('button', { name: 'Stop sending' }))
  await waitFor(() => expect(screen.queryByText('Metrics and spans')).toBeNull())
})
