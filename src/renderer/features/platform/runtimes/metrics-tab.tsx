import { Activity, Pause, Play } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { runtimePath } from '../../../paths'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/page'
import { SelectField } from '../../../ui/select'
import { CopyCallMenu, FieldsView, LoadedResource, useService } from '../resources'
import { useEndpoint } from './endpoints-tab'
import type { OpenRuntime } from './runtimes'

const pollIntervalMs = 15_000

/** Metrics of a runtime. Shown as returned, because the spec does not describe their fields. */
export function MetricsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const endpoint = useEndpoint(open.runtimeId)
  const endpointId = endpoint.chosen ?? endpoint.endpoints[0]?.id
  if (endpointId !== undefined) return <Metrics key={endpointId} {...{ open, endpoint, endpointId }} />
  return (
    <LoadedResource query={endpoint.query}>
      {() => (
        <EmptyState
          icon={Activity}
          title={t('metrics.none')}
          actions={[{ label: t('endpoints.create'), to: runtimePath(open.runtimeId, 'endpoints', { new: '1' }) }]}
        >
          {t('metrics.noneText')}
        </EmptyState>
      )}
    </LoadedResource>
  )
}

function Metrics(props: {
  readonly open: OpenRuntime
  readonly endpoint: ReturnType<typeof useEndpoint>
  readonly endpointId: string
}) {
  const { endpoint, endpointId } = props
  const { runtimeId, subject } = props.open
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const [isPaused, setIsPaused] = useState(false)
  const isHidden = useIsPageHidden()
  const state = isPaused ? 'paused' : isHidden ? 'waiting' : 'running'
  const metricsQuery = {
    connectionId: useService().connection.id,
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
        <SelectField
          label={t('metrics.endpoint')}
          className="flex-[0_1_360px]"
          value={endpointId}
          onValueChange={endpoint.choose}
          options={endpoint.endpoints.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <p className="flex-[1_1_200px] pb-1.75 text-muted text-sm" role="status">
          {t(`metrics.${state}`, { time: duration(pollIntervalMs) })}
        </p>
        <CopyCallMenu call={metricsQuery} />
        <Button icon={isPaused ? Play : Pause} onClick={() => setIsPaused(!isPaused)}>
          {t(isPaused ? 'metrics.resume' : 'metrics.pause')}
        </Button>
      </div>
      <LoadedResource query={query}>
        {({ data, secrets }) => (
          <FieldsView data={data} secrets={secrets} keepAs={{ kind: 'token', name: subject.name }} />
        )}
      </LoadedResource>
    </div>
  )
}

const subscribeToVisibility = (onChange: () => void): (() => void) => {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}

/** Whether the window is minimized or hidden. */
export const useIsPageHidden = (): boolean =>
  useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'hidden')
