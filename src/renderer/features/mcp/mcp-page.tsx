import type { McpChange, McpToolView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Card, Page, PageHeader } from '../../ui/page'
import { ControlRow } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { CallList } from './call-list'
import { ChangeDialog } from './change-dialog'
import { ServerTable } from './server-table'
import { TryOut } from './try-out'

type TabId = 'tools' | 'tryOut' | 'calls'

/** The MCP server of this app in coding tools: where it is, what they may do with it, what they did. */
export function McpPage() {
  const { t } = useTranslation(['mcp', 'tools'])
  const [tab, setTab] = useState<TabId>('tools')
  return (
    <Page width="wide">
      <PageHeader
        title={t('mcp:title')}
        breadcrumb={[{ label: t('tools:title'), to: '/tools' }]}
        state={t('mcp:state')}
      />
      <Tabs
        label={t('mcp:title')}
        value={tab}
        onValueChange={setTab}
        tabs={[
          { value: 'tools', label: t('mcp:tabs.tools'), content: <ToolsTab /> },
          { value: 'tryOut', label: t('mcp:tabs.tryOut'), content: <TryOut /> },
          { value: 'calls', label: t('mcp:tabs.calls'), content: <CallList /> },
        ]}
      />
    </Page>
  )
}

function ToolsTab() {
  const query = useCall('mcp.tools', {})
  const [change, setChange] = useState<McpChange>()
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
      {(tools) => (
        <>
          <ServerTable tools={tools} onChange={setChange} />
          <StatusLine tool={tools.find(({ statusLine }) => statusLine !== undefined)} onChange={setChange} />
          {change ? (
            <ChangeDialog
              change={change}
              name={tools.find(({ toolId }) => toolId === change.toolId)?.name ?? change.toolId}
              onClose={() => setChange(undefined)}
            />
          ) : null}
        </>
      )}
    </Loaded>
  )
}

/** The remaining quota as the status line of the tool that has one. */
function StatusLine({
  tool,
  onChange,
}: {
  readonly tool: McpToolView | undefined
  readonly onChange: (change: McpChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'statusLine' })
  if (!tool) return null
  const { toolId, name, statusLine } = tool
  const isThere = statusLine === 'added' || statusLine === 'modified'
  const action = isThere ? 'remove' : 'add'
  return (
    <Card flush>
      <ControlRow
        label={t('title', { tool: name })}
        hint={t('hint')}
        control={
          <Button
            size="sm"
            disabled={statusLine === 'unreadable'}
            onClick={() => onChange({ toolId, what: 'statusLine', action })}
          >
            {t(action)}
          </Button>
        }
      />
    </Card>
  )
}
