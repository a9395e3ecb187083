import type { McpToolName, McpToolView, MethodOutput } from '@shared/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { type CallError, useAction, useCall, useCancelableCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field, FieldGroup, TextArea } from '../../ui/field'
import { Card, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { Table } from '../../ui/table'
import { Tabs } from '../../ui/tabs'
import { CallList } from './call-list'
import { ChangeDialog, type OwnServerChange, type RequestedChange } from './change-dialog'
import { AllServers, presenceTones, ServerTable } from './server-table'

type TabId = 'tools' | 'servers' | 'history' | 'tryOut' | 'calls'

export function McpPage() {
  const { t } = useTranslation(['mcp', 'tools'])
  const [tab, setTab] = useState<TabId>('tools')
  const [requestedChange, setRequestedChange] = useState<RequestedChange>()
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
          {
            value: 'tools',
            label: t('mcp:tabs.tools'),
            content: <ToolsTab query={query} onChange={setRequestedChange} />,
          },
          {
            value: 'servers',
            label: t('mcp:tabs.servers'),
            content: (
              <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
                {(tools) => <AllServers tools={tools} onChange={setRequestedChange} />}
              </Loaded>
            ),
          },
          { value: 'history', label: t('mcp:tabs.history'), content: <ChangeList onChange={setRequestedChange} /> },
          { value: 'tryOut', label: t('mcp:tabs.tryOut'), content: <TrialCall /> },
          { value: 'calls', label: t('mcp:tabs.calls'), content: <CallList /> },
        ]}
      />
      {requestedChange ? (
        <ChangeDialog
          requestedChange={requestedChange}
          tools={query.data ?? []}
          onClose={() => setRequestedChange(undefined)}
        />
      ) : null}
    </Page>
  )
}

interface ToolsTabProps {
  readonly query: UseQueryResult<McpToolView[], CallError>
  readonly onChange: (requestedChange: RequestedChange) => void
}

function ToolsTab({ query, onChange }: ToolsTabProps) {
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={8} />}>
      {(tools) => {
        const requestChange = (change: OwnServerChange): void => {
          const tool = tools.find(({ toolId }) => toolId === change.toolId)
          const replacesStatusLine = change.what === 'statusLine' && hasStatusLine(tool?.statusLine)
          onChange({ change, name: tool?.name ?? change.toolId, isThere: replacesStatusLine })
        }
        return (
          <>
            <ServerTable tools={tools} onChange={requestChange} />
            <StatusLines tools={tools.filter(({ statusLine }) => statusLine !== undefined)} onChange={requestChange} />
          </>
        )
      }}
    </Loaded>
  )
}

interface StatusLinesProps {
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: OwnServerChange) => void
}

function StatusLines({ tools, onChange }: StatusLinesProps) {
  const { t } = useTranslation('mcp')
  return (
    <Section title={t('statusLine.title')} description={t('statusLine.hint')}>
      <Table
        caption={t('statusLine.title')}
        rows={tools}
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
            id: 'actions',
            header: t('table.actions'),
            headerHidden: true,
            align: 'right',
            width: '220px',
            cell: (tool) => <StatusLineActions tool={tool} onChange={onChange} />,
          },
        ]}
      />
    </Section>
  )
}

const hasStatusLine = (state: McpToolView['statusLine']): boolean => state === 'added' || state === 'modified'

function StatusLineActions({
  tool: { toolId, name, statusLine },
  onChange,
}: Pick<StatusLinesProps, 'onChange'> & { readonly tool: McpToolView }) {
  const { t } = useTranslation('mcp')
  const isStatusLineSet = hasStatusLine(statusLine)
  const requestStatusLine = (action: 'add' | 'remove') => () => onChange({ toolId, what: 'statusLine', action })
  return (
    <div className="flex justify-end gap-2">
      <Button
        size="sm"
        disabled={statusLine === 'unreadable'}
        aria-label={t(isStatusLineSet ? 'statusLine.changeOf' : 'change.statusLine.add', { tool: name })}
        onClick={requestStatusLine('add')}
      >
        {t(isStatusLineSet ? 'statusLine.change' : 'statusLine.add')}
      </Button>
      {isStatusLineSet ? (
        <Button
          size="sm"
          variant="ghost"
          aria-label={t('change.statusLine.remove', { tool: name })}
          onClick={requestStatusLine('remove')}
        >
          {t('statusLine.remove')}
        </Button>
      ) : null}
    </div>
  )
}

