import type { BulkPreview, HistoryEntry, ProfileView } from '@shared/contract'
import { buildBulkPreview as buildPreview, changes } from './many'

type Entry = ProfileView['entries'][number]

export const profileEntry = (overrides: Partial<Entry> = {}): Entry => ({
  toolId: 'claude-code',
  toolName: 'Claude Code',
  site: { kind: 'user' },
  planId: 'p1',
  planName: 'team',
  keyId: 'k1',
  modelCode: 'large',
  slots: {},
  delivery: 'helper',
  ...overrides,
})

/** An inactive profile. */
export const profile = (overrides: Partial<ProfileView> = {}): ProfileView => ({
  id: 'w',
  name: 'work',
  entries: [profileEntry()],
  isActive: false,
  missing: [],
  ...overrides,
})

export const buildBulkPreview = (overrides: Partial<BulkPreview> = {}): BulkPreview =>
  buildPreview([changes('claude-code')], { previewId: 'preview-1', ...overrides })

type HistoryTool = HistoryEntry['tools'][number]

export const buildHistoryTool = (overrides: Partial<HistoryTool> = {}): HistoryTool => ({
  toolId: 'claude-code',
  site: { kind: 'user' },
  kind: 'apply',
  planName: 'team',
  modelCode: 'large',
  delivery: 'helper',
  files: [{ path: '/home/lan/.claude/settings.json', action: 'change' }],
  ...overrides,
})

export const historyEntry = (overrides: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id: 'e1',
  at: '2026-11-21T08:00:00.000Z',
  state: 'done',
  tools: [buildHistoryTool()],
  ...overrides,
})
