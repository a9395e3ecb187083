import type { McpToolView } from '@shared/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CallError, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Card, Page, PageHeader } from '../../ui/page'
import { ControlRow } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { AllServers } from './all-servers'
import { CallList } from './call-list'
import { ChangeDialog, type OwnChange, type WantedChange } from './change-dialog'
import { ChangeList } from './change-list'
import { ServerTable } from './server-table'
import { TryOut } from './try-out'

type TabId = 'tools' | 'servers' | 'history' | 'tryOut' | 'calls'

/** MCP in coding tools: the server of this app, every other server, what was changed, and what ours did. */
export function McpPage() {
  const { t } = useTranslation(['mcp', 'tools'])
  const [tab, setTab] = useState<TabId>('tools')
  const [wanted, setWanted] = useState<WantedChange>()
  const query = useCall('mcp.tools', {})
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
          { value: 'tools', label: t('mcp:tabs.tools'), content: <ToolsTab query={query} onChange={setWanted} /> },
          {
            ...{ value: 'servers', label: t('mcp:tabs.servers') },
            content: (
              <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
                {(tools) => <AllServers tools={tools} onChange={setWanted} />}
              </Loaded>
            ),
          },
          { value: 'history', label: t('mcp:tabs.history'), content: <ChangeList onChange={setWanted} /> },
          { value: 'tryOut', label: t('mcp:tabs.tryOut'), content: <TryOut /> },
          { value: 'calls', label: t('mcp:tabs.calls'), content: <CallList /> },
        ]}
      />
      {wanted ? <ChangeDialog wanted={wanted} tools={query.data ?? []} onClose={() => setWanted(undefined)} /> : null}
    </Page>
  )
}

interface ToolsTabProps {
  readonly query: UseQueryResult<McpToolView[], CallError>
  readonly onChange: (wanted: WantedChange) => void
}

function ToolsTab({ query, onChange }: ToolsTabProps) {
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
      {(tools) => {
        const ask = (change: OwnChange): void =>
          onChange({ change, name: tools.find(({ toolId }) => toolId === change.toolId)?.name ?? change.toolId })
        return (
          <>
            <ServerTable tools={tools} onChange={ask} />
            <StatusLine tool={tools.find(({ statusLine }) => statusLine !== undefined)} onChange={ask} />
          </>
        )
      }}
    </Loaded>
  )
}

/** The remaining quota as the status line of the tool that has one. */
function StatusLine({
  tool,
  onChange,
}: {
  readonly tool: McpToolView | undefined
  readonly onChange: (change: OwnChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'statusLine' })
  if (!tool) return null
  const { toolId, name, statusLine } = tool
  const isThere = statusLine === 'added' || statusLine === 'modified'
  const ask = (action: 'add' | 'remove') => () => onChange({ toolId, what: 'statusLine', action })
  return (
    <Card flush>
      <ControlRow
        label={t('title', { tool: name })}
        hint={t('hint')}
        control={
          <div className="flex gap-2">
            <Button size="sm" disabled={statusLine === 'unreadable'} onClick={ask('add')}>
              {t(isThere ? 'change' : 'add')}
            </Button>
            {isThere ? (
              <Button size="sm" variant="ghost" onClick={ask('remove')}>
                {t('remove')}
              </Button>
            ) : null}
          </div>
        }
      />
    </Card>
  )
}
