import type { ResourceAnswer } from '@shared/contract'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { Activity, ChartLine, Pause, Play, SquareTerminal, Table2 } from 'lucide-react'
import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from 'react'
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
import { Segmented } from '../../ui/radio-cards'
import { Select } from '../../ui/select'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import { Table } from '../../ui/table'
import {
  bareName,
  FieldsTree,
  foundField,
  isObject,
  isPlain,
  type Json,
  QueryFailure,
  readField,
  toText,
  useCopyCall,
} from '../resources'
import { useEndpoint } from './endpoints-tab'
import { type OpenRuntime, parseMoment, runtimes, timeNames } from './runtimes'

/** How often metrics are asked for, in ms (ours). */
const everyMs = 15_000

function Figures({ answer }: { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const series = useMemo(() => readMetrics(answer.data), [answer])
  const [rangeMs, setRangeMs] = useState(Number.POSITIVE_INFINITY)
  if (series) {
    const lengthMs = lengthOf(series)
    const offered = ranges.filter((ms) => ms < lengthMs)
    return (
      <>
        {offered.length === 0 ? null : (
          <div>
            <Segmented
              label={t('metrics.range')}
              value={String(rangeMs)}
              onValueChange={(value) => setRangeMs(Number(value))}
              segments={[...offered, Number.POSITIVE_INFINITY].map((ms) => ({
                value: String(ms),
                label: Number.isFinite(ms) ? t('metrics.last', { time: duration(ms) }) : t('metrics.all'),
              }))}
            />
          </div>
        )}
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,380px),1fr))] gap-4">
          {withinRange(series, rangeMs).map((one) => (
            <MetricCard key={one.id} series={one} />
          ))}
        </div>
        {series.some(({ unit }) => unit !== undefined) ? null : (
          <p className="text-muted text-sm">{t('metrics.noUnit')}</p>
        )}
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
  const { data, error } = query
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <Field label={t('runtimes:metrics.endpoint')} className="flex-[0_1_360px]">
          <Select
            value={endpointId}
            onValueChange={endpoint.choose}
            options={endpoint.endpoints.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <p className="flex-[1_1_200px] pb-1.75 text-muted text-sm" role="status">
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
      <QueryFailure query={query} connection={connection} address={runtimes.address} />
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
  if (asked.error) return <QueryFailure query={asked} connection={open.connection} address={runtimes.address} />
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

interface MetricTableProps {
  readonly caption: string
  readonly points: readonly MetricPoint[]
  readonly figure: (value: number) => string
}

function MetricTable({ caption, points, figure }: MetricTableProps) {
  const { t } = useTranslation('runtimes')
  const { dateTime } = useFormats()
  return (
    <Table
      caption={caption}
      columns={[
        { id: 'at', header: t('metrics.at'), cell: ({ at }) => dateTime(new Date(at).toISOString()) },
        { id: 'value', header: t('metrics.value'), align: 'right', width: '30%', cell: ({ value }) => figure(value) },
      ]}
      rows={points.toReversed()}
      rowKey={({ at }) => at}
    />
  )
}

const withUnit = (number: string, unit: string | undefined): string =>
  unit === undefined ? number : unit === '%' ? `${number}%` : `${number} ${unit}`

/** One measure as a line over time with its latest, lowest and highest value; the figures stand behind it as a table. */
function MetricCard({ series: { id, points, unit } }: { readonly series: MetricSeries }) {
  const { t } = useTranslation('runtimes')
  const formats = useFormats()
  const [isTable, setIsTable] = useState(false)
  const title = t(`metrics.${id}`)
  const values = points.map(({ value }) => value)
  const last = values.at(-1)
  const figure = (value: number): string => withUnit(formats.number(value), unit)
  return (
    <section className="flex min-w-0 flex-col gap-1.5 rounded-lg border bg-surface px-3.5 pt-3 pb-2" aria-label={title}>
      <header className="flex min-h-7 items-center gap-x-4 gap-y-0.5">
        <h2 className="font-semibold">{title}</h2>
        {last === undefined ? null : (
          <span className="min-w-0 truncate text-muted text-sm tabular-nums">
            {t('metrics.facts', {
              last: figure(last),
              least: figure(Math.min(...values)),
              most: figure(Math.max(...values)),
            })}
          </span>
        )}
        <span className="ml-auto flex gap-0.5">
          <IconButton
            icon={isTable ? ChartLine : Table2}
            size="sm"
            label={t(isTable ? 'metrics.asChart' : 'metrics.asTable', { title })}
            onClick={() => setIsTable(!isTable)}
          />
        </span>
      </header>
      {points.length === 0 ? (
        <p className="py-10 text-center text-muted">{t('metrics.noPoints')}</p>
      ) : isTable ? (
        <section
          className="max-h-66 overflow-auto *:overflow-visible"
          aria-label={t('metrics.figures', { title })}
          {...reachable}
        >
          <MetricTable caption={title} points={points} figure={figure} />
        </section>
      ) : (
        <>
          {unit === undefined || unit === '%' ? null : (
            <p className="text-faint text-xs" aria-hidden="true">
              {unit}
            </p>
          )}
          <div className="h-50 tabular-nums" aria-hidden="true">
            <Suspense fallback={<Skeleton height={180} />}>
              <MetricLines points={points} colour={colours[id]} formats={formats} figure={figure} unit={unit} />
            </Suspense>
          </div>
          <div className="sr-only *:overflow-visible">
            <MetricTable caption={title} points={points} figure={figure} />
          </div>
        </>
      )}
    </section>
  )
}

/** What was measured at a moment, in ms since 1970. */
export interface MetricPoint {
  readonly at: number
  readonly value: number
}

/** The processor or the memory over time, the oldest first. */
interface MetricSeries {
  readonly id: 'cpu' | 'memory'
  readonly points: readonly MetricPoint[]
  /** As the platform tells it. */
  readonly unit?: string
}

/** How far back can be looked, as far as the points reach; in ms. */
const ranges = [15 * minuteMs, hourMs, 6 * hourMs, dayMs]

const momentsOf = (series: readonly MetricSeries[]): readonly number[] =>
  series.flatMap(({ points }) => points.map(({ at }) => at))

function lengthOf(series: readonly MetricSeries[]): number {
  const moments = momentsOf(series)
  return moments.length === 0 ? 0 : Math.max(...moments) - Math.min(...moments)
}

/** The points no older than this before the newest of all. */
export function withinRange(series: readonly MetricSeries[], rangeMs: number): readonly MetricSeries[] {
  const from = Math.max(...momentsOf(series)) - rangeMs
  return series.map((one) => ({ ...one, points: one.points.filter(({ at }) => at >= from) }))
}

/** What a unit is told as: beside the points, or by the name of the field that holds them. */
function unitOf(data: Json | undefined, names: readonly string[]): string | undefined {
  if (!isObject(data)) return undefined
  const [name, inner] = foundField(data, names) ?? []
  const told = toText(readField(inner, unitNames)) || toText(readField(data, unitNames))
  if (/^(percent|pct|%)/i.test(told) || /percent/i.test(name ?? '')) return '%'
  return told === '' || told.length > longestUnit ? undefined : told
}

/** The fields that hold what is measured (decisions 5): the spec says CPU and RAM, and names no field. */
const measured = [
  ['cpu', ['cpu', 'cpuUsage', 'cpuUtilization', 'cpuPercent', 'cpuUsagePercent', 'processor']],
  [
    'memory',
    ['memory', 'ram', 'mem', 'memoryUsage', 'memoryUtilization', 'memoryPercent', 'ramUsage', 'ramPercent', 'memUsage'],
  ],
] as const

const valueNames = ['value', 'v', 'y', 'percent', 'usage', 'utilization', 'average', 'avg']
const pointsNames = ['points', 'values', 'data', 'series', 'datapoints', 'samples', 'items']
const unitNames = ['unit', 'units', 'uom']
const longestUnit = 16
const labelNames = ['name', 'metric', 'label', 'type', 'id', 'key']

const numberOf = (value: Json | undefined): number | undefined => {
  const number = isPlain(value) && typeof value !== 'boolean' && value !== '' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function pointOf(row: Json, names: readonly string[]): MetricPoint | undefined {
  const [time, value] = Array.isArray(row) ? row : [readField(row, timeNames), readField(row, names)]
  const at = parseMoment(time)
  const measure = numberOf(value)
  return at === undefined || measure === undefined ? undefined : { at, value: measure }
}

/** The points of a list, when every entry is one. */
function pointsOf(value: Json | undefined, names: readonly string[] = valueNames): readonly MetricPoint[] | undefined {
  if (isObject(value)) return pointsOf(readField(value, pointsNames), names)
  if (!Array.isArray(value)) return undefined
  const points = value.map((row) => pointOf(row, names)).filter((point) => point !== undefined)
  return points.length < value.length ? undefined : points.toSorted((a, b) => a.at - b.at)
}

/** `[{name: "cpu", points: [...]}]`: the entry of a list that is labelled so. */
const labelled = (data: readonly Json[], names: readonly string[]): Json | undefined =>
  data.find((row) => names.map(bareName).includes(bareName(toText(readField(row, labelNames)))))

function seriesIn(data: Json | undefined, names: readonly string[]): readonly MetricPoint[] | undefined {
  if (isObject(data)) return pointsOf(readField(data, names))
  if (!Array.isArray(data) || data.length === 0) return undefined
  return pointsOf(data, names) ?? pointsOf(labelled(data, names))
}

const readIn = (data: Json | undefined): readonly MetricSeries[] =>
  measured.flatMap(([id, names]) => {
    const points = seriesIn(data, names)
    const unit = unitOf(data, names)
    return points === undefined ? [] : [{ id, points, ...(unit !== undefined && { unit }) }]
  })

/** An answer and what it holds, up to two levels within it. */
const placesIn = (data: Json | undefined, depth = 2): readonly (Json | undefined)[] => [
  data,
  ...(isObject(data) && depth > 0 ? Object.values(data).flatMap((inner) => placesIn(inner, depth - 1)) : []),
]

/** Processor and memory over time, wherever an answer holds them; nothing when its shape is not known. */
export const readMetrics = (data: Json | undefined): readonly MetricSeries[] | undefined =>
  placesIn(data)
    .map(readIn)
    .find((series) => series.length > 0)

function listen(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/** Whether nobody can see the window now: it is minimised, or hidden. */
export const useHidden = (): boolean => useSyncExternalStore(listen, () => document.visibilityState === 'hidden')
