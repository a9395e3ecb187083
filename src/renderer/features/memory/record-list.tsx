import type { TFunction } from 'i18next'
import { Download, FileSearch, SearchX } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Button } from '../../ui/button'
import { cn } from '../../ui/cn'
import { Menu } from '../../ui/menu'
import { EmptyState, SelectionBar } from '../../ui/page'
import { Select } from '../../ui/select'
import { ProgressBar, SkeletonRows } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import type { Json } from '../resources'
import { FieldValue, ResourceFailure, readField } from '../resources'
import { type LongColumn, LongTable, type PlaceSelection } from './long-table'
import { createdColumn, listNamespaces, namespaceNames, type OpenMemory, readSession, useSeen } from './names'
import { useRowPages } from './row-pages'
import { contentCell, FindBar, RecordSheet, useExport } from './tab-parts'
import {
  limits,
  type OpenSet,
  type RecordState,
  recordsCall,
  type SetSearch,
  useRecords,
  useSetSearch,
} from './use-records'

interface RecordListProps extends OpenMemory {
  readonly namespace: string
  readonly limit: number
  readonly onLimit: (limit: number) => void
}

interface TableProps {
  readonly set: OpenSet
  readonly search: SetSearch | undefined
  readonly ticked: Ticked
  readonly onTick: (next: Ticked) => void
  readonly onOpen: (row: Json) => void
}

function useSelection({ set, search, ticked, onTick }: TableProps): PlaceSelection {
  const { t } = useTranslation('memory')
  const count = search ? search.places.length : set.total
  const placeAt = (index: number): number | undefined => (search ? search.places[index] : index)
  const { size } = ticked.places
  return {
    has: (index) => {
      const place = placeAt(index)
      return place !== undefined && ticked.places.has(place)
    },
    onTick: (index, isRange) => onTick(tickedWith(ticked, { index, isRange }, placeAt)),
    all: size === 0 ? false : size >= count ? true : 'indeterminate',
    onAll: (isOn) => {
      const all = search ? search.places : Array.from({ length: count }, (_, at) => at)
      onTick(isOn ? { places: new Set(all), last: undefined } : noneTicked)
    },
    allLabel: t('records.selectAll'),
    labelOf: (_, index) => t('records.select', { at: index + 1 }),
  }
}

function RecordTable(props: TableProps) {
  const { set, search, onOpen } = props
  const { t } = useTranslation('memory')
  const { pages } = set
  useRowPages(pages)
  const selection = useSelection(props)
  const columns = useMemo(() => recordColumns(t, onOpen), [t, onOpen])
  const places = search?.places
  const placeAt = useCallback((index: number) => (places ? (places[index] ?? 0) : index), [places])
  const want = useCallback(
    (from: number, to: number) => {
      if (places) pages.wantPlaces(places.slice(from, to))
      else pages.want(from, to)
    },
    [pages, places],
  )
  return (
    <LongTable
      label={t('records.title')}
      columns={columns}
      count={places ? places.length : set.total}
      rowAt={(index) => pages.rowAt(placeAt(index))}
      rowHeight={38}
      selection={selection}
      onRange={want}
      onOpen={onOpen}
    />
  )
}

function Shown({ set, search, find, ...rest }: TableProps & { readonly find: string }) {
  const { t } = useTranslation('memory')
  if (set.total === 0) {
    return (
      <EmptyState icon={FileSearch} title={t('records.empty')}>
        {t('records.emptyText')}
      </EmptyState>
    )
  }
  if (search && search.places.length === 0) {
    if (search.looked < set.total) return <SkeletonRows rows={4} />
    return (
      <EmptyState icon={SearchX} title={t('records.noneFound', { text: find })}>
        {t('records.noneFoundText')}
      </EmptyState>
    )
  }
  return <RecordTable {...{ set, search, ...rest }} />
}

