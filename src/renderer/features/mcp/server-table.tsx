import type { McpPermission, McpServerView, McpToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { CompactSwitch } from '../../ui/switch'
import { type Column, Table } from '../../ui/table'
import { ExplainedFailure } from '../failures'
import type { OwnChange } from './change-dialog'

const tones: Readonly<Record<McpToolView['server'], Tone>> = {
  absent: 'neutral',
  added: 'success',
  modified: 'warning',
  unreadable: 'danger',
}

/** Every tool that speaks MCP: whether it has our server, which others, and what it may do beside reading. */
export function ServerTable({
  tools,
  onChange,
}: {
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: OwnChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const switching = useAction('mcp.setPermission', { invalidates: ['mcp'] })
  const permission = (id: McpPermission): Column<McpToolView> => ({
    id,
    header: t(`permissions.${id}`),
    width: '104px',
    // What a tool without our server may do matters to nobody.
    cell: ({ toolId, name, server, permissions }) =>
      server === 'absent' && !permissions.includes(id) ? null : (
        <CompactSwitch
          label={t(`permissionsOf.${id}`, { tool: name })}
          checked={permissions.includes(id)}
          disabled={switching.isPending}
          onCheckedChange={(isOn) => switching.mutate({ toolId, permission: id, isOn })}
        />
      ),
  })
  const failure = switching.error?.failure
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
            id: 'actions',
            header: t('actions'),
            headerHidden: true,
            align: 'right',
            width: '96px',
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
      <StatusDot tone={tones[server]} label={t(`states.${server}`)} />
    </span>
  )
}

/** Names, with what runs behind each as the title. */
function OtherServers({ servers }: { readonly servers: readonly McpServerView[] }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const others = servers.filter(({ isOurs }) => !isOurs)
  if (others.length === 0) return t('none')
  const title = others.map(({ name, runs }) => (runs === undefined ? name : `${name}: ${runs}`)).join('\n')
  return <span title={title}>{others.map(({ name }) => name).join(', ')}</span>
}

function ServerAction({
  tool: { toolId, name, server },
  onChange,
}: {
  readonly tool: McpToolView
  readonly onChange: (change: OwnChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'table' })
  const isThere = server === 'added'
  const action = isThere ? 'remove' : 'add'
  return (
    <Button
      size="sm"
      variant={isThere ? 'ghost' : 'secondary'}
      disabled={server === 'unreadable'}
      aria-label={t(`${action}Of`, { tool: name })}
      onClick={() => onChange({ toolId, what: 'server', action })}
    >
      {t(action)}
    </Button>
  )
}
