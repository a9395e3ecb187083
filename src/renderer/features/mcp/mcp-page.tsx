import type { McpChange, McpPermission, McpToolName, McpToolView } from '@shared/contract'
import { prettyJson } from '@shared/json'
import i18next from 'i18next'
import { Copy, History, Plug, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall, useCancelableCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { type Actions, Button, renderActions } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { FieldGroup, TextAreaField } from '../../ui/field'
import { MenuButton } from '../../ui/menu'
import { Card, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { SelectField } from '../../ui/select'
import { CompactSwitch } from '../../ui/switch'
import { actionsColumn, type Column, Table } from '../../ui/table'
import { Tabs } from '../../ui/tabs'
import { CallList } from './call-list'
import { ChangeDialog, hasStatusLine } from './change-dialog'

const t = i18next.getFixedT(null, ['mcp', 'tools'])

export function McpPage() {
  const [tab, setTab] = useState<'tools' | 'servers' | 'history' | 'tryOut' | 'calls'>('tools')
  const [requestedChange, setRequestedChange] = useState<McpChange>()
  const query = useCall('mcp.tools', {})
  const renderTools = (render: (tools: readonly McpToolView[]) => ReactNode) => (
    <Loaded query={query} rows={8}>
      {render}
    </Loaded>
  )
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
          {
            value: 'tools',
            label: t('mcp:tabs.tools'),
            content: renderTools((tools) => (
              <>
                <ServerTable tools={tools} onChange={setRequestedChange} />
                <StatusLines tools={tools} onChange={setRequestedChange} />
              </>
            )),
          },
          {
            value: 'servers',
            label: t('mcp:tabs.servers'),
            content: renderTools((tools) => <AllServers tools={tools} onChange={setRequestedChange} />),
          },
          { value: 'history', label: t('mcp:tabs.history'), content: <ChangeList onChange={setRequestedChange} /> },
          { value: 'tryOut', label: t('mcp:tabs.tryOut'), content: <TrialCall /> },
          { value: 'calls', label: t('mcp:tabs.calls'), content: <CallList /> },
        ]}
      />
      {requestedChange ? (
        <ChangeDialog requestedChange={requestedChange} onClose={() => setRequestedChange(undefined)} />
      ) : null}
    </Page>
  )
}

interface ToolsProps {
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: McpChange) => void
}

function StatusLines({ tools, onChange }: ToolsProps) {
  return (
    <Section title={t('statusLine.title')} description={t('statusLine.hint')}>
      <Table
        caption={t('statusLine.title')}
        rows={tools.filter(({ statusLine }) => statusLine !== undefined)}
        rowKey={({ toolId }) => toolId}
        columns={[
          { id: 'name', header: t('table.tool'), width: '160px', cell: ({ name }) => name },
          {
            id: 'state',
            header: t('statusLine.title'),
            cell: ({ statusLine = 'absent' }) => (
              <StatusDot tone={presenceTones[statusLine]} label={t(`states.${statusLine}`)} />
            ),
          },
          {
            ...actionsColumn(t('table.actions'), '220px'),
            cell: ({ toolId, name: tool, statusLine }) => {
              const isStatusLineSet = hasStatusLine({ statusLine })
              const request = (action: 'add' | 'remove') => () => onChange({ toolId, what: 'statusLine', action })
              const buttons: Actions = [
                {
                  label: t(isStatusLineSet ? 'statusLine.change' : 'statusLine.add'),
                  'aria-label': t(isStatusLineSet ? 'statusLine.changeOf' : 'change.statusLine.add', { tool }),
                  disabled: statusLine === 'unreadable',
                  onClick: request('add'),
                },
                isStatusLineSet && {
                  label: t('statusLine.remove'),
                  'aria-label': t('change.statusLine.remove', { tool }),
                  variant: 'ghost',
                  onClick: request('remove'),
                },
              ]
              return <div className="flex justify-end gap-2">{renderActions(buttons, 'sm')}</div>
            },
          },
        ]}
      />
    </Section>
  )
}

/** List of changes of MCP settings, newest first. Undoing a change also undoes all later ones. */
function ChangeList({ onChange }: Pick<ToolsProps, 'onChange'>) {
  const query = useCall('mcp.history', {})
  return (
    <Loaded query={query} rows={6}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState icon={History} title={t('history.empty')}>
            {t('history.emptyText')}
          </EmptyState>
        ) : (
          <Table
            caption={t('mcp:history.caption')}
            rows={entries}
            rowKey={({ id }) => id}
            columns={[
              { id: 'at', header: t('mcp:history.at'), width: '150px', cell: ({ at }) => <RelativeTime at={at} /> },
              {
                id: 'tool',
                header: t('history.tool'),
                cell: ({ changes }) => changes.map(({ toolName }) => toolName).join(', '),
              },
              {
                id: 'server',
                header: t('history.server'),
                cell: ({ changes }) =>
                  [...new Set(changes.map(({ server = t('history.statusLine') }) => server))].join(', '),
              },
              {
                id: 'kind',
                header: t('history.kind'),
                width: '130px',
                cell: ({ isUndone, changes: [firstChange] }) =>
                  t(`history.kinds.${isUndone ? 'undone' : (firstChange?.kind ?? 'write')}`),
              },
              {
                ...actionsColumn(t('history.actions'), '130px'),
                cell: ({ id: entryId, isUndone, changes: [firstChange] }) =>
                  isUndone ? null : (
                    <Button
                      size="sm"
                      variant="ghost"
                      aria-label={t('history.undoOf', { server: firstChange?.server ?? t('history.statusLine') })}
                      onClick={() => onChange({ what: 'rewind', entryId })}
                    >
                      {t('history.undo')}
                    </Button>
                  ),
              },
            ]}
          />
        )
      }
    </Loaded>
  )
}