/** The records of a namespace: loaded whole as far as the platform gives them, searched, selected, exported. */
export function RecordList({ connection, memoryId, namespace, limit, onLimit }: RecordListProps) {
  const { t } = useTranslation('memory')
  const [find, setFind] = useState('')
  const [opened, setOpened] = useState<Json>()
  const [ticked, setTicked] = useState<Ticked>(noneTicked)
  const records = useRecords({ connection, memoryId }, namespace, limit)
  const { loader, set, asking, failure, generation } = records
  const search = useSetSearch(set, find)
  const noteNamespaces = useSeen((store) => store.noteNamespaces)
  // Places of another list mean other rows.
  const [seenGeneration, setSeenGeneration] = useState(generation)
  if (seenGeneration !== generation) {
    setSeenGeneration(generation)
    setTicked(noneTicked)
  }
  useEffect(() => {
    if (!set || set.total === 0) return
    noteNamespaces(memoryId, [namespace, ...set.pages.held().flatMap(([, row]) => listNamespaces(row))])
  }, [set, memoryId, namespace, noteNamespaces])
  const reload = (): void => void loader.load()
  const chosen = ticked.places.size > 0 ? [...ticked.places].sort((a, b) => a - b) : undefined
  const places = chosen ?? search?.places
  return (
    <div className="flex flex-col gap-3">
      <FindBar
        find={find}
        onFind={setFind}
        label={t('records.find')}
        said={<FoundWords {...{ set, search }} />}
        isRefreshing={asking !== undefined}
        onRefresh={reload}
        code={recordsCall({ connectionId: connection.id, memoryId }, namespace, set?.limit ?? limit)}
      >
        <LimitSelect limit={limit} onLimit={onLimit} />
        {set && set.total > 0 ? <ExportMenu {...{ set, places, isChosen: chosen !== undefined }} /> : null}
      </FindBar>
      <LoadingAll records={records} wished={limit} onStop={() => loader.stop()} />
      {failure ? (
        <ResourceFailure
          failure={failure}
          connection={connection}
          address="memoryApiUrl"
          onRetry={reload}
          busy={asking !== undefined}
        />
      ) : null}
      {chosen && set ? <SelectedBar {...{ set, places: chosen }} onClear={() => setTicked(noneTicked)} /> : null}
      {set ? (
        <>
          <Shown {...{ set, search, ticked, find }} onTick={setTicked} onOpen={setOpened} />
          <SliceFailure {...{ set, connection }} onReload={reload} />
        </>
      ) : failure ? null : (
        <SkeletonRows rows={6} />
      )}
      {opened !== undefined ? (
        <RecordSheet {...{ connection, memoryId }} record={opened} onClose={() => setOpened(undefined)} />
      ) : null}
    </div>
  )
}

function SliceFailure({
  set: { pages },
  connection,
  onReload,
}: Pick<OpenMemory, 'connection'> & { readonly set: OpenSet; readonly onReload: () => void }) {
  useRowPages(pages)
  const { failure } = pages
  if (!failure) return null
  return <ResourceFailure failure={failure.failure} connection={connection} address="memoryApiUrl" onRetry={onReload} />
}

/** At most how many records are asked for. */
function LimitSelect({ limit, onLimit }: { readonly limit: number; readonly onLimit: (limit: number) => void }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  return (
    <Select
      aria-label={t('records.limit')}
      className="w-auto"
      value={String(limit)}
      onValueChange={(value) => onLimit(Number(value))}
      options={limits.toReversed().map((one) => ({
        value: String(one),
        label: t('records.upTo', { count: number(one) }),
      }))}
    />
  )
}

/** Which places are ticked, and where a range begins. */
interface Ticked {
  readonly places: ReadonlySet<number>
  /** The index that was ticked last. */
  readonly last: number | undefined
}

export const noneTicked: Ticked = { places: new Set(), last: undefined }

/** The ticks after one of the shown rows was pressed; a range takes on what that row becomes. `placeAt` gives the place of a shown row. */
export function tickedWith(
  before: Ticked,
  pressed: { readonly index: number; readonly isRange: boolean },
  placeAt: (index: number) => number | undefined,
): Ticked {
  const { index, isRange } = pressed
  const place = placeAt(index)
  if (place === undefined) return before
  const isOn = !before.places.has(place)
  const from = isRange && before.last !== undefined ? before.last : index
  const places = new Set(before.places)
  for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
    const one = placeAt(at)
    if (one === undefined) continue
    if (isOn) places.add(one)
    else places.delete(one)
  }
  return { places, last: index }
}

interface SelectedProps {
  readonly set: OpenSet
  readonly places: readonly number[]
  readonly onClear: () => void
}

/** What can be done with the records that are selected. */
function SelectedBar({ set: { setId }, places, onClear }: SelectedProps) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const words = t('records.selected', { count: places.length, shown: number(places.length) })
  const exporting = useExport()
  const save = (format: 'json' | 'csv') => () =>
    exporting.mutate({ name: exportName, format, setId, places: [...places] })
  return (
    <SelectionBar label={words} count={words}>
      <Button size="sm" onClick={save('json')} busy={exporting.isPending}>
        {t('export.json')}
      </Button>
      <Button size="sm" onClick={save('csv')} busy={exporting.isPending}>
        {t('export.csv')}
      </Button>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('records.clear')}
      </Button>
    </SelectionBar>
  )
}

