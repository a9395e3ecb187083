import type { McpCallView } from '@shared/contract'
import { ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { Code } from '../../ui/code'
import { EmptyState } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Table } from '../../ui/table'

const tones: Readonly<Record<McpCallView['outcome'], Tone>> = {
  ok: 'success',
  failed: 'danger',
  cancelled: 'neutral',
  refused: 'warning',
}

/** The latest calls of coding tools; never what was said or answered. */
export function CallList() {
  const { t } = useTranslation('mcp', { keyPrefix: 'calls' })
  const { duration } = useFormats()
  const query = useCall('mcp.calls', {})
  const { data: tools = [] } = useCall('mcp.tools', {})
  const nameOf = (id: string | undefined): string => {
    if (id === undefined) return t('unknown')
    return id === 'platform-companion' ? t('self') : (tools.find(({ toolId }) => toolId === id)?.name ?? id)
  }
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
      {(calls) =>
        calls.length === 0 ? (
          <EmptyState icon={ScrollText} title={t('empty')}>
            {t('emptyText')}
          </EmptyState>
        ) : (
          <Table
            caption={t('caption')}
            rows={calls.map((call, at) => ({ ...call, key: `${call.at}-${at}` }))}
            rowKey={({ key }) => key}
            columns={[
              { id: 'at', header: t('at'), width: '150px', cell: ({ at }) => <RelativeTime at={at} /> },
              { id: 'tool', header: t('tool'), cell: ({ toolId }) => nameOf(toolId) },
              { id: 'name', header: t('name'), cell: ({ name }) => <Code quiet>{name}</Code> },
              {
                id: 'duration',
                header: t('duration'),
                width: '110px',
                align: 'right',
                cell: ({ durationMs }) => duration(durationMs),
              },
              {
                id: 'outcome',
                header: t('outcome'),
                width: '130px',
                cell: ({ outcome }) => <StatusDot tone={tones[outcome]} label={t(`outcomes.${outcome}`)} />,
              },
            ]}
          />
        )
      }
    </Loaded>
  )
}