/** Lets the user call this app's MCP server in the same way as a coding tool. Does not change settings. */
function TrialCall() {
  const query = useCall('mcp.offers', {})
  const [name, setName] = useState<McpToolName>('plans')
  const [input, setInput] = useState('{}')
  const { createCallId, cancel } = useCancelableCall()
  const tryOutTool = useAction('mcp.tryOut', { invalidates: ['mcp'] })
  const run = (): void => tryOutTool.mutate({ callId: createCallId(), name, input })
  const chooseOffer = (offerName: McpToolName): void => {
    setName(offerName)
    tryOutTool.reset()
  }
  return (
    <div className="grid grid-cols-2 gap-5">
      <Section title={t('tryOut.request')}>
        <Card>
          <Loaded query={query} rows={4}>
            {(offers) => {
              const chosenOffer = offers.find((offer) => offer.name === name)
              return (
                <FieldGroup>
                  <SelectField
                    label={t('tryOut.tool')}
                    hint={chosenOffer?.isReadOnly === false ? t('tryOut.isOff') : t(`tryOut.offers.${name}`)}
                    value={name}
                    onValueChange={chooseOffer}
                    options={offers.map((offer) => ({ value: offer.name, label: offer.name }))}
                  />
                  <TextAreaField
                    label={t('tryOut.input')}
                    hint={t('tryOut.inputHint')}
                    rows={6}
                    className="font-mono"
                    value={input}
                    onChange={setInput}
                  />
                  <div className="flex gap-2">
                    <Button variant="primary" busy={tryOutTool.isPending} onClick={run}>
                      {t('tryOut.call')}
                    </Button>
                    {tryOutTool.isPending ? <Button onClick={cancel}>{t('tryOut.stop')}</Button> : null}
                  </div>
                  <details>
                    <summary>{t('tryOut.schema')}</summary>
                    <pre className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs">
                      {chosenOffer?.schema}
                    </pre>
                  </details>
                </FieldGroup>
              )
            }}
          </Loaded>
        </Card>
      </Section>
      <Section title={t('tryOut.response')}>
        <ExplainedFailure failure={tryOutTool.error?.failure} handlers={{ tryAgain: run }} />
        {tryOutTool.data?.isError ? <Callout tone="warning" title={t('tryOut.failed')} /> : null}
        <Card>
          <pre
            className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs"
            aria-label={t('tryOut.response')}
            role="status"
          >
            {tryOutTool.data ? prettyJson(tryOutTool.data.text) : t('tryOut.none')}
          </pre>
        </Card>
      </Section>
    </div>
  )
}

/** Color by state of this app's MCP server in a tool's settings. */
const presenceTones: Readonly<Record<McpToolView['server'], Tone>> = {
  absent: 'neutral',
  added: 'success',
  modified: 'warning',
  unreadable: 'danger',
}

function ServerTable({ tools, onChange }: ToolsProps) {
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

function AllServers({ tools, onChange }: ToolsProps) {
  const rows = tools
    .flatMap((tool) => tool.servers.map((server) => ({ server, tool })))
    .sort((a, b) => a.server.name.localeCompare(b.server.name))
  if (rows.length === 0)
    return (
      <EmptyState icon={Plug} title={t('servers.empty')}>
        {t('servers.emptyText')}
      </EmptyState>
    )
  return (
    <Table
      caption={t('servers.caption')}
      rows={rows}
      rowKey={({ server, tool }) => `${server.name} ${tool.toolId}`}
      columns={[
        { id: 'name', header: t('servers.name'), cell: ({ server }) => server.name },
        { id: 'tool', header: t('servers.tool'), width: '160px', cell: ({ tool }) => tool.name },
        {
          id: 'runs',
          header: t('servers.runs'),
          width: '230px',
          cell: ({ server: { kind, runs = '' } }) => (kind === 'program' ? runs : `${kind.toUpperCase()} · ${runs}`),
        },
        {
          id: 'isOn',
          header: t('servers.isOn'),
          width: '90px',
          cell: ({ server: { name: server, isOn, canSwitch, isOurs }, tool: { toolId, name } }) => {
            if (!canSwitch || isOurs) return null
            const action = isOn ? 'switchOff' : 'switchOn'
            return (
              <CompactSwitch
                label={t('servers.isOnOf', { server, tool: name })}
                checked={isOn}
                onCheckedChange={() => onChange({ what: 'anyServer', toolId, name: server, action })}
              />
            )
          },
        },
        {
          ...actionsColumn(t('servers.actions'), '60px'),
          cell: ({ server: { name: server, isOurs }, tool: { toolId, name } }) => {
            const request = (action: 'copy' | 'remove') => () =>
              onChange({ what: 'anyServer', toolId, name: server, action })
            return isOurs ? null : (
              <MenuButton
                size="sm"
                label={t('servers.more', { server, tool: name })}
                items={[
                  { label: t('servers.copy'), icon: Copy, onSelect: request('copy') },
                  { label: t('servers.remove'), icon: Trash2, danger: true, onSelect: request('remove') },
                ]}
              />
            )
          },
        },
      ]}
    />
  )
}
