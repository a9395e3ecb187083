import type { SandboxArea, SandboxRequestView } from '@shared/contract'
import i18next from 'i18next'
import { Inbox } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { formatDuration, formatNumber, formatTime } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ChartLegend } from '../../ui/chart-card'
import { CardSection, EmptyState, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { Stack } from '../../ui/rows'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'

const t = i18next.getFixedT(null, 'sandbox')

const pollIntervalMs = 1_000
const areas: readonly SandboxArea[] = ['gateway', 'platform']

const usePolledRequests = (area: SandboxArea) =>
  useCall('sandbox.requests', { area }, { refetchInterval: pollIntervalMs, staleTime: 0 })

export function Requests() {
  const [area, setArea] = useState<SandboxArea>('gateway')
  const query = usePolledRequests(area)
  return (
    <>
      <TokenSection />
      <Section
        title={t('requests.title')}
        description={t('requests.hint')}
        actions={
          <SegmentedControl
            label={t('requests.area')}
            value={area}
            onValueChange={setArea}
            segments={areas.map((value) => ({ value, label: t(`requests.areas.${value}`) }))}
          />
        }
      >
        <Loaded query={query} rows={4}>
          {(requests) =>
            requests.length === 0 ? (
              <EmptyState
                icon={Inbox}
                title={t(`requests.empty.${area}Title`)}
                actions={[area === 'gateway' && { label: t('configureTool'), to: '/tools' }]}
              >
                {t(`requests.empty.${area}Text`)}
              </EmptyState>
            ) : (
              <RequestsTable key={area} area={area} requests={requests} />
            )
          }
        </Loaded>
      </Section>
    </>
  )
}

const TokenChart = lazy(async () => ({ default: (await import('./token-chart')).TokenChart }))

const maxBars = 30

function TokenSection() {
  const { data: requests = [] } = usePolledRequests('gateway')
  // Requests without counts have no bar.
  const bars = requests
    .toSorted((a, b) => a.n - b.n)
    .filter(({ inputTokens, outputTokens }) => inputTokens !== undefined || outputTokens !== undefined)
    .slice(-maxBars)
  if (bars.length === 0) return null
  const sum = (field: 'inputTokens' | 'outputTokens'): string =>
    formatNumber(bars.reduce((total, bar) => total + (bar[field] ?? 0), 0))
  const totals = { input: sum('inputTokens'), output: sum('outputTokens'), count: bars.length }
  return (
    <CardSection
      title={t('chart.title')}
      actions={
        <ChartLegend
          items={(['input', 'output'] as const).map((part) => ({
            name: t(`chart.${part}`),
            colour: `var(--color-chart-${part})`,
          }))}
        />
      }
    >
      <div role="img" aria-label={t('chart.summary', totals)}>
        <Suspense fallback={<Skeleton height={120} />}>
          <TokenChart bars={bars} />
        </Suspense>
      </div>
    </CardSection>
  )
}

const page = 25

function useColumns(area: SandboxArea): readonly Column<SandboxRequestView>[] {
  const secondColumn = area === 'gateway' ? 'model' : 'operation'
  const tokens = ({ inputTokens, outputTokens }: SandboxRequestView) => {
    if (inputTokens === undefined && outputTokens === undefined) return <span className="text-faint">–</span>
    const [input, output] = [formatNumber(inputTokens ?? 0), formatNumber(outputTokens ?? 0)]
    return (
      <span title={t('requests.inOut', { input, output })}>
        {input} → {output}
      </span>
    )
  }
  return [
    {
      id: 'time',
      header: t('requests.time'),
      width: '92px',
      cell: ({ at }) => <time dateTime={at}>{formatTime(at)}</time>,
    },
    {
      id: 'request',
      header: t(`requests.${secondColumn}Header`),
      cell: ({ method, path, modelCode, operation }) => (
        <Stack>
          <code title={`${method} ${path}`}>
            <span className="font-semibold text-muted">{method}</span> {path}
          </code>
          <code className="text-muted text-sm" title={t(`requests.${secondColumn}`)}>
            {(area === 'gateway' ? modelCode : operation) ?? '–'}
          </code>
        </Stack>
      ),
    },
    {
      id: 'status',
      header: t('requests.status'),
      width: '74px',
      cell: ({ status }) => (
        <Badge tone={status < 300 ? 'success' : status < 400 ? 'neutral' : 'danger'}>{status}</Badge>
      ),
    },
    {
      id: 'client',
      header: t(area === 'gateway' ? 'requests.clientAndKey' : 'requests.client'),
      width: '20%',
      cell: ({ client, keyName }) => (
        <Stack>
          <span title={client}>{client ?? '–'}</span>
          {area === 'gateway' ? (
            <span className="text-muted text-sm" title={t('requests.key')}>
              {keyName ?? '–'}
            </span>
          ) : null}
        </Stack>
      ),
    },
    ...(area === 'gateway'
      ? [{ id: 'tokens', header: t('requests.tokens'), width: '114px', align: 'right', cell: tokens } as const]
      : []),
    {
      id: 'took',
      header: t('requests.took'),
      width: '80px',
      align: 'right',
      cell: ({ durationMs }) => formatDuration(durationMs),
    },
  ]
}

/** Table of requests, newest first. Platform requests have an operation and no tokens. */
export function RequestsTable(props: { readonly area: SandboxArea; readonly requests: readonly SandboxRequestView[] }) {
  const { area, requests } = props
  const [shownCount, setShownCount] = useState(page)
  const columns = useColumns(area)
  const requestsNewestFirst = requests.toSorted((a, b) => b.n - a.n)
  const hiddenCount = requestsNewestFirst.length - shownCount
  return (
    <>
      <div className="[&_td]:h-12">
        <Table
          caption={t('requests.list')}
          columns={columns}
          rows={requestsNewestFirst.slice(0, shownCount)}
          rowKey={({ n }) => n}
        />
      </div>
      {hiddenCount > 0 ? (
        <div className="flex justify-center">
          <Button size="sm" variant="ghost" onClick={() => setShownCount(shownCount + page)}>
            {t('requests.more', { count: Math.min(page, hiddenCount) })}
          </Button>
        </div>
      ) : null}
    </>
  )
}
