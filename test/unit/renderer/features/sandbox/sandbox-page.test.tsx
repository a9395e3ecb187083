import type { SandboxEvent, SandboxRequestView, SandboxView, SandboxWorldView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { SandboxPage } from '../../../../../src/renderer/features/sandbox/sandbox-page'
import { expectLink, installMain, renderInApp, replaceText } from '../../support/fake-main'
import { buildAppliedSetup, plan, tool } from '../../support/views'

interface Overrides {
  readonly happened?: SandboxEvent[]
  readonly world?: SandboxWorldView
}

const runningSandbox: SandboxView = { state: 'running', gatewayUrl: 'http://127.0.0.1:4860', planId: 'p1' }
const usedTool = tool({ applied: buildAppliedSetup({ requestAddress: 'http://127.0.0.1:4860/v1/messages' }) })

const request = (n: number, overrides: Partial<SandboxRequestView>): SandboxRequestView => ({
  n,
  area: 'gateway',
  at: '2026-11-21T08:00:00.000Z',
  method: 'POST',
  path: '/v1/messages',
  status: 200,
  durationMs: 12,
  ...overrides,
})
const requests: readonly SandboxRequestView[] = [
  request(1, { modelCode: 'large', inputTokens: 10, outputTokens: 20 }),
  request(2, { path: '/v1/chat/completions', status: 403 }),
]

const sandboxPlan = {
  name: 'sandbox-pro',
  status: 'ACTIVE',
  expiresAt: '2026-12-21T08:00:00.000Z',
  autoRenew: true,
  total: 490_000,
} as const
const firstDay: SandboxWorldView = {
  clock: '2026-11-21T08:00:00.000Z',
  aheadMs: 0,
  role: 'ROOT',
  credits: 1_000_000,
  plan: sandboxPlan,
}

async function renderSandbox(initialView: SandboxView = runningSandbox, overrides: Overrides = {}) {
  const { happened = [], world: initialWorld = firstDay } = overrides
  let currentView = initialView
  let world = initialWorld
  const fakeMain = installMain({
    'sandbox.get': () => currentView,
    'sandbox.open': ({ anotherPort }) => {
      currentView = { ...runningSandbox, gatewayUrl: anotherPort ? 'http://127.0.0.1:50123' : 'http://127.0.0.1:4860' }
      return currentView
    },
    'sandbox.stop': () => {
      currentView = { state: 'stopped' }
      return currentView
    },
    'sandbox.requests': () => [...requests],
    'sandbox.simulate': ({ situation }) => {
      currentView = { ...currentView, situation }
      return currentView
    },
    'sandbox.world': () => world,
    'sandbox.moveClock': () => {
      world = { ...world, clock: '2026-11-28T08:00:00.000Z', aheadMs: 7 * 86_400_000 }
      return { world, happened }
    },
    'sandbox.setAccount': ({ role = world.role, credits = world.credits }) => {
      world = { ...world, role, credits }
      return world
    },
    'plans.list': () => [plan({ name: 'sandbox', source: 'sandbox' })],
    'tools.list': () => [usedTool],
  })
  await renderInApp(<SandboxPage />)
  return fakeMain
}

describe('the sandbox', () => {
  it('starts from its empty page and lists its requests, newest first', async () => {
    await renderSandbox({ state: 'stopped' })
    await userEvent.click(await screen.findByRole('button', { name: 'Start sandbox' }))
    await screen.findByRole('table', { name: 'Requests' })
    const rows = screen.getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining('/v1/chat/completions'),
      expect.stringContaining('/v1/messages'),
    ])
  })

  it('has one restart button when another sandbox uses its state', async () => {
    await renderSandbox({ state: 'failed', failure: { code: 'sandbox.stateInUse', message: 'sandbox.json' } })
    await screen.findByText('Another sandbox uses the same state file')
    const alert = screen.getByRole('alert')
    const buttons = within(alert).getAllByRole('button')
    expect(buttons.map(({ textContent }) => textContent)).toEqual(['More about this error', 'Start the sandbox'])
  })

  it('offers another port when its own is in use', async () => {
    const fakeMain = await renderSandbox({ state: 'failed', failure: { code: 'sandbox.portInUse', message: '4860' } })
    await userEvent.click(await screen.findByRole('button', { name: 'Start on another port' }))
    await screen.findByText('http://127.0.0.1:50123')
    expect(fakeMain.askedFor('sandbox.open')).toEqual([{ anotherPort: true }])
  })

  it('applies a scenario, marks it, and links to the affected tool', async () => {
    const fakeMain = await renderSandbox()
    await userEvent.click(await screen.findByRole('radio', { name: /Key disabled/ }))
    await fakeMain.waitForCalls('sandbox.simulate', [{ situation: 'keyDisabled' }])
    await screen.findByText('Active')
    await expectLink('Test Claude Code', '/tools/claude-code?verify=1')
  })

  it('names the tools that would stop before it stops', async () => {
    const fakeMain = await renderSandbox()
    await userEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    const confirmDialog = await screen.findByRole('alertdialog')
    expect(confirmDialog.textContent).toContain('Claude Code')
    expect(fakeMain.askedFor('sandbox.stop')).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Stop sandbox' }))
    await screen.findByText('Sandbox not running')
  })

  it('moves the clock and shows the result', async () => {
    const fakeMain = await renderSandbox(runningSandbox, {
      happened: [
        { kind: 'renewed', plan: 'sandbox-pro', charged: 490_000, expiresAt: '2027-01-20T08:00:00.000Z' },
        { kind: 'expired', plan: 'team', why: 'notRenewed' },
      ],
    })
    await screen.findByText('Same as this computer')
    await userEvent.click(screen.getByRole('button', { name: '1 week' }))
    await screen.findByText('7 days ahead of this computer')
    expect(fakeMain.askedFor('sandbox.moveClock')).toEqual([{ step: 'week' }])
    screen.getByText('sandbox-pro renewed until Jan 20, 2027 for ₫490,000.')
    screen.getByText('team expired: auto-renew was off. Its keys no longer work.')
  })

  it('shows that nothing happened', async () => {
    await renderSandbox()
    await userEvent.click(await screen.findByRole('button', { name: '1 hour' }))
    await screen.findByText('No plans changed.')
  })

  it.each([
    ['30 days ahead', '2026-12-21T08:00:00.000Z', 2],
    ['hours ahead', '2026-11-21T20:00:00.000Z', 1],
    ['over', '2026-11-21T07:59:59.000Z', 0],
  ])('offers the time steps when the expiry is %s', async (_when, expiresAt, count) => {
    await renderSandbox(runningSandbox, { world: { ...firstDay, plan: { ...sandboxPlan, expiresAt } } })
    await screen.findByRole('button', { name: '1 hour' })
    expect(screen.queryAllByRole('button', { name: /sandbox-pro/ })).toHaveLength(count)
  })

  it.each([
    ['250.000{Enter}', 250_000, 'Not enough to renew sandbox-pro at ₫490,000.'],
    ['490,000{Tab}', 490_000, 'Enough to renew sandbox-pro once at ₫490,000.'],
    ['0{Enter}', 0, 'Not enough to renew sandbox-pro at ₫490,000.'],
  ])('parses credits typed as %s', async (typed, credits, text) => {
    const fakeMain = await renderSandbox()
    const field = await screen.findByRole('textbox', { name: 'Credits in VND' })
    await replaceText(field, typed)
    await screen.findByText(text)
    expect(fakeMain.askedFor('sandbox.setAccount')).toEqual([{ credits }])
  })

  it.each(['250000{Escape}', '{Enter}', 'many{Enter}', '1000000{Enter}'])(
    'keeps the credits after %s',
    async (typed) => {
      const fakeMain = await renderSandbox()
      const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Credits in VND' })
      await replaceText(field, typed)
      await waitFor(() => expect(field.value).toBe('₫1,000,000'))
      expect(fakeMain.askedFor('sandbox.setAccount')).toEqual([])
    },
  )
})
