import type { McpCallView } from '@shared/contract'
import i18next from 'i18next'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { formatDuration } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { QuietCode } from '../../ui/code'
import { Card, EmptyState } from '../../ui/page'
import { ExpandButton } from '../../ui/rows'
import { Switch } from '../../ui/switch'
import { actionsColumn, type Column, Table } from '../../ui/table'

const t = i18next.getFixedT(null, 'mcp', 'calls')

const tones: Readonly<Record<McpCallView['outcome'], Tone>> = {
  ok: 'success',
  failed: 'danger',
  cancelled: 'neutral',
  refused: 'warning',
}

/** Latest calls of coding tools. Arguments only if recording is on, never results. */
export function CallList() {
  const query = useCall('mcp.calls', {})
  const { data: isOn } = useCall('mcp.recordsArguments', {})
  // The main process asks for confirmation in a native dialog.
  const setRecording = useAction('mcp.setRecordsArguments', { invalidates: ['mcp'] })
  const failure = setRecording.error?.failure
  return (
    <div className="flex flex-col gap-4">
      {failure && failure.code !== 'input.declined' ? <ExplainedFailure failure={failure} /> : null}
      <Card>
        <Switch
          label={t('record')}
          hint={t('recordHint')}
          checked={isOn === true}
          disabled={isOn === undefined || setRecording.isPending}
          onCheckedChange={(isChecked) => setRecording.mutate({ isOn: isChecked })}
        />
      </Card>
      <Loaded query={query} rows={6}>
        {(calls) =>
          calls.length === 0 ? (
            <EmptyState icon={ScrollText} title={t('empty')}>
              {t('emptyText')}
            </EmptyState>
          ) : (
            <CallTable calls={calls} />
          )
        }
      </Loaded>
    </div>
  )
}

type CallRow = McpCallView & { readonly key: string }

/** Numbers calls of the same millisecond, oldest first, so that their keys stay the same when newer calls arrive. */
const toRows = (calls: readonly McpCallView[]): CallRow[] =>
  calls.map((call, index) => {
    const olderCount = calls.slice(index + 1).filter(({ at }) => at === call.at).length
    return { ...call, key: `${call.at}-${olderCount}` }
  })

function CallTable({ calls }: { readonly calls: readonly McpCallView[] }) {
  const { data: tools = [] } = useCall('mcp.tools', {})
  const [openKey, setOpenKey] = useState<string>()
  const getName = (id: string | undefined): string => {
    if (id === undefined) return t('unknown')
    return id === 'platform-companion' ? t('self') : (tools.find(({ toolId }) => toolId === id)?.name ?? id)
  }
  const argumentsColumn: Column<CallRow> = {
    ...actionsColumn(t('arguments'), '128px'),
    cell: ({ key, name, arguments: argumentsText }) =>
      argumentsText === undefined ? null : (
        <ExpandButton
          aria-expanded={openKey === key}
          aria-label={t('argumentsOf', { name })}
          onClick={() => setOpenKey(openKey === key ? undefined : key)}
        >
          {t('arguments')}
        </ExpandButton>
      ),
  }
  return (
    <Table
      caption={t('caption')}
      rows={toRows(calls)}
      rowKey={({ key }) => key}
      columns={[
        { id: 'at', header: t('at'), width: '150px', cell: ({ at }) => <RelativeTime at={at} /> },
        { id: 'tool', header: t('tool'), cell: ({ toolId }) => getName(toolId) },
        { id: 'name', header: t('name'), cell: ({ name }) => <QuietCode>{name}</QuietCode> },
        {
          id: 'duration',
          header: t('duration'),
          width: '100px',
          align: 'right',
          cell: ({ durationMs }) => formatDuration(durationMs),
        },
        {
          id: 'outcome',
          header: t('outcome'),
          width: '130px',
          cell: ({ outcome }) => <StatusDot tone={tones[outcome]} label={t(`outcomes.${outcome}`)} />,
        },
        ...(calls.some((call) => call.arguments !== undefined) ? [argumentsColumn] : []),
      ]}
      detail={({ key, arguments: argumentsText }) =>
        argumentsText !== undefined && openKey === key ? (
          <pre className="max-h-60 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs">
            {argumentsText}
          </pre>
        ) : null
      }
    />
  )
}
