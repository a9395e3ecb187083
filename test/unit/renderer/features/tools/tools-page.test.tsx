import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tool-form'
import { ToolsPage } from '../../../../../src/renderer/features/tools/tools-page'
import { allTools } from '../../support/all-tools'
import { clickButton, createPageRenderer, expectLink } from '../../support/fake-main'
import { mockElementSize } from '../../support/sized'
import { plan, tool } from '../../support/views'

mockElementSize(1200)
beforeEach(() => useToolsStore.setState({ sought: { text: '', filter: 'all' }, showsOthers: false, picked: {} }))

const renderPage = createPageRenderer(<ToolsPage />, '/tools', {
  'tools.list': () => [...allTools()],
  'plans.list': () => [plan({ models: ['large', 'fast'] })],
  'tools.showFile': () => ({}),
})

const rows = (): string[] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('a')?.textContent ?? '')

const getRow = async (name: string): Promise<HTMLElement> => {
  const row = (await screen.findByRole('link', { name })).closest('tr')
  if (!row) throw new Error(`No row of ${name}`)
  return row
}

describe('the first step', () => {
  const listUnusedTool = (isInstalled: boolean) => [
    tool({ status: 'absent', installed: isInstalled, install: { command: 'npm install -g claude' } }),
  ]

  it('links to the changes of an installed tool while none uses a plan', async () => {
    await renderPage({ 'tools.list': () => listUnusedTool(true) })
    await screen.findByText('Start with Claude Code')
    await expectLink('Preview changes', '/tools/claude-code?do=configure')
  })

  it('explains how to install a tool when there is none, and offers the playground', async () => {
    await renderPage({ 'tools.list': () => listUnusedTool(false) })
    await screen.findByText('No coding tool found on this computer')
    expect(screen.getByText('npm install -g claude')).toBeDefined()
    await expectLink('Open playground', '/playground')
  })

  it('is hidden once a tool is configured, or without a plan', async () => {
    const { unmount } = await renderPage()
    await getRow('Claude Code')
    expect(screen.queryByText(/^Start with/)).toBeNull()
    unmount()
    await renderPage({ 'tools.list': () => listUnusedTool(true), 'plans.list': () => [] })
    await screen.findByText('Add a plan first')
    expect(screen.queryByText(/^Start with/)).toBeNull()
  })
})

describe('the tools', () => {
  it('show installed ones with their state, and a count of the others', async () => {
    await renderPage()
    await getRow('Kilo CLI')
    expect(rows()).toHaveLength(13)
    expect(rows().slice(0, 4)).toEqual(['Qwen Code', 'OpenCode', 'Kilo CLI', 'Claude Code'])
    expect(rows().slice(-2)).toEqual(['Cursor', 'Claude Desktop'])
    const parts = ['Not managed', 'Modified', 'Unreadable', 'Manual', 'Not supported']
    for (const word of parts) expect(screen.getByText(word)).toBeTruthy()
    expect((await getRow('Kilo CLI')).textContent).toContain('https://other.example.com/v1')
    expect((await getRow('Claude Code')).textContent).toContain('teamlarge')
    await userEvent.click(screen.getByRole('button', { name: `${allTools().length - 13} more, not installed` }))
    expect(rows()).toHaveLength(allTools().length)
    expect((await getRow('Zed')).textContent).toContain('Not installed')
  })

  it('remember that the others are expanded', async () => {
    const firstPage = await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: /more, not installed/ }))
    firstPage.unmount()
    await renderPage()
    await getRow('Zed')
    expect(screen.getByRole('button', { name: /more, not installed/ }).getAttribute('aria-expanded')).toBe('true')
  })

  it('are searched with Ctrl+F, including those not installed', async () => {
    await renderPage()
    await getRow('Kilo CLI')
    await userEvent.keyboard('{Control>}f{/Control}')
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search tools' }))
    await userEvent.keyboard('zed')
    await waitFor(() => expect(rows()).toEqual(['Zed']))
    expect(screen.getByText(`1 of ${allTools().length}`)).toBeTruthy()
    await userEvent.keyboard('zzz')
    await screen.findByText('No tools match “zedzzz”')
    await userEvent.click(screen.getByRole('button', { name: 'Show all tools' }))
    await getRow('Kilo CLI')
  })

  it('are filtered to those that need attention', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('radio', { name: 'Needs attention' }))
    expect(rows()).toEqual(['Qwen Code', 'OpenCode', 'Kilo CLI'])
  })

  it('offer one next step each', async () => {
    await renderPage()
    const step = async (name: string) => [...(await getRow(name)).querySelectorAll('a')].at(-1)?.textContent
    const steps = await Promise.all(['OpenCode', 'Cline CLI', 'Claude Code', 'Claude Desktop', 'Cursor'].map(step))
    expect(steps.join(', ')).toBe(
      'Fix OpenCode, Configure Cline CLI, Open Claude Code, Open Claude Desktop, Configure Cursor',
    )
  })

  it('are navigated, selected and opened with the keyboard', async () => {
    const { place } = await renderPage()
    ;(await getRow('Qwen Code')).focus()
    await userEvent.keyboard(' {ArrowDown} ')
    expect(screen.getByText('2 tools selected')).toBeTruthy()
    await expectLink('Configure 2 tools', '/tools/set-up?tools=qwen-code%2Copencode')
    await userEvent.keyboard('{Enter}')
    expect(place()).toBe('/tools/opencode')
  })

  it('cannot be selected when this app does not write their files', async () => {
    await renderPage()
    expect(within(await getRow('Cursor')).queryByRole('checkbox')).toBeNull()
    expect(within(await getRow('Cline CLI')).getByRole('checkbox', { name: 'Select Cline CLI' })).toBeTruthy()
  })

  it('link from a row to its history and diagnosis', async () => {
    const { place } = await renderPage()
    await clickButton('More actions for Claude Code')
    expect(await screen.findByRole('menuitem', { name: 'Copy as snippet…' })).toBeTruthy()
    await userEvent.click(screen.getByRole('menuitem', { name: 'Change history' }))
    expect(place()).toBe('/history?tool=claude-code')
    await clickButton('More actions for Claude Code')
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Diagnose…' }))
    expect(place()).toBe('/tools/claude-code/doctor')
  })

  it('ask for a plan first, and cannot be configured without one', async () => {
    await renderPage({ 'plans.list': () => [] })
    await screen.findByText('Add a plan first')
    expect(screen.queryByRole('link', { name: 'Configure all installed tools' })).toBeNull()
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('explain a failure, and can be reloaded', async () => {
    let isServerDown = true
    const failure = { code: 'internal.unexpected', message: 'no' } as const
    await renderPage({ 'tools.list': () => (isServerDown ? failure : [...allTools()]) })
    await screen.findByRole('alert')
    isServerDown = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await getRow('Kilo CLI')
  })

  it('follow outside changes', async () => {
    let list = allTools()
    const { main } = await renderPage({ 'tools.list': () => [...list] })
    await getRow('Kilo CLI')
    list = list.filter(({ id }) => id !== 'kilo')
    main.tell('data.changed', { domains: ['tools'] })
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Kilo CLI' })).toBeNull())
  })
})
