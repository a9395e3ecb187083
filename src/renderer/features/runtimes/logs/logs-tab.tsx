import type { MethodInput } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useFormats } from '../../../format'
import { callKey } from '../../../ipc'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Select } from '../../../ui/select'
import { SkeletonRows } from '../../../ui/skeleton'
import { ResourceFailure } from '../../resources/resource-failure'
import type { OpenRuntime } from '../open-runtime'
import { runtimes } from '../runtimes'
import { useEndpoint } from '../use-endpoint'
import { useHidden } from '../use-hidden'
import { foundLines, type LogLine } from './log-lines'
import { readRange, type TypedRange } from './log-range'
import { type LogLook, LogTools } from './log-tools'
import { LogView } from './log-view'
import styles from './logs.module.css'
import type { Loaded } from './merge-lines'
import { RangeForm } from './range-form'
import { followMs, logCall, useLogs } from './use-logs'

/** Stands for the runtime itself among its endpoints; no identifier is so short. */
const ofRuntime = '-'

/** How many lines there are, whether some are missing, and whether more are asked for. */
function useWords({ lines, hasGap, dropped }: Loaded, found: number, isFollowing: boolean): string {
  const { t } = useTranslation('runtimes')
  const { number, duration } = useFormats()
  const isHidden = useHidden()
  const count = lines.length
  const shown = number(count)
  return [
    found === count ? t('logs.count', { count, shown }) : t('logs.found', { count, shown, found: number(found) }),
    dropped > 0 && t('logs.dropped', { count: dropped, shown: number(dropped) }),
    hasGap && t('logs.gap'),
    isFollowing && t(isHidden ? 'logs.waiting' : 'logs.following', { time: duration(followMs) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

interface ShownProps {
  readonly open: OpenRuntime
  readonly asked: MethodInput<'resources.call'>
  readonly name: string
}

interface LinesProps extends Pick<ShownProps, 'asked' | 'name'> {
  readonly loaded: Loaded
  readonly lines: readonly LogLine[]
  readonly look: LogLook
}

function Lines({ asked, name, loaded, lines, look }: LinesProps) {
  const { t } = useTranslation('runtimes')
  const { find, isWrapped, isFollowing } = look
  const words = useWords(loaded, lines.length, isFollowing)
  const isEmpty = loaded.lines.length === 0
  return (
    <>
      {lines.length > 0 ? (
        <LogView key={JSON.stringify(asked)} {...{ lines, find, isWrapped }} label={t('logs.of', { name })} />
      ) : (
        <EmptyState icon={runtimes.icon} title={t(isEmpty ? 'logs.none' : 'logs.noneFound')}>
          {t(isEmpty ? 'logs.noneText' : 'logs.noneFoundText')}
        </EmptyState>
      )}
      <p className={styles.count} role="status">
        {words}
      </p>
    </>
  )
}

function Shown({ open, asked, name }: ShownProps) {
  const { connection } = open
  const [look, setLook] = useState<LogLook>({ find: '', isWrapped: true, isFollowing: false })
  const { query, loaded } = useLogs(asked, look.isFollowing)
  const { data, error, isFetching } = query
  const lines = useMemo(() => foundLines(loaded.lines, look.find), [loaded, look.find])
  return (
    <>
      <LogTools {...{ look, name, lines, asked }} onChange={(change) => setLook({ ...look, ...change })} />
      {error ? (
        <ResourceFailure
          {...{ connection }}
          failure={error.failure}
          address={runtimes.address}
          onRetry={() => void query.refetch()}
          busy={isFetching}
        />
      ) : null}
      {data ? <Lines {...{ asked, name, loaded, lines, look }} /> : error ? null : <SkeletonRows rows={8} />}
    </>
  )
}

/** The log of a runtime or of one of its endpoints: a part of it, followed, searched and saved. */
export function LogsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const { connection, runtimeId, subject } = open
  const [query, setQuery] = useSearchParams()
  const queries = useQueryClient()
  const { endpoints, chosen, choose } = useEndpoint(open)
  const range = readRange(query)
  const asked = logCall(connection, {
    runtimeId,
    endpointId: chosen,
    from: Number(range.from),
    limit: Number(range.limit),
  })
  const queryKey = callKey('resources.call', asked)
  const name = endpoints.find(({ id }) => id === chosen)?.name
  const load = (next: TypedRange): void => {
    if (next.from === range.from && next.limit === range.limit) void queries.invalidateQueries({ queryKey })
    else setQuery((before) => new URLSearchParams({ ...Object.fromEntries(before), ...next }), { replace: true })
  }
  return (
    <div className={styles.tab}>
      <div className={styles.asking}>
        <Field label={t('logs.source')} className={styles.source ?? ''}>
          <Select
            value={chosen ?? ofRuntime}
            onValueChange={(value) => choose(value === ofRuntime ? undefined : value)}
            options={[
              { value: ofRuntime, label: t('logs.ofRuntime', { name: subject.name }) },
              ...endpoints.map(({ id, name: called }) => ({
                value: id,
                label: t('logs.ofEndpoint', { name: called }),
              })),
            ]}
          />
        </Field>
        <RangeForm range={range} isLoading={useIsFetching({ queryKey }) > 0} onLoad={load} />
      </div>
      <Shown {...{ open, asked }} name={name === undefined ? subject.name : `${subject.name}-${name}`} />
    </div>
  )
}
