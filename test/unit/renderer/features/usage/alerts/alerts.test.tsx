import type { AlertView, AlertSettings as Settings, WebhookView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it, test } from 'vitest'
import {
  AlertSection,
  findMuteReason,
  WebhookSection,
} from '../../../../../../src/renderer/features/usage/alerts/alert-settings'
import { AlertsPage } from '../../../../../../src/renderer/features/usage/alerts/alerts-page'
import { daysFromNow } from '../../../support/account'
import { chooseOption, installMain, renderInApp } from '../../../support/fake-main'
import { withToasts } from '../../../support/toasts'
import { plan } from '../../../support/views'

const storedSettings: Settings = {
  enabled: true,
  thresholds: [80, 95, 100],
  forecast: true,
  errorBursts: true,
  snoozed: [],
  mutedPlans: [],
}
const buildAlert = (overrides: Partial<AlertView> = {}): AlertView => ({
  id: 'a1',
  kind: 'threshold',
  planId: 'p1',
  planName: 'team',
  modelCode: 'large',
  allowance: 'tokens',
  percent: 95,
  at: daysFromNow(-0.1),
  ...overrides,
})

async function renderAlerts(page: ReactNode, settings: Settings, alerts: readonly AlertView[] = []) {
  let currentSettings = settings
  const fakeMain = installMain({
    'alerts.settings': () => currentSettings,
    'alerts.setSettings': (newSettings) => {
      currentSettings = { ...currentSettings, ...newSettings }
      return currentSettings
    },
    'alerts.snooze': ({ hours, ...silenced }) => {
      currentSettings = { ...currentSettings, snoozed: [{ ...silenced, until: daysFromNow(hours / 24) }] }
      return currentSettings
    },
    'alerts.wake': () => {
      currentSettings = { ...currentSettings, snoozed: [] }
      return currentSettings
    },
    'alerts.list': () => [...alerts],
    'plans.list': () => [plan(), plan({ id: 'p2', name: 'second' })],
    'quota.list': () => [],
  })
  await renderInApp(page)
  return { main: fakeMain, user: userEvent.setup() }
}

describe('the alerts', () => {
  it('are shown in pages', async () => {
    const alerts = Array.from({ length: 60 }, (_, index) => buildAlert({ id: `a${index}` }))
    const { user } = await renderAlerts(<AlertsPage />, storedSettings, alerts)
    await screen.findAllByRole('listitem')
    expect(screen.getAllByRole('listitem')).toHaveLength(25)
    await user.click(screen.getByRole('button', { name: 'Show more (35 left)' }))
    await user.click(screen.getByRole('button', { name: 'Show more (10 left)' }))
    expect(screen.getAllByRole('listitem')).toHaveLength(60)
    expect(screen.queryByRole('button', { name: /^Show more/ })).toBeNull()
  })

  it('are described, each with a next step', async () => {
    await renderAlerts(<AlertsPage />, storedSettings, [
      buildAlert(),
      buildAlert({ id: 'a2', percent: 100, allowance: 'requests' }),
      buildAlert({ id: 'a3', kind: 'errorBurst', at: '2026-11-21T10:00:00.000Z' }),
    ])
    await screen.findByText('95% of the token quota of large used')
    expect(screen.getByText('large has no requests left')).toBeTruthy()
    const errors = screen.getByRole('link', { name: 'Requests to large are failing' })
    const { searchParams } = new URL(errors.getAttribute('href') ?? '', 'https://window.invalid')
    expect(Object.fromEntries(searchParams)).toEqual({
      scope: 'machine',
      plan: 'p1',
      model: 'large',
      errors: '1',
      since: '2026-11-21T09:30:00.000Z',
      until: '2026-11-21T10:00:00.000Z',
    })
  })

  it('can be snoozed by model or plan, and woken', async () => {
    const { main, user } = await renderAlerts(<AlertsPage />, storedSettings, [buildAlert()])
    await user.click(await screen.findByRole('button', { name: 'Snooze alerts of large of team' }))
    await user.click(screen.getAllByRole('menuitem', { name: 'For 3 days' })[1] ?? document.body)
    await user.click(await screen.findByRole('button', { name: 'Unsnooze alerts of team, all models' }))
    await screen.findByRole('button', { name: 'Snooze alerts of large of team' })
    expect(main.askedFor('alerts.snooze')).toEqual([{ planId: 'p1', hours: 72 }])
    expect(main.askedFor('alerts.wake')).toEqual([{ planId: 'p1' }])
  })

  const snooze = { planId: 'p1', until: daysFromNow(1) }
  test.each([
    ['a muted plan', { mutedPlans: ['p1'], snoozed: [] }, 'muted'],
    ['a snooze of the whole plan', { mutedPlans: [], snoozed: [snooze] }, 'snoozed'],
    ['a snooze of the model', { mutedPlans: [], snoozed: [{ ...snooze, modelCode: 'large' }] }, 'snoozed'],
    ['a snooze of another model', { mutedPlans: [], snoozed: [{ ...snooze, modelCode: 'fast' }] }, undefined],
    ['a snooze that is over', { mutedPlans: [], snoozed: [{ ...snooze, until: daysFromNow(-1) }] }, undefined],
  ])('are silenced by %s correctly', (_, settings, kind) => {
    const reason = findMuteReason(buildAlert(), settings, new Date())
    expect(reason === 'muted' ? reason : reason && 'snoozed').toBe(kind)
  })
})

