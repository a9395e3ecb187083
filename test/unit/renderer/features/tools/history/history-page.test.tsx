import type { HistoryEntry, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { Route, Routes } from 'react-router'
import { toast } from 'sonner'
import { afterEach, describe, expect, it } from 'vitest'
import { daysAgo, HistoryPage, RewindPage } from '../../../../../../src/renderer/features/tools/history/history-page'
import { RecoveryNotice } from '../../../../../../src/renderer/features/tools/history/recovery-notice'
import { setUpTool } from '../../../../../support/tool-setups'
import { chooseOption, clickButton, createPageRenderer, installMain, renderInApp } from '../../../support/fake-main'
import { buildBulkPreview, buildHistoryTool, historyEntry } from '../../../support/profiles'

const openCode = setUpTool({ id: 'opencode', name: 'OpenCode' })

const pages = (
  <Routes>
    <Route path="/history" element={<HistoryPage />} />
    <Route path="/history/:entryId" element={<RewindPage />} />
  </Routes>
)
const openPage = createPageRenderer(pages, '/history', {
  'tools.history': () => [historyEntry()],
  'tools.list': () => [setUpTool(), openCode],
  'tools.previewRewind': () => buildBulkPreview(),
})
const renderPage = (entries: HistoryEntry[] | Failure, path?: string) =>
  openPage({ 'tools.history': () => entries }, path)

const twoEntries = [
  historyEntry({ id: 'a' }),
  historyEntry({ id: 'b', tools: [buildHistoryTool({ toolId: 'opencode', planName: 'lab' })] }),
]

// Dismiss toasts, because they stay visible after their page is removed.
afterEach(() => void toast.dismiss())

describe('the history', () => {
  it('describes each write, newest first, under its day', async () => {
    const currentTime = new Date()
    const yesterday = new Date(currentTime.getFullYear(), currentTime.getMonth(), currentTime.getDate() - 1, 12)
    const yesterdayIso = yesterday.toISOString()
    const tools = [buildHistoryTool(), buildHistoryTool({ toolId: 'opencode', planName: 'lab' })]
    const revertedTool = buildHistoryTool({ kind: 'rewind' })
    const unmanagedTool = buildHistoryTool({ toolId: 'opencode', kind: 'letGo', files: [] })
    await renderPage([
      historyEntry({ id: 'a', at: currentTime.toISOString(), tools }),
      historyEntry({ id: 'b', at: yesterdayIso, tools: [buildHistoryTool({ kind: 'restore' })] }),
      historyEntry({ id: 'c', at: yesterdayIso, tools: [revertedTool, unmanagedTool] }),
    ])
    const todayList = await screen.findByRole('list', { name: 'Today' })
    expect(within(todayList).getAllByRole('listitem')).toHaveLength(1)
    expect(todayList.textContent).toContain('Configured Claude Code and OpenCode with team and lab.')
    const yesterdayList = screen.getByRole('list', { name: 'Yesterday' })
    expect(yesterdayList.textContent).toContain('Undid the configuration of Claude Code.')
    expect(yesterdayList.textContent).toContain('Reverted Claude Code. Stopped managing OpenCode.')
  })

  it('shows the tool in the address, and another selected one', async () => {
    const { place } = await renderPage(twoEntries, '/history?tool=opencode')
    await screen.findByText('Configured OpenCode with lab.')
    expect(screen.queryByText('Configured Claude Code with team.')).toBeNull()
    await chooseOption('Tool', 'All tools')
    await screen.findByText('Configured Claude Code with team.')
    expect(place()).toBe('/history')
  })

  it('shows a hundred at first, and more on request', async () => {
    await renderPage(Array.from({ length: 250 }, (_, n) => historyEntry({ id: `e${n}` })))
    // Count elements directly. Queries by role would inspect every element of hundreds of rows.
    const links = () => document.querySelectorAll('a[href^="/history/"]')
    const moreButton = await screen.findByText('Show 100 more')
    expect(links()).toHaveLength(100)
    fireEvent.click(moreButton)
    expect(links()).toHaveLength(200)
    fireEvent.click(screen.getByText('Show 50 more'))
    expect(links()).toHaveLength(250)
    expect(screen.queryByText(/^Show \d+ more$/)).toBeNull()
  })

  it.each([
    ['2026-11-21T00:01:00', 0],
    ['2026-11-20T23:59:00', 1],
    ['2026-11-14T12:00:00', 7],
  ])('counts days by midnights: %s is %i days ago', (timestamp, days) => {
    expect(daysAgo(timestamp, new Date('2026-11-21T00:30:00'))).toBe(days)
  })

  it('explains why it cannot be read, with a retry', async () => {
    await renderPage({ code: 'file.unreadable', message: 'x' })
    await screen.findByRole('alert')
  })
})

describe('rewinding a write', () => {
  it('shows what can no longer be restored', async () => {
    await openPage({ 'tools.previewRewind': () => ({ code: 'history.notFound', message: 'x' }) }, '/history/e1')
    await screen.findByText('Change not found in the history')
    expect(screen.queryByRole('button', { name: 'Revert' })).toBeNull()
  })

  it('shows that a write does not exist', async () => {
    await openPage({}, '/history/other')
    await screen.findByText('This change is no longer in the history')
  })
})

describe('a start that undid a write', () => {
  type RecoveryOutput = MethodOutput<'tools.recovery'>
  const undoneTools: RecoveryOutput['undone'] = [
    { toolId: 'opencode', site: { kind: 'user' }, at: '2026-11-21T08:00:00.000Z' },
  ]

  /** Mounts the notice again on request, like a page that the user opens again. */
  function RemountedNotice() {
    const [visit, setVisit] = useState(1)
    return (
      <>
        <RecoveryNotice key={visit} />
        <button type="button" onClick={() => setVisit(visit + 1)}>
          leave and return
        </button>
      </>
    )
  }

  async function openHistory(recovery: RecoveryOutput) {
    const fakeMain = installMain({ 'tools.recovery': () => recovery, 'tools.list': () => [openCode] })
    return { main: fakeMain, ...(await renderInApp(<RemountedNotice />)) }
  }

  it('shows a notice until it is closed', async () => {
    const { main } = await openHistory({ undone: undoneTools, left: [] })
    await screen.findByText(/change to OpenCode was complete/)
    await clickButton('leave and return')
    await screen.findByText('The last change was interrupted and rolled back')
    expect(main.askedFor('tools.recovery')).toHaveLength(1)
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByText('The last change was interrupted and rolled back')).toBeNull()
  })

  it('names the unchanged files', async () => {
    await openHistory({ undone: [], left: ['/home/lan/.claude/settings.json'] })
    await screen.findByText('/home/lan/.claude/settings.json')
  })

  it('names the files that wait for the keychain', async () => {
    await openHistory({ undone: [], left: [], waiting: ['/home/lan/.claude/settings.json'] })
    await screen.findByText(/Unlock the keychain and restart the app/)
    await screen.findByText('/home/lan/.claude/settings.json')
  })

  it('shows nothing after a normal exit', async () => {
    const { main } = await openHistory({ undone: [], left: [] })
    await waitFor(() => expect(main.askedFor('tools.recovery')).toHaveLength(1))
    expect(screen.queryByText('The last change was interrupted and rolled back')).toBeNull()
  })
})
