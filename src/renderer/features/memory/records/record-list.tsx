import { FileSearch, SearchX } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../ui/empty-state'
import { SkeletonRows } from '../../../ui/skeleton'
import toolbar from '../../../ui/toolbar.module.css'
import type { Json } from '../../resources/resource'
import { ResourceFailure } from '../../resources/resource-failure'
import { FindBar } from '../find-bar'
import { LongTable, type PlaceSelection } from '../long-table/long-table'
import { useRowPages } from '../long-table/use-row-pages'
import { namespacesOf } from '../names'
import type { OpenMemory } from '../open-memory'
import { useSeen } from '../seen-store'
import { ExportMenu } from './export-menu'
import { LimitSelect } from './limit-select'
import { FoundWords, LoadingAll } from './loading-all'
import { recordColumns } from './record-columns'
import type { OpenSet } from './record-loader'
import { RecordSheet } from './record-sheet'
import { SelectedBar } from './selected-bar'
import { noneTicked, type Ticked, tickedWith } from './selection'
import { recordsCall, useRecords } from './use-records'
import { type SetSearch, useSetSearch } from './use-set-search'

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
    noteNamespaces(memoryId, [namespace, ...set.pages.held().flatMap(([, row]) => namespacesOf(row))])
  }, [set, memoryId, namespace, noteNamespaces])
  const reload = (): void => void loader.load()
  const chosen = ticked.places.size > 0 ? [...ticked.places].sort((a, b) => a - b) : undefined
  const places = chosen ?? search?.places
  return (
    <div className={toolbar.list}>
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

/** Main lets go of a list that rested for long: then it is asked for again. */
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
