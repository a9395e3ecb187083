import type { ToolLogView, UsageSources, UsageStorage } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it, test } from 'vitest'
import { SourcesPage } from '../../../../../../src/renderer/features/settings/sources/sources-page'
import { formatBytes } from '../../../../../../src/renderer/format'
import { createPageRenderer } from '../../../support/fake-main'
import { relayView } from '../../../support/relay'

const log = (overrides: Partial<ToolLogView> = {}): ToolLogView => ({
  toolId: 'claude-code',
  toolName: 'Claude Code',
  enabled: false,
  folder: '/home/lan/.claude/projects',
  exists: true,
  requests: 0,
  notUnderstood: 0,
  ...overrides,
})
const buildSources = (toolLogs: ToolLogView[]): UsageSources => ({
  relay: { requests: 0 },
  app: { requests: 3 },
  toolLogs,
  consoles: [],
})
const readyStorage: UsageStorage = { bytes: 41_300_000, requests: 1200, retentionDays: 180, state: 'ready' }

const openPage = createPageRenderer(<SourcesPage />, '/usage/sources', { 'relay.get': () => relayView() })
const renderPage = (logs: ToolLogView[], storage: UsageStorage = readyStorage) =>
  openPage({
    'usage.sources': () => buildSources(logs),
    'usage.setToolLog': () => buildSources(logs),
    'usage.storage': () => storage,
    'usage.setRetention': ({ days }) => ({ ...storage, retentionDays: days }),
    'usage.erase': () => ({ ...storage, requests: 0 }),
  })

it('asks before it removes a log’s data, and shows unreadable entries', async () => {
  const { main, user } = await renderPage([log({ enabled: true, requests: 12_840, notUnderstood: 3 })])
  await screen.findByText('3 unreadable entries, not counted')
  await user.click(screen.getByRole('switch', { name: 'Read logs of Claude Code' }))
  const confirmDialog = await screen.findByRole('alertdialog')
  expect(confirmDialog.textContent).toContain('12,840 collected requests')
  expect(main.askedFor('usage.setToolLog')).toEqual([])
  await user.click(within(confirmDialog).getByRole('button', { name: 'Stop and delete' }))
  await main.waitForCalls('usage.setToolLog', [{ toolId: 'claude-code', enabled: false }])
})

it('reports an unknown log format instead of showing nothing', async () => {
  await renderPage([log({ enabled: true, notUnderstood: 1 })])
  expect(await screen.findByText('Log format not understood, nothing counted')).toBeTruthy()
})

it('erases only after typing the file’s name', async () => {
  const { main, user } = await renderPage([])
  await user.click(await screen.findByRole('button', { name: 'Delete…' }))
  const confirmDialog = await screen.findByRole('alertdialog')
  const deleteButton = within(confirmDialog).getByRole('button', { name: 'Delete' })
  expect(deleteButton.hasAttribute('disabled')).toBe(true)
  await user.type(within(confirmDialog).getByRole('textbox'), 'usage.sqlite')
  await user.click(deleteButton)
  await waitFor(() => expect(main.askedFor('usage.erase')).toHaveLength(1))
})

test.each([
  ['damaged', 'The usage file was damaged, and a new one was created', true],
  ['newer', 'The usage file is from a newer version of this app', false],
  ['unavailable', 'The usage file can’t be used right now', false],
] as const)('explains a file that is %s, and offers to erase only if possible', async (state, title, can) => {
  const damagedFile = state === 'damaged' && { setAside: '/data/usage.sqlite.damaged' }
  await renderPage([], { ...readyStorage, state, ...damagedFile })
  await screen.findByText(title)
  expect(screen.queryByRole('button', { name: 'Delete…' }) !== null).toBe(can)
  expect(screen.queryByText('/data/usage.sqlite.damaged') !== null).toBe(state === 'damaged')
})

test.each([
  [0, '0 kB'],
  [41_300_000, '41.3 MB'],
  [412_000, '412 kB'],
  [3_400_000_000, '3.4 GB'],
])('shows %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
