import type { RelayView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { RelayPage, readPort } from '../../../../../src/renderer/features/relay/relay-page'
import { createPageRenderer, expectLink, type FakeMethods, replaceText } from '../../support/fake-main'
import { buildLocalKey } from '../../support/key-care'
import { defaultUpstream, relayTool, relayView } from '../../support/relay'
import { plan, tool } from '../../support/views'

const plans = [
  plan({ keys: [buildLocalKey(), buildLocalKey({ id: 'k2', name: 'ci' })] }),
  plan({ id: 'p2', name: 'second', keys: [buildLocalKey({ id: 'k3', name: 'spare' })] }),
]

const openPage = createPageRenderer(<RelayPage />, '/relay', {
  'tools.list': () => [tool(), tool({ id: 'pi', name: 'pi', status: 'absent' })],
  'plans.list': () => plans,
})
const renderPage = (view: RelayView, overrides: FakeMethods = {}, path?: string) =>
  openPage({ 'relay.get': () => view, ...overrides }, path)

it.each([
  ['4870', 4870],
  [' 1024 ', 1024],
  ['65535', 65_535],
  ['1023', undefined],
  ['65536', undefined],
  ['48.7', undefined],
  ['0x1fff', undefined],
  ['1e4', undefined],
  ['', undefined],
])('parses the port %j as %s', (text, port) => {
  expect(readPort(text)).toBe(port)
})

describe('the relay', () => {
  it('names the waiting tools while off, and starts or opens the diff with one click', async () => {
    let view = relayView({ state: 'off' })
    const startRelay = () => (view = relayView())
    const { main, user } = await renderPage(view, { 'relay.get': () => view, 'relay.start': startRelay })
    const title = await screen.findByText('Claude Code is offline because the relay is off')
    const notice = title.closest('[role="alert"]')
    if (!(notice instanceof HTMLElement)) throw new Error('There is no notice.')
    const switchLink = within(notice).getByRole('link', { name: 'Switch to direct connection…' })
    expect(switchLink.getAttribute('href')).toBe('/relay/point?to=gateway')
    await user.click(within(notice).getByRole('button', { name: 'Start the relay' }))
    await waitFor(() => expect(screen.queryByText(/is offline because/)).toBeNull())
    expect(main.askedFor('relay.start')).toEqual([{}])
  })

  it('shows a diagram of tools, plans, keys and fallbacks', async () => {
    const upstreams = [defaultUpstream, { planId: 'p2', keyId: 'k3', planName: 'second', keyName: 'spare' }]
    const tools = [relayTool({ upstreams }), relayTool({ toolId: 'pi', toolName: 'pi', isPointedHere: false })]
    await renderPage(relayView({ tools }))
    expect((await screen.findByRole('img', { name: /^Relay: On\./ })).getAttribute('aria-label')).toBe(
      'Relay: On. Claude Code calls team with key default-key. If that fails, Claude Code calls second with key spare.',
    )
  })

  it('names the tools of running requests, also before the first one ended', async () => {
    const firstTool = relayTool({ open: 2, requests: 0, lastAt: undefined })
    await renderPage(relayView({ tools: [firstTool, relayTool({ toolId: 'pi', toolName: 'pi', open: 1 })] }))
    await screen.findByText('3 active requests')
    const row = (name: string) => within(screen.getByRole('row', { name: new RegExp(name) }))
    expect(row('Claude Code').getByText('2 active requests')).toBeDefined()
    expect(row('Claude Code').queryByText('None yet')).toBeNull()
    expect(row('pi').getByText('1 active request')).toBeDefined()
  })

  it('opens the diff directly when the user quits and wants the tools pointed back', async () => {
    const { place } = await renderPage(relayView(), {}, '/relay?pointBack=1')
    expect(place()).toBe('/relay/point?to=gateway')
  })

  it('asks with tool names before it stops', async () => {
    const { main, user } = await renderPage(relayView(), { 'relay.stop': () => relayView({ state: 'off' }) })
    await user.click(await screen.findByRole('button', { name: 'Stop' }))
    const confirmDialog = await screen.findByRole('alertdialog')
    expect(confirmDialog.textContent).toContain('Claude Code')
    expect(main.askedFor('relay.stop')).toEqual([])
    await user.click(within(confirmDialog).getByRole('button', { name: 'Stop the relay' }))
    await waitFor(() => expect(main.askedFor('relay.stop')).toHaveLength(1))
  })

  it('offers another port when its port is in use, and reports that one too', async () => {
    const portInUse = { code: 'relay.portInUse', message: 'Taken.' } as const
    const { main, user } = await renderPage(relayView({ state: 'failed', failure: portInUse, tools: [] }), {
      'relay.start': () => portInUse,
    })
    await user.click(await screen.findByRole('button', { name: 'Start on another port' }))
    const port = await screen.findByRole('textbox', { name: 'Port' })
    await replaceText(port, '80{Enter}')
    await screen.findByText('Enter a whole number from 1024 to 65535.')
    expect(main.askedFor('relay.start')).toEqual([])
    await replaceText(port, '4871{Enter}')
    await screen.findByText(/Another program uses port 4871/)
    expect(main.askedFor('relay.start')).toEqual([{ port: 4871 }])
  })

  it('changes plan, key and fallbacks with the keyboard', async () => {
    const upstreams = [defaultUpstream, { planId: 'p1', keyId: 'k2' }, { planId: 'p2' }]
    const { main, user } = await renderPage(relayView({ tools: [relayTool({ upstreams })] }), {
      'relay.setWay': () => relayView(),
    })
    await user.click(await screen.findByRole('button', { name: 'Change plan and key of Claude Code' }))
    const moveUpButton = await screen.findByRole('button', { name: 'Move second, spare up' })
    moveUpButton.focus()
    await user.keyboard('{Enter}')
    await screen.findByText('second, spare is now number 1')
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
    await screen.findByText('second, spare is now number 2')
    screen.getByRole('button', { name: 'Remove team, ci' }).focus()
    await user.keyboard('{Enter}')
    await user.click(screen.getByRole('button', { name: 'Use from next request' }))
    await main.waitForCalls('relay.setWay', [
      { toolId: 'claude-code', way: { planId: 'p1', keyId: 'k1' }, failover: [{ planId: 'p2' }] },
    ])
  })

  it('shows the last failure with its remedy, but ignores disconnected tools', async () => {
    const rejectedTool = relayTool({ lastFailure: { code: 'gateway.keyRejected', message: 'Refused.' } })
    const lastFailure = { code: 'net.cancelled', message: 'Gone.' } as const
    const disconnectedTool = relayTool({ toolId: 'pi', toolName: 'pi', lastFailure })
    const { user, place } = await renderPage(relayView({ tools: [rejectedTool, disconnectedTool] }))
    await screen.findByText('Canceled by tool')
    expect(screen.getAllByRole('link', { name: 'Show failed requests' })).toHaveLength(1)
    await user.click(await screen.findByRole('button', { name: 'Paste the key again' }))
    expect(place()).toBe('/plans/p1?paste=1')
  })

  it('offers to start at login only if the system supports it', async () => {
    await renderPage(relayView())
    await screen.findByRole('switch', { name: 'Keep running when the window is closed' })
    expect(screen.queryByRole('switch', { name: 'Open at login' })).toBeNull()
  })

  it('explains the first step when no tool uses it, and opens a setup through the relay', async () => {
    const unusedTool = relayTool({ toolId: 'pi', toolName: 'pi', isPointedHere: false, requests: 0 })
    const { user, place } = await renderPage(relayView({ state: 'off', tools: [unusedTool] }))
    await expectLink('Configure tools via relay', '/tools/set-up?route=relay')
    await user.click(screen.getByRole('button', { name: 'Configure pi via relay' }))
    expect(place()).toBe('/tools/pi?do=configure')
  })
})
