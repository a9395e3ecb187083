import type { BulkPreview, PreviewView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { RemoveAllPage } from '../../../../../src/renderer/features/tools/remove-all-page'
import { allTools } from '../../support/all-tools'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'
import { relayView } from '../../support/relay'

const restore = { kind: 'restore', requestAddress: undefined } as const

async function renderPage(
  preview: BulkPreview | (() => BulkPreview | Promise<BulkPreview>),
  servers: readonly PreviewView[] = [],
  { startsAtLogin = false, recordsArguments = false } = {},
) {
  const fakeMain = installMain({
    'app.get': () => ({ version: '1', platform: 'linux', dataDir: '/data', vault: { kind: 'keychain' } }),
    'mcp.previewRemoveAll': () => [...servers],
    'mcp.carryOut': () => [],
    'mcp.recordsArguments': () => recordsArguments,
    'mcp.setRecordsArguments': ({ isOn }) => isOn,
    'relay.get': () => relayView({ startAtLogin: startsAtLogin }),
    'relay.setOptions': () => relayView({ startAtLogin: false }),
    'tools.list': () => [...allTools()],
    'tools.previewRemoveAll': typeof preview === 'function' ? preview : () => preview,
    'tools.applyMany': () => [],
  })
  return { main: fakeMain, ...(await renderInApp(<RemoveAllPage />, '/tools/remove-all')) }
}

const twoTools = buildBulkPreview([
  changes('claude-code', { kind: restore.kind }),
  changes('claude-code', { kind: restore.kind, site: { kind: 'project', folder: '/code/client-a' } }),
])

describe('removing everything', () => {
  it('lists what is removed at every site, asks, and undoes it together', async () => {
    const { main } = await renderPage(twoTools)
    await screen.findByText('2 configurations will be removed.')
    expect(screen.getByText('Project client-a')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Remove all' }))
    const dialog = await screen.findByRole('alertdialog', { name: 'Remove all configurations?' })
    expect(main.askedFor('tools.applyMany')).toEqual([])
    const confirm = [...dialog.querySelectorAll('button')].at(-1)
    if (confirm) await userEvent.click(confirm)
    await screen.findByText('All configurations removed')
    expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-1' }])
  })

  it('removes the MCP server and the status line first, checks the files again, and lists kept ones', async () => {
    const server: PreviewView = { ...changes('claude-code', { kind: restore.kind }), previewId: 'mcp-1' }
    let previewCount = 0
    const { main } = await renderPage(
      () => buildBulkPreview(twoTools.tools, { previewId: `many-${++previewCount}` }),
      [server],
    )
    await screen.findByText('3 configurations will be removed.')
    expect(screen.getByRole('heading', { name: 'MCP server and status line' })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Remove all' }))
    const dialog = await screen.findByRole('alertdialog')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove all' }))
    await screen.findByText(/This app’s data stays in \/data and its keys in the system keychain/)
    expect(main.askedFor('mcp.carryOut')).toEqual([{ previewId: 'mcp-1' }])
    expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-2' }])
  })

  it.each([
    [{ startsAtLogin: true }, /will no longer start at login/, [['relay.setOptions', { startAtLogin: false }]]],
    [{ recordsArguments: true }, /will no longer be recorded/, [['mcp.setRecordsArguments', { isOn: false }]]],
  ])('also ends %j with a notice, even if nothing else remains', async (settings, notice, expectedCalls) => {
    const { main } = await renderPage(buildBulkPreview([]), [], settings)
    await screen.findByText(notice)
    await userEvent.click(screen.getByRole('button', { name: 'Remove all' }))
    const dialog = await screen.findByRole('alertdialog')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove all' }))
    await screen.findByText('All configurations removed')
    const changes = main.asked.filter(({ name }) => /\.(set|applyMany)/.test(name))
    expect(changes.map(({ name, input }) => [name, input])).toEqual(expectedCalls)
  })

  it('writes nothing when the user declines', async () => {
    const { main } = await renderPage(twoTools)
    await userEvent.click(await screen.findByRole('button', { name: 'Remove all' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(main.askedFor('tools.applyMany')).toEqual([])
  })

  it('can be requested while the preview reloads, and runs once it is loaded', async () => {
    const pendingPreviews: ((preview: BulkPreview) => void)[] = []
    const createPendingPreview = () => new Promise<BulkPreview>((resolve) => pendingPreviews.push(resolve))
    let isFirst = true
    const { main, queries } = await renderPage(() => {
      if (!isFirst) return createPendingPreview()
      isFirst = false
      return twoTools
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
