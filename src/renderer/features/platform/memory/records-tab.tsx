import { withVisibleControls } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import { useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { FileSearch, FolderTree, Search, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatNumber, numberFormat } from '../../../format'
import { CallError, call, useCall } from '../../../ipc'
import { recordModes } from '../../../paths'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Field, Form, TextField, TextInput } from '../../../ui/field'
import { Meter } from '../../../ui/meter'
import { EmptyState, Section, SelectionBar, Toolbar } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Hint } from '../../../ui/text'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { useAddressQuery } from '../../../window-state'
import {
  CopyCallMenu,
  createdColumn,
  FieldValue,
  type Json,
  ListToolbar,
  LoadedResource,
  listRows,
  readField,
  resourceText,
  rowMatcher,
  scoreThreshold,
  searchLimit,
  useListPosition,
  useService,
} from '../resources'
import { GenerateForm } from './generate-form'
import {
  buildRecordsRequest,
  CollapsibleSection,
  contentCell,
  ExportMenu,
  FieldRow,
  growingClass,
  type KeyedRow,
  keyRows,
  listNamespaces,
  maxRows,
  NoRows,
  namespaceNames,
  namespacePrefix,
  type OpenMemory,
  RecordSheet,
  RecordText,
  readScore,
  readSession,
  recordKey,
  useExportItems,
  useQueryField,
  useSeenNamespaces,
  useStrategies,
} from './tab-parts'

const t = i18next.getFixedT(null, 'memory')

const maxSuggestions = 8

export function RecordsTab({ memoryId }: OpenMemory) {
  const [query, changeQuery] = useAddressQuery()
  const mode = recordModes.find((candidate) => candidate === query.get('mode')) ?? 'browse'
  const namespace = query.get('namespace') ?? ''
  const [seenNamespaces] = useSeenNamespaces(memoryId)
  const knownNamespaces = useStrategies(memoryId).flatMap((strategy) => namespacePrefix(strategy) ?? [])
  const namespaces = [...new Set([...knownNamespaces, rootNamespace, ...seenNamespaces])]
  const chooseNamespace = (chosen: string): void => changeQuery({ namespace: chosen })
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SegmentedControl
          label={t('modes.label')}
          value={mode}
          onValueChange={(value) => changeQuery({ mode: value === 'browse' ? undefined : value })}
          segments={recordModes.map((value) => ({ value, label: t(`modes.${value}`) }))}
        />
        {mode === 'generate' ? null : (
          <NamespaceBar key={namespace} namespace={namespace} namespaces={namespaces} onChoose={chooseNamespace} />
        )}
      </Toolbar>
      {mode === 'generate' ? (
        <GenerateForm memoryId={memoryId} />
      ) : namespace === '' ? (
        <EmptyState
          icon={FolderTree}
          title={t('namespace.choose')}
          actions={
            <div className="flex max-w-160 flex-wrap justify-center gap-2">
              {namespaces.slice(0, maxSuggestions).map((namespace) => (
                <Button key={namespace} size="sm" className="max-w-full" onClick={() => chooseNamespace(namespace)}>
                  <span className="truncate font-mono text-sm leading-5.5">{namespace}</span>
                </Button>
              ))}
            </div>
          }
        >
          {t('namespace.chooseText')}
        </EmptyState>
      ) : mode === 'search' ? (
        <SearchPage key={namespace} {...{ memoryId, namespace }} />
      ) : (
        <RecordList key={namespace} {...{ memoryId, namespace }} />
      )}
    </div>
  )
}

