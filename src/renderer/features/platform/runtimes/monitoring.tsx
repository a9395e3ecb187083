import type { MethodInput } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import i18next from 'i18next'
import { Activity, ArrowDownToLine, Download, Pause, Play, WrapText } from 'lucide-react'
import { Fragment, useMemo, useState, useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { formatDateTime, formatDuration, formatNumber, formatTime } from '../../../format'
import { callKey, useCall } from '../../../ipc'
import { runtimePath } from '../../../paths'
import { useExportAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Field, Form, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { SelectField } from '../../../ui/select'
import { CompactSwitch } from '../../../ui/switch'
import { useStickToEnd } from '../../../ui/use-stick-to-end'
import { useAddressQuery } from '../../../window-state'
import {
  CopyCallMenu,
  FieldsView,
  LoadedResource,
  logFromRule,
  logLimitRule,
  resourceText,
  useService,
} from '../resources'
import { useEndpoint } from './endpoints-tab'
import { formatLogLine, foundLines, type LogLine, readLogLines } from './log-lines'
import { type OpenRuntime, runtimes } from './runtimes'

const t = i18next.getFixedT(null, 'runtimes')

/** Option value for the log of the runtime itself instead of an endpoint. No endpoint id is this short. */
const noEndpoint = '-'

/** Log lines. Follow mode repeats the request while the window is visible. */
function Log(props: {
  readonly request: MethodInput<'resources.call'>
  /** Name of the log, also for the file in which it is saved. */
  readonly name: string
}) {
  const { request, name } = props
  const [find, setFind] = useState('')
  const [isWrapped, setIsWrapped] = useState(true)
  const [isFollowing, setIsFollowing] = useState(false)
  const isHidden = useIsPageHidden()
  const query = useCall('resources.call', request, {
    refetchInterval: isFollowing ? followIntervalMs : false,
    refetchOnWindowFocus: isFollowing,
    staleTime: 0,
  })
  const loadedLines = useMemo(() => readLogLines(query.data?.data), [query.data])
  const lines = useMemo(() => foundLines(loadedLines, find), [loadedLines, find])
  const count = loadedLines.length
  const isEmpty = count === 0
  const texts = [
    lines.length === count
      ? t('logs.count', { count, shown: formatNumber(count) })
      : t('logs.found', { count, shown: formatNumber(count), found: formatNumber(lines.length) }),
    isFollowing && t(isHidden ? 'logs.waiting' : 'logs.following', { time: formatDuration(followIntervalMs) }),
  ]
  const savedTitle = t('logs.saved', { count: lines.length })
  const saveLogs = useExportAction('resources.saveText', () => savedTitle, t('logs.notSaved'))
  const save = (): void => saveLogs.mutate({ name: `${name}.log`, text: `${lines.map(formatLogLine).join('\n')}\n` })
  return (
    <>
      <Toolbar>
        <SearchField label={t('logs.find')} value={find} onChange={setFind} hasFindKey />
        <span className="flex-1" />
        <span className="mr-1 inline-flex items-center gap-2">
          <span aria-hidden="true">{t('logs.follow')}</span>
          <CompactSwitch checked={isFollowing} onCheckedChange={setIsFollowing} label={t('logs.follow')} />
        </span>
        <IconButton
          icon={WrapText}
          label={t('logs.wrap')}
          variant={isWrapped ? 'secondary' : 'ghost'}
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
        />
        <CopyCallMenu call={request} />
        <Button icon={Download} busy={saveLogs.isPending} disabled={lines.length === 0} onClick={save}>
          {t('logs.save')}
        </Button>
      </Toolbar>
      <LoadedResource query={query}>
        {() => (
          <>
            {lines.length > 0 ? (
              <LogView {...{ lines, find, isWrapped }} label={t('logs.of', { name })} />
            ) : (
              <EmptyState icon={runtimes.icon} title={t(isEmpty ? 'logs.none' : 'logs.noneFound')}>
                {t(isEmpty ? 'logs.noneText' : 'logs.noneFoundText')}
              </EmptyState>
            )}
            <p className="text-muted text-sm tabular-nums" role="status">
              {texts.filter(Boolean).join(' · ')}
            </p>
          </>
        )}
      </LoadedResource>
    </>
  )
}

export function LogsTab({ runtimeId, subject }: OpenRuntime) {
  const [query, changeQuery] = useAddressQuery()
  const queries = useQueryClient()
  const { endpoints, chosen, choose } = useEndpoint(runtimeId)
  // Ignore invalid values in the page address.
  const [from, limit] = rangeFields.map(({ side, rule, initial }) => {
    const value = query.get(side) ?? ''
    return rule.accepts(value) ? value : initial
  })
  const range = { from: from ?? '', limit: limit ?? '' }
  const { register, handleSubmit, formState } = useForm({ values: range })
  const { errors } = formState
  const logRequest = {
    connectionId: useService().connection.id,
    operation: chosen === undefined ? 'runtime.agentRuntimes.logs' : 'runtime.endpoints.logs',
    path: { id: runtimeId, ...(chosen !== undefined && { endpointId: chosen }) },
    body: { from: Number(range.from), limit: Number(range.limit) },
  }
  const queryKey = callKey('resources.call', logRequest)
  const name = endpoints.find(({ id }) => id === chosen)?.name
  const submit = handleSubmit((typed) => {
    const [from, limit] = [typed.from.trim(), typed.limit.trim()]
    if (from === range.from && limit === range.limit) void queries.invalidateQueries({ queryKey })
    else changeQuery({ from, limit })
  })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <SelectField
          label={t('logs.source')}
          className="max-w-87 flex-[1_1_220px]"
          value={chosen ?? noEndpoint}
          onValueChange={(value) => choose(value === noEndpoint ? undefined : value)}
          options={[
            { value: noEndpoint, label: t('logs.ofRuntime', { name: subject.name }) },
            ...endpoints.map(({ id, name: called }) => ({ value: id, label: t('logs.ofEndpoint', { name: called }) })),
          ]}
        />
        <Form className="flex flex-wrap items-start gap-3" onSubmit={() => void submit()}>
          {rangeFields.map(({ side, rule }) => (
            <Field key={side} className="w-31" label={t(`logs.${side}`)} error={errors[side]?.message}>
              <TextInput
                inputMode="numeric"
                {...register(side, { validate: (value) => rule.accepts(value.trim()) || resourceText(rule.message) })}
              />
            </Field>
          ))}
          <span className="pt-6.5">
            <Button type="submit" busy={useIsFetching({ queryKey }) > 0}>
              {t('logs.load')}
            </Button>
          </span>
        </Form>
      </div>
      <Log
        key={JSON.stringify(logRequest)}
        request={logRequest}
        name={name === undefined ? subject.name : `${subject.name}-${name}`}
      />
    </div>
  )
}

const followIntervalMs = 3000

const rangeFields = [
  { side: 'from', rule: logFromRule, initial: '0' },
  { side: 'limit', rule: logLimitRule, initial: '200' },
] as const

const lineHeight = 20

function HighlightedText({ text, find }: { readonly text: string; readonly find: string }) {
  const pattern = find.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  // Elements with an odd index are matches.
  const segments = pattern === '' ? [text] : text.split(new RegExp(`(${pattern})`, 'i'))
  return segments.map((segment, index) =>
    index % 2 === 1 ? (
      <mark
        key={`${String(index)}-${segment}`}
        className="rounded-[2px] bg-warning-soft text-text ring-1 ring-warning-line"
      >
        {segment}
      </mark>
    ) : (
      <Fragment key={`${String(index)}-${segment}`}>{segment}</Fragment>
    ),
  )
}

const levelText: Record<NonNullable<LogLine['level']>, string> = {
  error: 'font-semibold text-danger',
  warning: 'font-semibold text-warning',
  info: 'text-accent-text',
  debug: 'text-faint',
}

function Line(props: { readonly line: LogLine; readonly find: string; readonly isWrapped: boolean }) {
  const { line, find, isWrapped } = props
  const { at, level, word, text, rest } = line
  const iso = at === undefined ? undefined : new Date(at).toISOString()
  return (
    <>
      <span className="whitespace-nowrap text-faint" title={iso && formatDateTime(iso)}>
        {iso ? formatTime(iso) : line.time}
      </span>
      <span className={joinClassNames('truncate text-muted', level && levelText[level])}>
        {word || (level ? t(`logs.levels.${level}`) : '')}
      </span>
      <span className={isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre'}>
        <HighlightedText text={text} find={find} />
        {rest === '' ? null : (
          <span className="text-faint">
            {'  '}
            <HighlightedText text={rest} find={find} />
          </span>
        )}
      </span>
    </>
  )
}

/** Virtualized log lines. Sticks to the end unless the user scrolled up. */
function LogView(props: {
  readonly lines: readonly LogLine[]
  readonly label: string
  readonly find: string
  readonly isWrapped: boolean
}) {
  const { lines, label, find, isWrapped } = props
  const { scrollerProps, content, isAtEnd, scrollToEnd } = useStickToEnd<HTMLDivElement>(true)
  const virtualizer = useVirtualizer({
    count: lines.length,
    estimateSize: (index) => lineHeight * ((lines[index]?.text.split('\n').length ?? 1) || 1),
    getScrollElement: () => scrollerProps.ref.current,
    overscan: 12,
    paddingStart: 6,
    paddingEnd: 6,
  })
  return (
    <div className="relative">
      <div
        {...scrollerProps}
        className={joinClassNames(
          'h-[clamp(240px,100vh-376px,760px)] overflow-auto rounded-lg border bg-well',
          'font-mono text-sm leading-5 [overflow-anchor:none]',
        )}
        role="log"
        aria-label={label}
        aria-live="off"
        // In a spread, because the linter does not know that a scrollable region must be focusable.
        {...{ tabIndex: 0 }}
      >
        <div ref={content} className="relative min-w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index]
            return line ? (
              <div
                key={`${key}-${isWrapped}`}
                ref={virtualizer.measureElement}
                data-index={index}
                className={joinClassNames(
                  'absolute top-0 left-0 grid min-w-full grid-cols-[68px_56px_minmax(0,1fr)] gap-x-2.5 px-3',
                  'select-text hover:bg-hover',
                  isWrapped && 'w-full',
                )}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line line={line} find={find} isWrapped={isWrapped} />
              </div>
            ) : null
          })}
        </div>
      </div>
      {isAtEnd ? null : (
        <span className="absolute right-4.5 bottom-3">
          <Button size="sm" icon={ArrowDownToLine} onClick={scrollToEnd}>
            {t('logs.toEnd')}
          </Button>
        </span>
      )}
    </div>
  )
}

