import type { ManyPreview, ToolChanges } from '@shared/contract'

/** The changes of one tool, with what the test is about put over them. */
export const changes = (toolId: string, over: Partial<ToolChanges> = {}): ToolChanges => ({
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
  ...over,
})

/** The changes of several tools. */
export const many = (tools: readonly ToolChanges[], over: Partial<ManyPreview> = {}): ManyPreview => ({
  previewId: 'many-1',
  tools: [...tools],
  left: [],
  ...over,
})
