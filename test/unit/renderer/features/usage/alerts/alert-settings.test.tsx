import type { WebhookView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { WebhookSection } from '../../../../../../src/renderer/features/usage/alerts/alert-settings'
import { Toaster } from '../../../../../../src/renderer/main'
import { daysFromNow } from '../../../support/account'
import { installMain, renderInApp } from '../../../support/fake-main'

const saved = { origin: 'https://hooks.slack.com', format: 'slack', hasToken: false, pendingCount: 0 } as const

function install(view: WebhookView, isFailing = false) {
  let current = view
  let count = 0
  const main = installMain({
    'alerts.webhook': () => current,
    'alerts.takeWebhookSecret': () => {
      count += 1
      return { pendingId: `held-${count}`, masked: `...${count}` }
    },
    'alerts.setWebhook': ({ format, hasToken }) => {
      current = { webhook: { ...saved, format, hasToken } }
      return current
    },
    'alerts.removeWebhook': () => {
      current = {}
      return current
    },
    'alerts.testWebhook': () =>
      isFailing ? { code: 'webhook.rejected', message: 'Rejected (404).', status: 404 } : { durationMs: 120 },
  })
  return { main, user: userEvent.setup() }
}

it('saves a webhook from the clipboard, tests it and removes it', async () => {
  const { main, user } = install({})
  await renderInApp(
    <>
      <WebhookSection />
      <Toaster theme="light" label="Notifications" />
    </>,
  )
  await user.click(await screen.findByRole('button', { name: 'Set webhook…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
  await user.click(dialog.getByRole('button', { name: 'Paste' }))
  await dialog.findByText('...1')
  await user.click(dialog.getByRole('combobox', { name: 'Format' }))
  await user.click(await screen.findByRole('option', { name: 'JSON (other services)' }))
  await user.click(dialog.getByRole('switch', { name: 'Send a bearer token' }))
  await user.click(dialog.getByRole('button', { name: 'Paste' }))
  await dialog.findByText('...2')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await screen.findByText('https://hooks.slack.com')
  expect(main.askedFor('alerts.setWebhook')).toEqual([
    { format: 'json', hasToken: true, addressId: 'held-1', tokenId: 'held-2' },
  ])
  screen.getByText('Nothing sent yet')
  await user.click(screen.getByRole('button', { name: 'Send test' }))
  await screen.findByText('Test message delivered in 120 ms')
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByText('https://hooks.slack.com')).toBeNull())
})

it('shows the last delivery, waiting messages and the last failure', async () => {
  const failure = { code: 'net.timeout', message: 'No answer.' } as const
  const lastFailure = { at: daysFromNow(-0.01), failure }
  install({ webhook: { ...saved, pendingCount: 2, lastSentAt: daysFromNow(-1), lastFailure } })
  await renderInApp(<WebhookSection />)
  await screen.findByText('2 messages waiting')
  screen.getByText(/^Last sent/)
  screen.getByText(/^Last message not delivered/)
  screen.getByText('Request timed out')
})

it('explains a failed test', async () => {
  const { user } = install({ webhook: saved }, true)
  await renderInApp(<WebhookSection />)
  await user.click(await screen.findByRole('button', { name: 'Send test' }))
  await screen.findByText('The webhook rejected the alert')
})
