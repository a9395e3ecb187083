import type { SandboxView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { SandboxPage } from '../../../../../src/renderer/features/sandbox/sandbox-page'
import { installMain, renderInApp } from '../../support/fake-main'
import { plan, tool } from '../../support/views'

const running: SandboxView = { state: 'running', gatewayUrl: 'http://127.0.0.1:4860', planId: 'p1' }
const inUse = tool({
  applied: {
    planId: 'p1',
    modelCode: 'large',
    smallModelCode: 'large',
    delivery: 'helper',
    requestAddress: 'http://127.0.0.1:4860/v1/messages',
    at: '2026-11-21T08:00:00.000Z',
  },
})

function install(first: SandboxView) {
  let now = first
  return installMain({
    'sandbox.get': () => now,
    'sandbox.open': ({ anotherPort }) => {
      now = { ...running, gatewayUrl: anotherPort ? 'http://127.0.0.1:50123' : 'http://127.0.0.1:4860' }
      return now
    },
    'sandbox.stop': () => {
      now = { state: 'stopped' }
      return now
    },
    'sandbox.requests': () => [
      { n: 1, at: '2026-11-21T08:00:00.000Z', method: 'POST', path: '/v1/messages', status: 200, durationMs: 12 },
      {
        n: 2,
        at: '2026-11-21T08:00:01.000Z',
        method: 'POST',
        path: '/v1/chat/completions',
        status: 403,
        durationMs: 3,
      },
    ],
    'sandbox.simulate': ({ situation }) => {
      now = { ...now, situation }
      return now
    },
    'plans.list': () => [plan({ name: 'sandbox', source: 'sandbox' })],
    'tools.list': () => [inUse],
  })
}

describe('the sandbox', () => {
  it('starts from its empty page and lists what reached it, the newest first', async () => {
    install({ state: 'stopped' })
    await renderInApp(<SandboxPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Start the sandbox' }))
    await screen.findByRole('table', { name: 'Requests' })
    const rows = screen.getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining('/v1/chat/completions'),
      expect.stringContaining('/v1/messages'),
    ])
  })

  it('offers another port when its own is taken', async () => {
    const main = install({ state: 'failed', failure: { code: 'sandbox.portInUse', message: '4860' } })
    await renderInApp(<SandboxPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Start on another port' }))
    await screen.findByText('http://127.0.0.1:50123')
    expect(main.askedFor('sandbox.open')).toEqual([{ anotherPort: true }])
  })

  it('is put into a situation, marks it, and leads to the tool that will feel it', async () => {
    const main = install(running)
    await renderInApp(<SandboxPage />)
    await userEvent.click(await screen.findByRole('radio', { name: /Key disabled/ }))
    await waitFor(() => expect(main.askedFor('sandbox.simulate')).toEqual([{ situation: 'keyDisabled' }]))
    await screen.findByText('Active')
    expect(screen.getByRole('link', { name: 'Verify Claude Code' }).getAttribute('href')).toBe(
      '/tools/claude-code?verify=1',
    )
  })

  it('names the tools that would stop before it stops', async () => {
    const main = install(running)
    await renderInApp(<SandboxPage />)
    await userEvent.click(await screen.findByRole('button', { name: 'Stop' }))
    const question = await screen.findByRole('alertdialog')
    expect(question.textContent).toContain('Claude Code')
    expect(main.askedFor('sandbox.stop')).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Stop the sandbox' }))
    await screen.findByText('The sandbox is not running')
  })
})