/** List of changes of MCP settings, newest first. Undoing a change also undoes all later ones. */
function ChangeList({ onChange }: { readonly onChange: (requestedChange: RequestedChange) => void }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'history' })
  const query = useCall('mcp.history', {})
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState icon={History} title={t('empty')}>
            {t('emptyText')}
          </EmptyState>
        ) : (
          <Table
            caption={t('caption')}
            rows={entries}
            rowKey={({ id }) => id}
            columns={[
              { id: 'at', header: t('at'), width: '150px', cell: ({ at }) => <RelativeTime at={at} /> },
              {
                id: 'tool',
                header: t('tool'),
                cell: ({ changes }) => changes.map(({ toolName }) => toolName).join(', '),
              },
              {
                id: 'server',
                header: t('server'),
                cell: ({ changes }) => [...new Set(changes.map(({ server = t('statusLine') }) => server))].join(', '),
              },
              {
                id: 'kind',
                header: t('kind'),
                width: '130px',
                cell: ({ isUndone, changes: [firstChange] }) =>
                  t(`kinds.${isUndone ? 'undone' : (firstChange?.kind ?? 'write')}`),
              },
              {
                id: 'actions',
                header: t('actions'),
                headerHidden: true,
                align: 'right',
                width: '130px',
                cell: ({ id: entryId, isUndone, changes }) =>
                  isUndone ? null : (
                    <Button
                      size="sm"
                      variant="ghost"
                      aria-label={t('undoOf', { server: changes[0]?.server ?? t('statusLine') })}
                      onClick={() =>
                        onChange({ change: { what: 'rewind', entryId }, name: changes[0]?.toolName ?? '' })
                      }
                    >
                      {t('undo')}
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
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
      {(offers) => <ToolTryOut offers={offers} />}
    </Loaded>
  )
}

function ToolTryOut({ offers }: { readonly offers: MethodOutput<'mcp.offers'> }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'tryOut' })
  const [name, setName] = useState<McpToolName>('plans')
  const [input, setInput] = useState('{}')
  const { createCallId, cancel } = useCancelableCall()
  const tryOutTool = useAction('mcp.tryOut', { invalidates: ['mcp'] })
  const chosenOffer = offers.find((offer) => offer.name === name)
  const run = (): void => tryOutTool.mutate({ callId: createCallId(), name, input })
  const chooseOffer = (offerName: string): void => {
    const nextOffer = offers.find((offer) => offer.name === offerName)
    if (nextOffer) setName(nextOffer.name)
    tryOutTool.reset()
  }
  return (
    <div className="grid grid-cols-2 gap-5">
      <Section title={t('request')}>
        <Card>
          <FieldGroup>
            <Field label={t('tool')} hint={chosenOffer?.isReadOnly === false ? t('isOff') : t(`offers.${name}`)}>
              <Select
                value={name}
                onValueChange={chooseOffer}
                options={offers.map((offer) => ({ value: offer.name, label: offer.name }))}
              />
            </Field>
            <Field label={t('input')} hint={t('inputHint')}>
              <TextArea
                rows={6}
                className="font-mono"
                value={input}
                onChange={(event) => setInput(event.target.value)}
              />
            </Field>
            <div className="flex gap-2">
              <Button variant="primary" busy={tryOutTool.isPending} onClick={run}>
                {t('call')}
              </Button>
              {tryOutTool.isPending ? <Button onClick={cancel}>{t('stop')}</Button> : null}
            </div>
            <details>
              <summary>{t('schema')}</summary>
              <pre className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs">
                {chosenOffer?.schema}
              </pre>
            </details>
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('response')}>
        {tryOutTool.error ? <ExplainedFailure failure={tryOutTool.error.failure} handlers={{ tryAgain: run }} /> : null}
        {tryOutTool.data?.isError ? <Callout tone="warning" title={t('failed')} /> : null}
        <Card>
          <pre
            className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs"
            aria-label={t('response')}
            role="status"
          >
            {tryOutTool.data ? prettyPrint(tryOutTool.data.text) : t('none')}
          </pre>
        </Card>
      </Section>
    </div>
  )
}

/** Formats JSON with indentation. Returns any other text unchanged. */
function prettyPrint(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
