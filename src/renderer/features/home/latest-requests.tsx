import type { SandboxRequestView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { StatusDot } from '../../ui/badge'
import { Code } from '../../ui/code'
import { Card, MoreLink, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import styles from './home-page.module.css'

const shown = 5
const refreshMs = 4_000

function useColumns(): readonly Column<SandboxRequestView>[] {
  const { t } = useTranslation('home')
  const { time, duration, number } = useFormats()
  const tokens = (count: number | undefined): string => (count === undefined ? '–' : number(count))
  return [
    { id: 'time', header: t('requests.time'), width: '90px', cell: ({ at }) => time(at) },
    {
      id: 'status',
      header: t('requests.status'),
      width: '70px',
      cell: ({ status }) => <StatusDot tone={status < 400 ? 'success' : 'danger'} label={status} />,
    },
    {
      id: 'client',
      header: t('requests.client'),
      cell: ({ client }) => <span title={client}>{client?.split('/')[0] ?? '–'}</span>,
    },
    { id: 'path', header: t('requests.path'), width: '172px', cell: ({ path }) => <Code quiet>{path}</Code> },
    {
      id: 'model',
      header: t('requests.model'),
      cell: ({ modelCode }) => <span title={modelCode}>{modelCode ?? '–'}</span>,
    },
    {
      id: 'tokens',
      header: t('requests.tokens'),
      align: 'right',
      width: '108px',
      cell: ({ inputTokens, outputTokens }) =>
        inputTokens === undefined && outputTokens === undefined
          ? '–'
          : `${tokens(inputTokens)} / ${tokens(outputTokens)}`,
    },
    {
      id: 'duration',
      header: t('requests.duration'),
      align: 'right',
      width: '80px',
      cell: ({ durationMs }) => duration(durationMs),
    },
  ]
}

/** The last requests that reached the sandbox gateway, while it runs. */
export function LatestRequests() {
  const { t } = useTranslation('home')
  const columns = useColumns()
  const requests = useCall('sandbox.requests', {}, { refetchInterval: refreshMs })
  return (
    <Section title={t('requests.title')} actions={<MoreLink to="/sandbox">{t('requests.all')}</MoreLink>}>
      <Loaded query={requests} skeleton={<SkeletonRows rows={2} />}>
        {(all) =>
          all.length === 0 ? (
            <Card>
              <p className={styles.quiet}>{t('requests.empty')}</p>
            </Card>
          ) : (
            <Table
              caption={t('requests.list')}
              columns={columns}
              rows={all.toSorted((a, b) => b.n - a.n).slice(0, shown)}
              rowKey={({ n }) => n}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
