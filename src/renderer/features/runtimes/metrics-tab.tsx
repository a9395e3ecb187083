import type { ResourceAnswer } from '@shared/contract'
import clsx from 'clsx'
import { Activity, ChartLine, Pause, Play, SquareTerminal, Table2 } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { runtimePath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Card, EmptyState } from '../../ui/page'
import { Select } from '../../ui/select'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import { Table } from '../../ui/table'
import { FieldsTree, ResourceFailure, useCopyCall } from '../resources'
import chartStyles from '../usage/chart.module.css'
import { useEndpoint } from './endpoints-tab'
import { type MetricPoint, type MetricSeries, readMetrics } from './metrics'
import metricsStyles from './metrics.module.css'
import { type OpenRuntime, runtimes } from './runtimes'
import { useHidden } from './use-hidden'

/** How often metrics are asked for, in ms (ours). */
const everyMs = 15_000

function Figures({ answer }: { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('runtimes')
  const series = useMemo(() => readMetrics(answer.data), [answer])
  if (series) {
    return (
      <>
        <div className={metricsStyles.cards}>
          {series.map((one) => (
            <MetricCard key={one.id} series={one} />
          ))}
        </div>
        <p className={metricsStyles.note}>{t('metrics.noUnit')}</p>
      </>
    )
  }
  return (
    <>
      <Callout tone="info" title={t('metrics.unknown')}>
        {t('metrics.unknownText')}
      </Callout>
      <Card>
        <FieldsTree data={answer.data ?? {}} secrets={answer.secrets} />
      </Card>
    </>
  )
}

interface ShownProps {
  readonly open: OpenRuntime
  readonly endpoint: ReturnType<typeof useEndpoint>
  readonly endpointId: string
}

function usePulse() {
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const [isPaused, setIsPaused] = useState(false)
  const isHidden = useHidden()
  const word = isPaused ? 'paused' : isHidden ? 'waiting' : 'running'
  return { isPaused, toggle: () => setIsPaused(!isPaused), words: t(`metrics.${word}`, { time: duration(everyMs) }) }
}

function Shown({ open, endpoint, endpointId }: ShownProps) {
  const { t } = useTranslation(['runtimes', 'resources'])
  const { connection, runtimeId } = open
  const codeItems = useCopyCall()
  const pulse = usePulse()
  const asked = {
    connectionId: connection.id,
    operation: 'runtime.endpoints.metrics',
    path: { id: runtimeId, endpointId },
  }
  const query = useCall('resources.call', asked, {
    refetchInterval: pulse.isPaused ? false : everyMs,
    refetchOnWindowFocus: !pulse.isPaused,
  })
  const { data, error, isFetching } = query
  return (
    <div className={metricsStyles.tab}>
      <div className={metricsStyles.bar}>
        <Field label={t('runtimes:metrics.endpoint')} className={metricsStyles.source ?? ''}>
          <Select
            value={endpointId}
            onValueChange={endpoint.choose}
            options={endpoint.endpoints.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <p className={metricsStyles.state} role="status">
          {pulse.words}
        </p>
        <Menu
          align="end"
          items={codeItems(asked)}
          trigger={<IconButton icon={SquareTerminal} label={t('resources:code.title')} />}
        />
        <Button icon={pulse.isPaused ? Play : Pause} onClick={pulse.toggle}>
          {t(pulse.isPaused ? 'runtimes:metrics.resume' : 'runtimes:metrics.pause')}
        </Button>
      </div>
      {error ? (
        <ResourceFailure
          {...{ connection }}
          failure={error.failure}
          address={runtimes.address}
          onRetry={() => void query.refetch()}
          busy={isFetching}
        />
      ) : null}
      {data ? <Figures answer={data} /> : error ? null : <SkeletonRows rows={5} />}
    </div>
  )
}

/** Processor and memory of one endpoint, asked for again and again while the window can be seen. */
export function MetricsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const endpoint = useEndpoint(open)
  const { asked, endpoints, chosen } = endpoint
  const shown = chosen ?? endpoints[0]?.id
  if (shown !== undefined) return <Shown key={shown} {...{ open, endpoint }} endpointId={shown} />
  if (asked.error) {
    return (
      <ResourceFailure
        connection={open.connection}
        failure={asked.error.failure}
        address={runtimes.address}
        onRetry={() => void asked.refetch()}
        busy={asked.isFetching}
      />
    )
  }
  if (!asked.data) return <SkeletonRows rows={5} />
  return (
    <EmptyState
      icon={Activity}
      title={t('metrics.none')}
      actions={
        <ButtonLink to={runtimePath(open.runtimeId, 'endpoints', { new: '1' })}>
          {t('endpoints.create.label')}
        </ButtonLink>
      }
    >
      {t('metrics.noneText')}
    </EmptyState>
  )
}

const MetricLines = lazy(async () => ({ default: (await import('./metric-lines')).MetricLines }))

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 } as const

const colours = { cpu: 'var(--series-1)', memory: 'var(--series-3)' } as const

function MetricTable({ caption, points }: { readonly caption: string; readonly points: readonly MetricPoint[] }) {
  const { t } = useTranslation('runtimes')
  const { number, dateTime } = useFormats()
  return (
    <Table
      caption={caption}
      columns={[
        { id: 'at', header: t('metrics.at'), cell: ({ at }) => dateTime(new Date(at).toISOString()) },
        { id: 'value', header: t('metrics.value'), align: 'right', width: '30%', cell: ({ value }) => number(value) },
      ]}
      rows={points.toReversed()}
      rowKey={({ at }) => at}
    />
  )
}

/** One measure as a line over time with its latest, lowest and highest value; the figures stand behind it as a table. */
function MetricCard({ series: { id, points } }: { readonly series: MetricSeries }) {
  const { t } = useTranslation('runtimes')
  const formats = useFormats()
  const [isTable, setIsTable] = useState(false)
  const title = t(`metrics.${id}`)
  const values = points.map(({ value }) => value)
  const last = values.at(-1)
  return (
    <section className={chartStyles.card} aria-label={title}>
      <header className={metricsStyles.head}>
        <h2 className={chartStyles.title}>{title}</h2>
        {last === undefined ? null : (
          <span className={metricsStyles.facts}>
            {t('metrics.facts', {
              last: formats.number(last),
              least: formats.number(Math.min(...values)),
              most: formats.number(Math.max(...values)),
            })}
          </span>
        )}
        <span className={chartStyles.actions}>
          <IconButton
            icon={isTable ? ChartLine : Table2}
            size="sm"
            label={t(isTable ? 'metrics.asChart' : 'metrics.asTable', { title })}
            onClick={() => setIsTable(!isTable)}
          />
        </span>
      </header>
      {points.length === 0 ? (
        <p className={metricsStyles.none}>{t('metrics.noPoints')}</p>
      ) : isTable ? (
        <section className={metricsStyles.table} aria-label={t('metrics.figures', { title })} {...reachable}>
          <MetricTable caption={title} points={points} />
        </section>
      ) : (
        <>
          <div className={metricsStyles.chart} aria-hidden="true">
            <Suspense fallback={<Skeleton height={180} />}>
              <MetricLines points={points} colour={colours[id]} formats={formats} />
            </Suspense>
          </div>
          <div className={clsx('sr-only', metricsStyles.behind)}>
            <MetricTable caption={title} points={points} />
          </div>
        </>
      )}
    </section>
  )
}
