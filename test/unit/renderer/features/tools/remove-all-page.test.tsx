import type { BulkPreview, PreviewView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { RemoveAllPage } from '../../../../../src/renderer/features/tools/remove-all-page'
import { allTools } from '../../support/all-tools'
import { clickButton, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'
import { relayView } from '../../support/relay'

const openPage = createPageRenderer(<RemoveAllPage />, '/tools/remove-all', {
  'app.get': () => ({ version: '1', platform: 'linux', dataDir: '/data', vault: { kind: 'keychain' } }),
  'mcp.previewRemoveAll': () => [],
  'mcp.carryOut': () => [],
  'mcp.recordsArguments': () => false,
  'mcp.setRecordsArguments': ({ isOn }) => isOn,
  'relay.get': () => relayView({ startAtLogin: false }),
  'relay.setOptions': () => relayView({ startAtLogin: false }),
  'tools.list': () => [...allTools()],
  'tools.applyMany': () => [],
})
const renderPage = (preview: BulkPreview, overrides: FakeMethods = {}) =>
  openPage({ 'tools.previewRemoveAll': () => preview, ...overrides })

/** Presses the button of the page and that of its confirmation. */
async function removeAll(): Promise<void> {
  await clickButton('Remove all')
  const dialog = await screen.findByRole('alertdialog', { name: 'Remove all configurations?' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove all' }))
}

const twoTools = buildBulkPreview([
  changes('claude-code', { kind: 'restore' }),
  changes('claude-code', { kind: 'restore', site: { kind: 'project', folder: '/code/client-a' } }),
])

describe('removing everything', () => {
  it('removes the MCP server and the status line first, checks the files again, and lists kept ones', async () => {
    const server: PreviewView = { ...changes('claude-code', { kind: 'restore' }), previewId: 'mcp-1' }
    let previewCount = 0
    const { main } = await openPage({
      'mcp.previewRemoveAll': () => [server],
      'tools.previewRemoveAll': () => buildBulkPreview(twoTools.tools, { previewId: `many-${++previewCount}` }),
    })
    await screen.findByText('3 configurations will be removed.')
    expect(screen.getByRole('heading', { name: 'MCP server and status line' })).toBeTruthy()
    await removeAll()
    await screen.findByText(/This app’s data stays in \/data and its keys in the system keychain/)
    expect(main.askedFor('mcp.carryOut')).toEqual([{ previewId: 'mcp-1' }])
    expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-2' }])
  })

  it.each<[string, FakeMethods, RegExp, unknown]>([
    [
      'the start at login',
      { 'relay.get': () => relayView({ startAtLogin: true }) },
      /will no longer start at login/,
      ['relay.setOptions', { startAtLogin: false }],
    ],
    [
      'recording',
      { 'mcp.recordsArguments': () => true },
      /will no longer be recorded/,
      ['mcp.setRecordsArguments', { isOn: false }],
    ],
  ])('also ends %s with a notice, even if nothing else remains', async (_, settings, notice, expectedCall) => {
    const { main } = await renderPage(buildBulkPreview([]), settings)
    await screen.findByText(notice)
    await removeAll()
    await screen.findByText('All configurations removed')
    const changes = main.asked.filter(({ name }) => /\.(set|applyMany)/.test(name))
    expect(changes.map(({ name, input }) => [name, input])).toEqual([expectedCall])
  })

  it('writes nothing when the user declines', async () => {
    const { main } = await renderPage(twoTools)
    await clickButton('Remove all')
    await clickButton('Cancel')
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(main.askedFor('tools.applyMany')).toEqual([])
  })

  it('can be requested while the preview reloads, and runs once it is loaded', async () => {
    const pendingPreviews: ((preview: BulkPreview) => void)[] = []
    const createPendingPreview = () => new Promise<BulkPreview>((resolve) => pendingPreviews.push(resolve))
    let isFirst = true
    const { main, queries } = await openPage({
      'tools.previewRemoveAll': () => {
        if (!isFirst) return createPendingPreview()
        isFirst = false
        return twoTools
      },
    })
    const button = await screen.findByRole('button', { name: 'Remove all' })
    void queries.invalidateQueries()
    await waitFor(() => expect(pendingPreviews).toHaveLength(1))
    await userEvent.click(button)
    const dialog = await screen.findByRole('alertdialog', { name: 'Remove all configurations?' })
    const confirm = within(dialog).getByRole('button', { name: 'Remove all' })
    await userEvent.click(confirm)
    expect(main.askedFor('tools.applyMany')).toEqual([])
    pendingPreviews[0]?.({ ...twoTools, previewId: 'many-2' })
    await waitFor(() => expect(confirm.getAttribute('aria-busy')).toBeNull())
    await userEvent.click(confirm)
    await screen.findByText('All configurations removed')
    expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-2' }])
  })

  it('shows that there is nothing to remove', async () => {
    await renderPage(buildBulkPreview([]))
    await screen.findByText('Nothing to remove')
  })

  it('names what must stay, with the reason', async () => {
    const failure = { code: 'file.unreadable', message: 'no' } as const
    await renderPage(buildBulkPreview([], { left: [{ toolId: 'pi', site: { kind: 'user' }, failure }] }))
    await screen.findByText(/Can’t read the file/)
    expect(screen.queryByRole('button', { name: 'Remove all' })).toBeNull()
  })
})