function NamespaceBar(props: {
  readonly namespace: string
  readonly namespaces: readonly string[]
  readonly onChoose: (namespace: string) => void
}) {
  const { namespace, namespaces, onChoose } = props
  const [typed, setTyped] = useState(namespace)
  return (
    <Form className="flex min-w-0 grow basis-80 gap-2" onSubmit={() => onChoose(typed.trim())}>
      <TextInput
        mono
        className={growingClass}
        suggestions={namespaces}
        aria-label={t('fields.namespace')}
        placeholder={t('namespace.placeholder')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit" disabled={typed.trim() === ''}>
        {t('namespace.show')}
      </Button>
    </Form>
  )
}

/** Namespace prefix that matches all records, if namespaces are paths. The spec does not define this. */
const rootNamespace = '/'

/** Numbers of records to request, largest first. The spec defines no maximum, and a service may reject large numbers. */
const recordLimits = [maxRows, 1000, 100] as const

const refusals = ['api.badRequest', 'input.invalid', 'api.refused', 'api.tooLarge']

function RecordList({ memoryId, namespace }: OpenMemory & { readonly namespace: string }) {
  const connectionId = useService().connection.id
  const { place, change } = useListPosition('memory-records')
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const [openedRecord, setOpenedRecord] = useState<Json>()
  const [, noteNamespaces] = useSeenNamespaces(memoryId)
  const query = useQuery({
    queryKey: ['resources.rows', connectionId, memoryId, namespace],
    queryFn: async () => {
      for (const limit of recordLimits) {
        try {
          const { rows } = await call('resources.rows', buildRecordsRequest(connectionId, memoryId, namespace, limit))
          return { rows: keyRows(rows), limit }
        } catch (error) {
          const isLimitRejected = error instanceof CallError && refusals.includes(error.failure.code)
          if (!isLimitRejected || limit === recordLimits.at(-1)) throw error
        }
      }
      throw new Error('There are no page limits to try.')
    },
    refetchOnWindowFocus: false,
    throwOnError: (_: CallError) => false,
  })
  const { data } = query
  useEffect(() => {
    if (data) noteNamespaces([namespace, ...data.rows.flatMap(({ row }) => listNamespaces(row))])
  }, [data, namespace, noteNamespaces])
  const columns: readonly VirtualColumn<KeyedRow>[] = [
    { id: 'content', header: t('fields.content'), width: 'minmax(220px, 2.4fr)', cell: contentCell(setOpenedRecord) },
    {
      id: 'namespace',
      header: t('fields.namespace'),
      width: 'minmax(120px, 1fr)',
      from: 860,
      cell: ({ row }) => mutedValue(readField(row, namespaceNames)),
    },
    {
      id: 'session',
      header: t('fields.session'),
      width: 'minmax(110px, 0.8fr)',
      from: 620,
      cell: ({ row }) => mutedValue(readSession(row)?.sessionId),
    },
    {
      id: 'created',
      header: t('fields.created'),
      width: '120px',
      from: 520,
      cell: ({ row }) => <FieldValue value={readField(row, createdColumn.names)} format="date" />,
    },
  ]
  const records = data?.rows ?? []
  const matches = rowMatcher(place.find)
  const matchingRecords = records.filter(({ row }) => matches(row))
  const selectedRecords = records.filter(({ key }) => keys.has(key))
  return (
    <div className="flex flex-col gap-3">
      {selectedRecords.length > 0 ? (
        <SelectedRecordsBar rows={selectedRecords.map(({ row }) => row)} onClear={() => setKeys(new Set())} />
      ) : null}
      <ListToolbar
        place={place}
        onChange={change}
        findLabel={t('records.find')}
        query={query}
        call={buildRecordsRequest(connectionId, memoryId, namespace, data?.limit ?? maxRows)}
        shown={matchingRecords.length}
        count={records.length}
      >
        {matchingRecords.length > 0 ? (
          <ExportMenu name={exportName} rows={matchingRecords.map(({ row }) => row)} />
        ) : null}
      </ListToolbar>
      <LoadedResource query={query}>
        {() =>
          matchingRecords.length > 0 ? (
            <VirtualTable
              label={t('records.title')}
              columns={columns}
              rows={matchingRecords}
              rowKey={({ key }) => key}
              rowHeight={38}
              onOpen={({ row }) => setOpenedRecord(row)}
              selection={{
                keys,
                onChange: setKeys,
                canSelect: () => true,
                getLabel: ({ row }) =>
                  t('records.select', { at: records.findIndex((record) => record.row === row) + 1 }),
                allLabel: t('records.selectAll'),
              }}
            />
          ) : (
            <NoRows list="records" icon={FileSearch} find={records.length > 0 ? place.find : ''} />
          )
        }
      </LoadedResource>
      {data && records.length > 0 ? (
        <Hint className="tabular-nums">
          {records.length < data.limit
            ? t('records.loaded', { count: records.length, shown: formatNumber(records.length) })
            : t('records.maybeMore', { count: formatNumber(records.length) })}
        </Hint>
      ) : null}
      {openedRecord !== undefined ? (
        <RecordSheet memoryId={memoryId} record={openedRecord} onClose={() => setOpenedRecord(undefined)} />
      ) : null}
    </div>
  )
}

const exportName = 'memory-records'

const mutedValue = (value: Json | undefined) => (
  <span className="block truncate text-muted text-sm">
    <FieldValue value={value} />
  </span>
)

function SelectedRecordsBar({ rows, onClear }: { readonly rows: readonly Json[]; readonly onClear: () => void }) {
  const { items, isPending } = useExportItems(exportName, rows)
  return (
    <SelectionBar
      text={t('records.selected', { count: rows.length, shown: formatNumber(rows.length) })}
      actions={[
        ...items.map(({ label, onSelect }) => ({ label, busy: isPending, onClick: onSelect })),
        { label: t('records.clear'), variant: 'ghost', onClick: onClear },
      ]}
    />
  )
}

type RecordSearch = ReturnType<typeof readSearch>

/** Parses the search in the page address. Replaces invalid values by their defaults. */
function readSearch(query: URLSearchParams) {
  const limit = query.get('limit') ?? ''
  const threshold = query.get('min') ?? ''
  return {
    text: query.get('q') ?? '',
    limit: searchLimit.accepts(limit) ? Number(limit) : 10,
    threshold: scoreThreshold.accepts(threshold) ? Number(threshold) : 0,
  }
}

const isFieldName = (name: string): boolean => /^[A-Za-z_][\w.-]{0,79}$/.test(name)

function SearchPage({ memoryId, namespace }: OpenMemory & { readonly namespace: string }) {
  const [params, changeQuery] = useAddressQuery()
  const [openedRecord, setOpenedRecord] = useState<Json>()
  const [field, setField] = useQueryField()
  const search = readSearch(params)
  const searchQuery = {
    connectionId: useService().connection.id,
    operation: 'memory.records.search',
    path: { id: memoryId },
    query: { namespace },
    body: { [field]: search.text, limit: search.limit, scoreThreshold: search.threshold },
  }
  const query = useCall('resources.call', searchQuery, {
    enabled: search.text !== '' && isFieldName(field),
    refetchOnWindowFocus: false,
  })
  const { data, isFetching } = query
  const foundRows = foundRecords(listRows(data?.data))
  return (
    <div className="flex flex-col gap-3">
      <CollapsibleSection title={t('search.fieldTitle', { field })}>
        <TextField
          label={t('search.field')}
          hint={t('search.fieldHint')}
          error={isFieldName(field) ? undefined : t('search.fieldRule')}
          mono
          value={field}
          onChange={(name) => setField(() => name.trim())}
        />
      </CollapsibleSection>
      <Section
        title={t('search.title')}
        actions={
          search.text === '' ? null : (
            <>
              {foundRows.length > 0 ? <ExportMenu name="memory-search" rows={foundRows.map(({ row }) => row)} /> : null}
              <CopyCallMenu call={searchQuery} />
            </>
          )
        }
      >
        <SearchForm
          key={JSON.stringify(search)}
          search={search}
          isSearching={isFetching}
          onSearch={(nextSearch) => {
            const { text, limit, threshold } = nextSearch
            if (JSON.stringify(nextSearch) === JSON.stringify(search)) void query.refetch()
            else changeQuery({ q: text, limit: String(limit), min: String(threshold) })
          }}
        />
        {search.text === '' ? (
          <Hint>{t('search.hint')}</Hint>
        ) : (
          <LoadedResource query={query}>
            {() =>
              foundRows.length === 0 ? (
                <EmptyState icon={SearchX} title={t('search.none')}>
                  {t('search.noneText')}
                </EmptyState>
              ) : (
                <ol className="flex flex-col divide-y rounded-lg border bg-surface" aria-label={t('search.title')}>
                  {foundRows.map(({ key, rank, row, score, share }) => (
                    <li key={key} className="flex gap-2.5 py-2.25 pr-3.5 pl-2.5">
                      <span className="w-6 flex-none text-right text-faint text-sm leading-5 tabular-nums">{rank}</span>
                      <div className="flex min-w-0 flex-1 flex-col gap-1">
                        <RecordText row={row} onOpen={setOpenedRecord} />
                        <span className="flex min-h-5 items-center gap-2.5">
                          <Score score={score} share={share} />
                          {/* The namespace distinguishes records of different actors that have the same text. */}
                          <span className="min-w-0 flex-1 truncate text-right font-mono text-faint text-xs" dir="rtl">
                            <bdi>{withVisibleControls(listNamespaces(row)[0] ?? '')}</bdi>
                          </span>
                        </span>
                      </div>
                    </li>
                  ))}
                </ol>
              )
            }
          </LoadedResource>
        )}
      </Section>
      {openedRecord !== undefined ? (
        <RecordSheet memoryId={memoryId} record={openedRecord} onClose={() => setOpenedRecord(undefined)} />
      ) : null}
    </div>
  )
}

function Score({ score, share }: Pick<ReturnType<typeof foundRecords>[number], 'score' | 'share'>) {
  if (score === undefined || share === undefined) return <Hint as="span">{t('search.noScore')}</Hint>
  const formattedScore = numberFormat({ minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(score)
  return (
    <>
      <span className="basis-35">
        <Meter label={t('search.score')} value={share} text={formattedScore} size="sm" />
      </span>
      <Hint as="span" className="flex-1 tabular-nums">
        {formattedScore}
      </Hint>
    </>
  )
}

const rangeClass = joinClassNames(
  'h-8 min-w-15 flex-1 appearance-none rounded-md bg-left bg-no-repeat',
  'bg-[linear-gradient(var(--color-accent),var(--color-accent)),linear-gradient(var(--color-border-control),var(--color-border-control))]',
  '[&::-webkit-slider-thumb]:size-4 [&::-webkit-slider-thumb]:appearance-none',
  '[&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-accent',
  '[&::-webkit-slider-thumb]:border-2 [&::-webkit-slider-thumb]:border-surface [&::-webkit-slider-thumb]:border-solid',
)

/** Search form. Checks the spec's limits before sending. */
function SearchForm(props: {
  readonly search: RecordSearch
  readonly isSearching: boolean
  readonly onSearch: (search: RecordSearch) => void
}) {
  const { search, isSearching, onSearch } = props
  const [query, setQuery] = useState(search.text)
  const [limit, setLimit] = useState(String(search.limit))
  const [threshold, setThreshold] = useState(String(search.threshold))
  const isLimitValid = searchLimit.accepts(limit)
  const isThresholdValid = scoreThreshold.accepts(threshold)
  const isQueryValid = query.trim() !== '' && isLimitValid && isThresholdValid
  const submit = (): void => {
    if (isQueryValid) onSearch({ text: query.trim(), limit: Number(limit), threshold: Number(threshold) })
  }
  return (
    <Form className="flex flex-col gap-3" onSubmit={submit}>
      <FieldRow>
        <TextField
          label={t('search.text')}
          className={growingClass}
          placeholder={t('search.placeholder')}
          value={query}
          onChange={setQuery}
        />
        <Button type="submit" variant="primary" icon={Search} busy={isSearching} disabled={!isQueryValid}>
          {t('search.search')}
        </Button>
      </FieldRow>
      <FieldRow>
        <TextField
          label={t('search.limit')}
          className="grow-0 basis-22"
          error={isLimitValid ? undefined : resourceText(searchLimit.message)}
          inputMode="numeric"
          value={limit}
          onChange={setLimit}
        />
        <Field
          label={t('search.threshold')}
          className={growingClass}
          error={isThresholdValid ? undefined : resourceText(scoreThreshold.message)}
        >
          <span className="flex items-center gap-3">
            <input
              type="range"
              className={rangeClass}
              style={{ backgroundSize: `${isThresholdValid ? Number(threshold) * 100 : 0}% 4px, 100% 4px` }}
              aria-label={t('search.thresholdSlider')}
              min={limits.scoreThreshold.min}
              max={limits.scoreThreshold.max}
              step={0.01}
              value={isThresholdValid ? threshold : '0'}
              onChange={({ target }) => setThreshold(target.value)}
            />
            <TextInput
              className="w-16 flex-none"
              inputMode="decimal"
              value={threshold}
              onChange={({ target }) => setThreshold(target.value)}
            />
          </span>
        </Field>
      </FieldRow>
    </Form>
  )
}

/** Found records in response order, without duplicates. Scores above 1 are scaled by the best score. */
function foundRecords(rows: readonly Json[]) {
  const maxScore = Math.max(1, ...rows.map((row) => readScore(row) ?? 0))
  const seenKeys = new Set<string>()
  return rows.flatMap((row, index) => {
    const key = recordKey(row)
    if (seenKeys.has(key)) return []
    seenKeys.add(key)
    const score = readScore(row)
    // Width of the score bar, 0 to 1.
    const share = score === undefined ? undefined : Math.min(1, Math.max(0, score / maxScore))
    return [{ key, rank: index + 1, row, score, share }]
  })
}
