import type { McpPermission, McpServerView, McpToolView } from '@shared/contract'
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

export function ServerTable({
  tools,
  onChange,
}: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: OwnServerChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const setPermission = useAction('mcp.setPermission', { invalidates: ['mcp'] })
  const permission = (id: McpPermission): Column<McpToolView> => ({
    id,
    header: t(`permissions.${id}`),
    width: '104px',
    // Show permissions only for tools that have this app's MCP server.
    cell: ({ toolId, name, server, permissions }) =>
      server === 'absent' && !permissions.includes(id) ? null : (
        <CompactSwitch
          label={t(`permissionsOf.${id}`, { tool: name })}
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
        caption={t('caption')}
        rows={tools}
        rowKey={({ toolId }) => toolId}
        columns={[
          { id: 'name', header: t('tool'), width: '160px', cell: ({ name, file }) => <span title={file}>{name}</span> },
          { id: 'server', header: t('server'), width: '148px', cell: (tool) => <ServerState tool={tool} /> },
          { id: 'others', header: t('others'), cell: ({ servers }) => <OtherServers servers={servers} /> },
          permission('ask_model'),
          permission('memory_remember'),
          {
            ...actionsColumn(t('actions'), '96px'),
            cell: (tool) => <ServerAction tool={tool} onChange={onChange} />,
          },
        ]}
      />
    </>
  )
}

function ServerState({ tool: { server, problem } }: { readonly tool: McpToolView }) {
  const { t } = useTranslation('mcp')
  return (
    <span title={problem?.message}>
      <StatusDot tone={presenceTones[server]} label={t(`states.${server}`)} />
    </span>
  )
}

/** Number of a tool's other MCP servers. The tooltip shows their commands and addresses. */
function OtherServers({ servers }: { readonly servers: readonly McpServerView[] }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const foreignServers = servers.filter(({ isOurs }) => !isOurs)
  if (foreignServers.length === 0) return t('none')
  const title = foreignServers.map(({ name, runs }) => (runs === undefined ? name : `${name}: ${runs}`)).join('\n')
  return <span title={title}>{foreignServers.map(({ name }) => name).join(', ')}</span>
}

function ServerAction({
  tool: { toolId, name, server, isHttp },
  onChange,
}: {
  readonly tool: McpToolView
  readonly onChange: (change: OwnServerChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const isServerAdded = server === 'added'
  const action = isServerAdded ? 'remove' : 'add'
  const label = server === 'modified' ? 'update' : action
  return (
    <Button
      size="sm"
      variant={isServerAdded ? 'ghost' : 'secondary'}
      disabled={server === 'unreadable'}
      aria-label={t(`${label}Of`, { tool: name })}
      onClick={() => onChange({ toolId, what: 'server', action, ...(isHttp && !isServerAdded ? { isHttp } : {}) })}
    >
      {t(label)}
    </Button>
  )
}

interface ServerRow {
  readonly server: McpServerView
  readonly tool: McpToolView
}

export function AllServers({
  tools,
  onChange,
}: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (requestedChange: RequestedChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'servers' })
  const rows = tools
    .flatMap((tool) => tool.servers.map((server): ServerRow => ({ server, tool })))
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
          cell: ({ server, tool }) => <ServerSwitch server={server} tool={tool} onChange={onChange} />,
        },
        {
          ...actionsColumn(t('actions'), '60px'),
          cell: ({ server, tool }) =>
            server.isOurs ? null : <ServerMenu server={server} tool={tool} onChange={onChange} />,
        },
      ]}
    />
  )
}

interface ServerProps extends ServerRow {
  readonly onChange: (requestedChange: RequestedChange) => void
}

function ServerSwitch({ server: { name, isOn, canSwitch, isOurs }, tool, onChange }: ServerProps) {
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
  const createActionHandler = (action: 'copy' | 'remove') => () =>
    onChange({ change: { what: 'anyServer', toolId, name: server, action }, name, server })
  return (
    <MenuButton
      size="sm"
      label={t('more', { server, tool: name })}
      items={[
        { label: t('copy'), icon: Copy, onSelect: createActionHandler('copy') },
        { label: t('remove'), icon: Trash2, danger: true, onSelect: createActionHandler('remove') },
      ]}
    />
  )
}