const formats = ['json', 'csv'] as const

/** What is called so in the file's name. */
const exportName = 'memory-records'

interface ExportMenuProps {
  readonly set: OpenSet
  /** Which of them; all when left out. */
  readonly places: readonly number[] | undefined
  /** They were selected, not found. */
  readonly isChosen: boolean
}

/** Exports the records that are selected, found, or all that are loaded. */
function ExportMenu({ set, places, isChosen }: ExportMenuProps) {
  const { t } = useTranslation('memory')
  const exporting = useExport()
  const what = places === undefined ? 'all' : isChosen ? 'selected' : 'found'
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={Download} busy={exporting.isPending}>
          {t('export.title')}
        </Button>
      }
      items={[
        { heading: t(`export.${what}`, { count: places?.length ?? set.total }) },
        ...formats.map((format) => ({
          label: t(`export.${format}`),
          onSelect: () =>
            exporting.mutate({
              name: exportName,
              format,
              setId: set.setId,
              ...(places && { places: [...places] }),
            }),
        })),
      ]}
    />
  )
}

/** The columns of records: what they say, where they lie, which session they come from, when they were made. */
const recordColumns = (t: TFunction<'memory'>, onOpen: (row: Json) => void): readonly LongColumn[] => [
  {
    id: 'content',
    header: t('fields.content'),
    width: 'minmax(220px, 2.4fr)',
    cell: contentCell(onOpen),
  },
  {
    id: 'namespace',
    header: t('fields.namespace'),
    width: 'minmax(120px, 1fr)',
    from: 860,
    cell: (row) => (
      <span className="block truncate text-muted text-sm">
        <FieldValue value={readField(row, namespaceNames)} />
      </span>
    ),
  },
  {
    id: 'session',
    header: t('fields.session'),
    width: 'minmax(110px, 0.8fr)',
    from: 620,
    cell: (row) => (
      <span className="block truncate text-muted text-sm">
        <FieldValue value={readSession(row)?.sessionId} />
      </span>
    ),
  },
  {
    id: 'created',
    header: t('fields.created'),
    width: '120px',
    from: 520,
    cell: (row) => <FieldValue value={readField(row, createdColumn.names)} format="date" />,
  },
]

const tickMs = 500

/** How long something has been going on, in ms. */
function useElapsed(sinceMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, now - sinceMs)
}

function Asking({
  asking,
  sinceMs,
  onStop,
}: {
  readonly asking: number
  readonly sinceMs: number
  readonly onStop: () => void
}) {
  const { t } = useTranslation(['memory', 'common'])
  const { number, duration } = useFormats()
  const words = t('memory:records.loadingAll', { count: number(asking) })
  const elapsedMs = useElapsed(sinceMs)
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border bg-surface',
        'py-1.5 pr-1.5 pl-4 text-sm tabular-nums',
      )}
    >
      <span role="status">{words}</span>
      <Hint as="span">{elapsedMs < tickMs ? '' : duration(elapsedMs)}</Hint>
      <span className="grow basis-30">
        <ProgressBar label={words} />
      </span>
      <Button size="sm" onClick={onStop}>
        {t('common:cancel')}
      </Button>
    </div>
  )
}

/** Says that more records are on their way, or why there are not more. */
function LoadingAll({
  records,
  wished,
  onStop,
}: {
  readonly records: RecordState
  readonly wished: number
  readonly onStop: () => void
}) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const { set, asking, sinceMs, refused, isStopped } = records
  if (!set) return null
  if (asking !== undefined && set.total > 0) return <Asking {...{ asking, sinceMs, onStop }} />
  const isFull = set.total >= set.limit
  if (!isFull) return null
  const count = number(set.total)
  const words = isStopped
    ? t('records.stopped', { count })
    : refused !== undefined
      ? t('records.refused', { count, refused: number(refused) })
      : t('records.maybeMore', { count, limit: number(Math.min(wished, set.limit)) })
  return <Hint>{words}</Hint>
}

function FoundWords({ set, search }: { readonly set: OpenSet | undefined; readonly search: SetSearch | undefined }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  if (!set) return null
  if (!search) return t('records.loaded', { count: set.total, shown: number(set.total) })
  const shown = number(search.places.length)
  const loaded = number(set.total)
  return search.looked < set.total
    ? t('records.searching', { shown, looked: number(search.looked), loaded })
    : t('records.found', { shown, loaded })
}
