import type { McpPermission, McpToolView } from '@shared/contract'
import { Copy, Plug, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { MenuButton } from '../../ui/menu'
import { EmptyState } from '../../ui/page'
import { CompactSwitch } from '../../ui/switch'
import { actionsColumn, type Column, Table } from '../../ui/table'
import type { OwnServerChange, RequestedChange } from './change-dialog'

/** Color by state of this app's MCP server in a tool's settings. */
export const presenceTones: Readonly<Record<McpToolView['server'], Tone>> = {
  absent: 'neutral',
  added: 'success',
  modified: 'warning',
  unreadable: 'danger',
}

export function ServerTable(props: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: OwnServerChange) => void
}) {
  const { tools, onChange } = props
  const { t } = useTranslation('mcp')
  const setPermission = useAction('mcp.setPermission', { invalidates: ['mcp'] })
  const permission = (id: McpPermission): Column<McpToolView> => ({
    id,
    header: t(`table.permissions.${id}`),
    width: '104px',
    // Show permissions only for tools that have this app's MCP server.
    cell: ({ toolId, name, server, permissions }) =>
      server === 'absent' && !permissions.includes(id) ? null : (
        <CompactSwitch
          label={t(`table.permissionsOf.${id}`, { tool: name })}
          checked={permissions.includes(id)}
          disabled={setPermission.isPending}
          onCheckedChange={(isOn) => setPermission.mutate({ toolId, permission: id, isOn })}
        />
      ),
  })
  const failure = setPermission.error?.failure
  return (
    <>
      {failure && failure.code !== 'input.declined' ? <ExplainedFailure failure={failure} /> : null}
      <Table
        caption={t('table.caption')}
        rows={tools}
        rowKey={({ toolId }) => toolId}
        columns={[
          {
            id: 'name',
            header: t('table.tool'),
            width: '160px',
            cell: ({ name, file }) => <span title={file}>{name}</span>,
          },
          {
            id: 'server',
            header: t('table.server'),
            width: '148px',
            cell: ({ server, problem }) => (
              <span title={problem?.message}>
                <StatusDot tone={presenceTones[server]} label={t(`states.${server}`)} />
              </span>
            ),
          },
          {
            id: 'others',
            header: t('table.others'),
            cell: ({ servers }) => {
              const foreignServers = servers.filter(({ isOurs }) => !isOurs)
              if (foreignServers.length === 0) return t('table.none')
              const lines = foreignServers.map(({ name, runs }) => (runs === undefined ? name : `${name}: ${runs}`))
              return <span title={lines.join('\n')}>{foreignServers.map(({ name }) => name).join(', ')}</span>
            },
          },
          permission('ask_model'),
          permission('memory_remember'),
          {
            ...actionsColumn(t('table.actions'), '96px'),
            cell: ({ toolId, name, server, isHttp }) => {
              const isServerAdded = server === 'added'
              const action = isServerAdded ? 'remove' : 'add'
              const label = server === 'modified' ? 'update' : action
              const change = { toolId, what: 'server', action, ...(isHttp && !isServerAdded && { isHttp }) } as const
              return (
                <Button
                  size="sm"
                  variant={isServerAdded ? 'ghost' : 'secondary'}
                  disabled={server === 'unreadable'}
                  aria-label={t(`table.${label}Of`, { tool: name })}
                  onClick={() => onChange(change)}
                >
                  {t(`table.${label}`)}
                </Button>
              )
            },
          },
        ]}
      />
    </>
  )
}

export function AllServers(props: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (requestedChange: RequestedChange) => void
}) {
  const { tools, onChange } = props
  const { t } = useTranslation('mcp', { keyPrefix: 'servers' })
  const rows = tools
    .flatMap((tool) => tool.servers.map((server) => ({ server, tool })))
    .sort((a, b) => a.server.name.localeCompare(b.server.name))
  if (rows.length === 0)
    return (
      <EmptyState icon={Plug} title={t('empty')}>
        {t('emptyText')}
      </EmptyState>
    )
  return (
    <Table
      caption={t('caption')}
      rows={rows}
      rowKey={({ server, tool }) => `${server.name} ${tool.toolId}`}
      columns={[
        { id: 'name', header: t('name'), cell: ({ server }) => server.name },
        { id: 'tool', header: t('tool'), width: '160px', cell: ({ tool }) => tool.name },
        {
          id: 'runs',
          header: t('runs'),
          width: '230px',
          cell: ({ server: { kind, runs = '' } }) => (kind === 'program' ? runs : `${kind.toUpperCase()} · ${runs}`),
        },
        {
          id: 'isOn',
          header: t('isOn'),
          width: '90px',
          cell: ({ server: { name: server, isOn, canSwitch, isOurs }, tool: { toolId, name } }) => {
            if (!canSwitch || isOurs) return null
            const action = isOn ? 'switchOff' : 'switchOn'
            return (
              <CompactSwitch
                label={t('isOnOf', { server, tool: name })}
                checked={isOn}
                onCheckedChange={() =>
                  onChange({ change: { what: 'anyServer', toolId, name: server, action }, name, server })
                }
              />
            )
          },
        },
        {
          ...actionsColumn(t('actions'), '60px'),
          cell: ({ server: { name: server, isOurs }, tool: { toolId, name } }) => {
            const request = (action: 'copy' | 'remove') => () =>
              onChange({ change: { what: 'anyServer', toolId, name: server, action }, name, server })
            return isOurs ? null : (
              <MenuButton
                size="sm"
                label={t('more', { server, tool: name })}
                items={[
                  { label: t('copy'), icon: Copy, onSelect: request('copy') },
                  { label: t('remove'), icon: Trash2, danger: true, onSelect: request('remove') },
                ]}
              />
            )
          },
        },
      ]}
    />
  )
}