describe('alert settings', () => {
  it('change one value and keep the others', async () => {
    const { main, user } = await renderAlerts(<AlertSection />, storedSettings)
    await user.click(await screen.findByRole('button', { name: '90%' }))
    await user.click(await screen.findByRole('switch', { name: 'When requests keep failing' }))
    const { snoozed, ...rest } = storedSettings
    await main.waitForCalls('alerts.setSettings', [
      { ...rest, thresholds: [80, 95, 100, 90] },
      { ...rest, thresholds: [80, 95, 100, 90], errorBursts: false },
    ])
  })

  it('list muted and snoozed plans, and end it', async () => {
    const { main, user } = await renderAlerts(<AlertSection />, {
      ...storedSettings,
      mutedPlans: ['p2'],
      snoozed: [{ planId: 'p1', modelCode: 'large', until: daysFromNow(1) }],
    })
    await user.click(await screen.findByRole('button', { name: 'Unmute second' }))
    await user.click(screen.getByRole('button', { name: 'Unsnooze alerts of large of team' }))
    await waitFor(() => expect(screen.queryByRole('list', { name: 'Snoozed' })).toBeNull())
    expect(main.askedFor('alerts.wake')).toEqual([{ planId: 'p1', modelCode: 'large' }])
    expect(main.askedFor('alerts.setSettings')).toMatchObject([{ mutedPlans: [] }])
  })
})

const saved = { origin: 'https://hooks.slack.com', format: 'slack', hasToken: false, pendingCount: 0 } as const

function installWebhook(view: WebhookView, isFailing = false) {
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
  const { main, user } = installWebhook({})
  await renderInApp(withToasts(<WebhookSection />))
  await user.click(await screen.findByRole('button', { name: 'Set webhook…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
  await user.click(dialog.getByRole('button', { name: 'Paste' }))
  await dialog.findByText('...1')
  await chooseOption('Format', 'JSON (other services)')
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
  installWebhook({ webhook: { ...saved, pendingCount: 2, lastSentAt: daysFromNow(-1), lastFailure } })
  await renderInApp(<WebhookSection />)
  await screen.findByText('2 messages waiting')
  screen.getByText(/^Last sent/)
  screen.getByText(/^Last message not delivered/)
  screen.getByText('Request timed out')
})

it('explains a failed test', async () => {
  const { user } = installWebhook({ webhook: saved }, true)
  await renderInApp(<WebhookSection />)
  await user.click(await screen.findByRole('button', { name: 'Send test' }))
  await screen.findByText('The webhook rejected the alert')
})