const pollIntervalMs = 15_000

/** Metrics of a runtime. Shown as returned, because the spec does not describe their fields. */
export function MetricsTab({ runtimeId, subject }: OpenRuntime) {
  const connectionId = useService().connection.id
  const { query: endpointsQuery, endpoints, chosen = endpoints[0]?.id, choose } = useEndpoint(runtimeId)
  const [isPaused, setIsPaused] = useState(false)
  const isHidden = useIsPageHidden()
  const state = isPaused ? 'paused' : isHidden ? 'waiting' : 'running'
  const metricsCall = {
    connectionId,
    operation: 'runtime.endpoints.metrics',
    path: { id: runtimeId, endpointId: chosen ?? '' },
  }
  const query = useCall('resources.call', chosen === undefined ? undefined : metricsCall, {
    refetchInterval: isPaused ? false : pollIntervalMs,
    refetchOnWindowFocus: !isPaused,
  })
  if (chosen === undefined)
    return (
      <LoadedResource query={endpointsQuery}>
        {() => (
          <EmptyState
            icon={Activity}
            title={t('metrics.none')}
            actions={[{ label: t('endpoints.create'), to: runtimePath(runtimeId, 'endpoints', { new: '1' }) }]}
          >
            {t('metrics.noneText')}
          </EmptyState>
        )}
      </LoadedResource>
    )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={t('metrics.endpoint')}
          className="flex-[0_1_360px]"
          value={chosen}
          onValueChange={(id) => {
            choose(id)
            setIsPaused(false)
          }}
          options={endpoints.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <p className="flex-[1_1_200px] pb-1.75 text-muted text-sm" role="status">
          {t(`metrics.${state}`, { time: formatDuration(pollIntervalMs) })}
        </p>
        <CopyCallMenu call={metricsCall} />
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
const useIsPageHidden = (): boolean =>
  useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'hidden')
