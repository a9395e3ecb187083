import type { ResourceAnswer } from '@shared/contract'
import { Activity, Pause, Play, SquareTerminal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { Card } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { SkeletonRows } from '../../../ui/skeleton'
import { useCopyCall } from '../../resources/copy-call'
import { FieldsTree } from '../../resources/fields-tree'
import { ResourceFailure } from '../../resources/resource-failure'
import type { OpenRuntime } from '../open-runtime'
import { runtimePath } from '../paths'
import { runtimes } from '../runtimes'
import { useEndpoint } from '../use-endpoint'
import { useHidden } from '../use-hidden'
import { MetricCard } from './metric-card'
import { readMetrics } from './metrics'
import styles from './metrics.module.css'

/** How often metrics are asked for, in ms (ours). */
const everyMs = 15_000

function Figures({ answer }: { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('runtimes')
  const series = useMemo(() => readMetrics(answer.data), [answer])
  if (series) {
    return (
      <>
        <div className={styles.cards}>
          {series.map((one) => (
            <MetricCard key={one.id} series={one} />
          ))}
        </div>
        <p className={styles.note}>{t('metrics.noUnit')}</p>
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
    <div className={styles.tab}>
      <div className={styles.bar}>
        <Field label={t('runtimes:metrics.endpoint')} className={styles.source ?? ''}>
          <Select
            value={endpointId}
            onValueChange={endpoint.choose}
            options={endpoint.endpoints.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <p className={styles.state} role="status">
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
