import type { McpServerView, McpToolView } from '@shared/contract'
import { Copy, Ellipsis, Plug, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { EmptyState } from '../../ui/page'
import { CompactSwitch } from '../../ui/switch'
import { Table } from '../../ui/table'
import type { WantedChange } from './change-dialog'

interface ServerRow {
  readonly server: McpServerView
  readonly tool: McpToolView
}

/** Every MCP server of every tool, and what can be done with each. */
export function AllServers({
  tools,
  onChange,
}: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (wanted: WantedChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'servers' })
  const rows = tools
    .flatMap((tool) => tool.servers.map((server): ServerRow => ({ server, tool })))
    .sort((one, other) => one.server.name.localeCompare(other.server.name))
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
          cell: ({ server, tool }) => <OnOff server={server} tool={tool} onChange={onChange} />,
        },
        {
          id: 'actions',
          header: t('actions'),
          headerHidden: true,
          align: 'right',
          width: '60px',
          cell: ({ server, tool }) =>
            server.isOurs ? null : <ServerMenu server={server} tool={tool} onChange={onChange} />,
        },
      ]}
    />
  )
}

interface ServerProps extends ServerRow {
  readonly onChange: (wanted: WantedChange) => void
}

function OnOff({ server: { name, isOn, canSwitch, isOurs }, tool, onChange }: ServerProps) {
  const { t } = useTranslation('mcp', { keyPrefix: 'servers' })
  if (!canSwitch || isOurs) return null
  const action = isOn ? 'switchOff' : 'switchOn'
  const change = { what: 'anyServer', toolId: tool.toolId, name, action } as const
  return (
    <CompactSwitch
      label={t('isOnOf', { server: name, tool: tool.name })}
      checked={isOn}
      onCheckedChange={() => onChange({ change, name: tool.name, server: name })}
    />
  )
}

function ServerMenu({ server: { name: server }, tool: { toolId, name }, onChange }: ServerProps) {
  const { t } = useTranslation('mcp', { keyPrefix: 'servers' })
  const act = (action: 'copy' | 'remove') => () =>
    onChange({ change: { what: 'anyServer', toolId, name: server, action }, name, server })
  return (
    <Menu
      align="end"
      trigger={<IconButton size="sm" icon={Ellipsis} label={t('more', { server, tool: name })} />}
      items={[
        { label: t('copy'), icon: Copy, onSelect: act('copy') },
        { label: t('remove'), icon: Trash2, danger: true, onSelect: act('remove') },
      ]}
    />
  )
}
