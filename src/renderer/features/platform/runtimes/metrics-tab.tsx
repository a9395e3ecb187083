import { Activity, Pause, Play } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { runtimePath } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { EmptyState } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { CopyCallMenu, FieldsView, LoadedResource } from '../resources'
import { useEndpoint } from './endpoints-tab'
import { type OpenRuntime, runtimes } from './runtimes'

const pollIntervalMs = 15_000

/** Metrics of a runtime. Shown as returned, because the spec does not describe their fields. */
export function MetricsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const endpoint = useEndpoint(open)
  const endpointId = endpoint.chosen ?? endpoint.endpoints[0]?.id
  if (endpointId !== undefined) return <Metrics key={endpointId} {...{ open, endpoint, endpointId }} />
  return (
    <LoadedResource query={endpoint.query} connection={open.connection} address={runtimes.address}>
      {() => (
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
      )}
    </LoadedResource>
  )
}

interface MetricsProps {
  readonly open: OpenRuntime
  readonly endpoint: ReturnType<typeof useEndpoint>
  readonly endpointId: string
}

function Metrics({ open: { connection, runtimeId, subject }, endpoint, endpointId }: MetricsProps) {
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const [isPaused, setIsPaused] = useState(false)
  const isHidden = useIsPageHidden()
  const state = isPaused ? 'paused' : isHidden ? 'waiting' : 'running'
  const metricsQuery = {
    connectionId: connection.id,
    operation: 'runtime.endpoints.metrics',
    path: { id: runtimeId, endpointId },
  }
  const query = useCall('resources.call', metricsQuery, {
    refetchInterval: isPaused ? false : pollIntervalMs,
    refetchOnWindowFocus: !isPaused,
  })
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t('metrics.endpoint')} className="flex-[0_1_360px]">
          <Select
            value={endpointId}
            onValueChange={endpoint.choose}
            options={endpoint.endpoints.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <p className="flex-[1_1_200px] pb-1.75 text-muted text-sm" role="status">
          {t(`metrics.${state}`, { time: duration(pollIntervalMs) })}
        </p>
        <CopyCallMenu call={metricsQuery} />
        <Button icon={isPaused ? Play : Pause} onClick={() => setIsPaused(!isPaused)}>
          {t(isPaused ? 'metrics.resume' : 'metrics.pause')}
        </Button>
      </div>
      <LoadedResource query={query} connection={connection} address={runtimes.address}>
        {({ data, secrets }) => (
          <FieldsView
            data={data ?? {}}
            secrets={secrets}
            connectionId={connection.id}
            keepAs={{ kind: 'token', name: subject.name }}
          />
        )}
      </LoadedResource>
    </div>
  )
}

function subscribeToVisibility(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}

/** Whether the window is minimized or hidden. */
export const useIsPageHidden = (): boolean =>
  useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'hidden')
