import type { BulkPreview, ToolChanges } from '@shared/contract'

export const changes = (toolId: string, overrides: Partial<ToolChanges> = {}): ToolChanges => ({
  toolId,
  site: { kind: 'user' },
  kind: 'apply',
  files: [
    {
      path: `/home/lan/.${toolId}/settings.json`,
      action: 'change',
      holdsKey: false,
      lines: [{ kind: 'added', text: `"made-for": "${toolId}"`, newLine: 1 }],
    },
  ],
  requestAddress: `https://gateway.example.com/v1/${toolId}`,
  warnings: [],
  ...overrides,
})

export const buildBulkPreview = (tools: readonly ToolChanges[], overrides: Partial<BulkPreview> = {}): BulkPreview => ({
  previewId: 'many-1',
  tools: [...tools],
  left: [],
  ...overrides,
})
