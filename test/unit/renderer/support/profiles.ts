import type { BulkPreview, HistoryEntry, ProfileView, ToolChanges } from '@shared/contract'

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

export const changes = (overrides: Partial<ToolChanges> = {}): ToolChanges => ({
  toolId: 'claude-code',
  site: { kind: 'user' },
  kind: 'apply',
  files: [
    {
      path: '/home/lan/.claude/settings.json',
      action: 'change',
      holdsKey: false,
      lines: [{ kind: 'added', text: '  "model": "large"', newLine: 2 }],
    },
  ],
  warnings: [],
  ...overrides,
})

export const buildBulkPreview = (overrides: Partial<BulkPreview> = {}): BulkPreview => ({
  previewId: 'preview-1',
  tools: [changes()],
  left: [],
  ...overrides,
})

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
