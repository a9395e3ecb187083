import type { ConnectionView, MethodInput } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { Columns2, Download, Search, SearchX, SquareTerminal, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { cn } from '../../ui/cn'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Meter } from '../../ui/meter'
import { EmptyState, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import { type Json, listRows, QueryFailure, scoreThreshold, searchLimit, useCopyCall, useText } from '../resources'
import { listNamespaces, type OpenMemory, readScore, recordKey, useSeen } from './names'
import { FieldLine, Fold, growing, RecordSheet, RecordText, useExport } from './tab-parts'

interface SearchPageProps extends OpenMemory {
  readonly namespace: string
}

function QueryField() {
  const { t } = useTranslation('memory')
  const field = useSeen(({ queryField }) => queryField)
  const set = useSeen((store) => store.setQueryField)
  return (
    <Fold title={t('search.fieldTitle', { field })}>
      <Field
        label={t('search.field')}
        hint={t('search.fieldHint')}
        error={isFieldName(field) ? undefined : t('search.fieldRule')}
      >
        <TextInput mono value={field} onChange={({ target }) => set(target.value.trim())} />
      </Field>
    </Fold>
  )
}

function Comparison({
  mine,
  other,
}: {
  readonly mine: readonly FoundRecord[]
  readonly other: readonly FoundRecord[]
}) {
  const { t } = useTranslation('memory')
  const rankChanges = [...compareRanks(mine, other).values()]
  const both = rankChanges.filter(({ kind }) => kind === 'both').length
  return (
    <p className="rounded-lg border border-accent-line bg-accent-soft px-4 py-2 font-strong" role="status">
      {t('search.compared', { both, a: mine.length - both, b: other.length - both })}
    </p>
  )
}

export function SearchPage({ connection, memoryId, namespace }: SearchPageProps) {
  const { t } = useTranslation('memory')
  const [query, setQuery] = useSearchParams()
  const [opened, setOpened] = useState<Json>()
  const isTwo = query.get('compare') === '1'
  const open = { connection, memoryId }
  const a = useSearch(open, namespace, readSearch(query, 'a'))
  const b = useSearch(open, namespace, readSearch(query, 'b'))
  const search = (side: Side) => (wish: RecordSearch) =>
    setQuery((before) => writeSearch(before, side, wish), { replace: true })
  const setTwo = (isOn: boolean): void =>
    setQuery(
      (before) => {
        const next = isOn ? new URLSearchParams(before) : writeSearch(before, 'b', undefined)
        if (isOn) next.set('compare', '1')
        else next.delete('compare')
        return next
      },
      { replace: true },
    )
  const isCompared = isTwo && a.found !== undefined && b.found !== undefined
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start justify-between gap-4">
        <QueryField />
        <Button icon={isTwo ? X : Columns2} onClick={() => setTwo(!isTwo)}>
          {t(isTwo ? 'search.single' : 'search.compare')}
        </Button>
      </div>
      {isCompared ? <Comparison mine={a.found ?? []} other={b.found ?? []} /> : null}
      <div className={isTwo ? 'grid grid-cols-2 items-start gap-5' : undefined}>
        <SearchPanel
          title={isTwo ? t('search.first') : t('search.title')}
          {...{ connection }}
          search={a}
          other={isCompared ? b.found : undefined}
          onSearch={search('a')}
          onOpen={setOpened}
        />
        {isTwo ? (
          <SearchPanel
            title={t('search.second')}
            {...{ connection }}
            search={b}
            other={isCompared ? a.found : undefined}
            onSearch={search('b')}
            onOpen={setOpened}
          />
        ) : null}
      </div>
      {opened !== undefined ? <RecordSheet {...open} record={opened} onClose={() => setOpened(undefined)} /> : null}
    </div>
  )
}

interface SearchPanelProps {
  readonly connection: ConnectionView
  readonly title: string
  readonly search: MemorySearch
  /** What the other search found, while two are compared. */
  readonly other: readonly FoundRecord[] | undefined
  readonly onSearch: (wish: RecordSearch) => void
  readonly onOpen: (row: Json) => void
}

function SearchPanel({ connection, title, search, other, onSearch, onOpen }: SearchPanelProps) {
  const { t } = useTranslation(['memory', 'resources'])
  const codeItems = useCopyCall()
  const { wish, asked, query, found } = search
  const { error, isFetching } = query
  return (
    <Section
      title={title}
      actions={
        wish.text === '' ? null : (
          <>
            {found && found.length > 0 ? <ExportFound found={found} /> : null}
            <Menu
              align="end"
              items={codeItems(asked)}
              trigger={<IconButton size="sm" icon={SquareTerminal} label={t('resources:code.title')} />}
            />
          </>
        )
      }
    >
      <SearchForm
        key={JSON.stringify(wish)}
        wish={wish}
        isSearching={isFetching}
        onSearch={(next) => {
          if (JSON.stringify(next) === JSON.stringify(wish)) void query.refetch()
          else onSearch(next)
        }}
      />
      <QueryFailure query={query} connection={connection} address="memoryApiUrl" />
      {wish.text === '' ? (
        <Hint>{t('memory:search.hint')}</Hint>
      ) : !found ? (
        error ? null : (
          <SkeletonRows rows={4} />
        )
      ) : found.length === 0 ? (
        <EmptyState icon={SearchX} title={t('memory:search.none')}>
          {t('memory:search.noneText')}
        </EmptyState>
      ) : (
        <FoundList label={title} found={found} rankChanges={other && compareRanks(found, other)} onOpen={onOpen} />
      )}
    </Section>
  )
}

function ExportFound({ found }: { readonly found: readonly FoundRecord[] }) {
  const { t } = useTranslation('memory')
  const exporting = useExport()
  const rows = found.map(({ row }) => row)
  return (
    <Menu
      align="end"
      trigger={<IconButton size="sm" icon={Download} label={t('export.title')} busy={exporting.isPending} />}
      items={(['json', 'csv'] as const).map((format) => ({
        label: t(`export.${format}`),
        onSelect: () => exporting.mutate({ name: 'memory-search', format, rows }),
      }))}
    />
  )
}

interface FoundListProps {
  readonly label: string
  readonly found: readonly FoundRecord[]
  /** How each stands in the other search, while two are compared. */
  readonly rankChanges: ReadonlyMap<string, RankChange> | undefined
  readonly onOpen: (row: Json) => void
}

function RankChangeBadge({ change }: { readonly change: RankChange | undefined }) {
  const { t } = useTranslation('memory')
  if (!change) return null
  if (change.kind === 'only') return <Badge tone="accent">{t('search.onlyHere')}</Badge>
  const { better } = change
  if (better === 0) return <Badge>{t('search.sameRank')}</Badge>
  return (
    <Badge tone={better > 0 ? 'success' : 'warning'}>
      {t(better > 0 ? 'search.better' : 'search.worse', { count: Math.abs(better) })}
    </Badge>
  )
}

function Score({ score, share }: Pick<FoundRecord, 'score' | 'share'>) {
  const { t } = useTranslation('memory')
  const { locale } = useFormats()
  if (score === undefined || share === undefined) return <Hint as="span">{t('search.noScore')}</Hint>
  const words = new Intl.NumberFormat(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(score)
  return (
    <>
      <span className="basis-35">
        <Meter label={t('search.score')} value={share} text={words} size="sm" />
      </span>
      <Hint as="span" className="flex-1 tabular-nums">
        {words}
      </Hint>
    </>
  )
}

function FoundList({ label, found, rankChanges, onOpen }: FoundListProps) {
  return (
    <ol className="flex flex-col divide-y rounded-lg border bg-surface" aria-label={label}>
      {found.map(({ key, rank, row, score, share }) => (
        <li
          key={key}
          className="flex gap-2.5 py-2.25 pr-3.5 pl-2.5 [contain-intrinsic-size:auto_58px] [content-visibility:auto]"
        >
          <span className="w-6 flex-none text-right text-faint text-sm leading-5 tabular-nums">{rank}</span>
          <div className="flex min-w-0 flex-1 flex-col gap-1">
            <RecordText row={row} onOpen={onOpen} />
            <span className="flex min-h-5 items-center gap-2.5">
              <Score score={score} share={share} />
              <RankChangeBadge change={rankChanges?.get(key)} />
              {/* Whose it is: one text is often kept of many actors. */}
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

interface SearchFormProps {
  readonly wish: RecordSearch
  readonly isSearching: boolean
  readonly onSearch: (wish: RecordSearch) => void
}

const range = cn(
  'h-8 min-w-15 flex-1 appearance-none rounded-md bg-left bg-no-repeat',
  'bg-[linear-gradient(var(--accent),var(--accent)),linear-gradient(var(--border-control),var(--border-control))]',
  '[&::-webkit-slider-thumb]:size-4 [&::-webkit-slider-thumb]:appearance-none',
  '[&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-accent',
  '[&::-webkit-slider-thumb]:border-2 [&::-webkit-slider-thumb]:border-surface [&::-webkit-slider-thumb]:border-solid',
)

function Threshold({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const { t } = useTranslation('memory')
  const text = useText()
  const isGood = scoreThreshold.accepts(value)
  return (
    <Field label={t('search.threshold')} className={growing} error={isGood ? undefined : text(scoreThreshold.words)}>
      <span className="flex items-center gap-3">
        <input
          type="range"
          className={range}
          style={{ backgroundSize: `${isGood ? Number(value) * 100 : 0}% 4px, 100% 4px` }}
          aria-label={t('search.thresholdSlider')}
          min={scoreThreshold.min}
          max={scoreThreshold.max}
          step={0.01}
          value={isGood ? value : '0'}
          onChange={({ target }) => onChange(target.value)}
        />
        <TextInput
          className="w-16 flex-none"
          inputMode="decimal"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </span>
    </Field>
  )
}

/** What is searched for: a text, at most how many, and from which score on. The spec's limits are checked before anything is sent. */
function SearchForm({ wish, isSearching, onSearch }: SearchFormProps) {
  const { t } = useTranslation('memory')
  const text = useText()
  const [query, setQuery] = useState(wish.text)
  const [limit, setLimit] = useState(String(wish.limit))
  const [threshold, setThreshold] = useState(String(wish.threshold))
  const isLimitGood = searchLimit.accepts(limit)
  const isGood = query.trim() !== '' && isLimitGood && scoreThreshold.accepts(threshold)
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isGood) onSearch({ text: query.trim(), limit: Number(limit), threshold: Number(threshold) })
      }}
    >
      <FieldLine>
        <Field label={t('search.text')} className={growing}>
          <TextInput
            placeholder={t('search.placeholder')}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" icon={Search} busy={isSearching} disabled={!isGood}>
          {t('search.search')}
        </Button>
      </FieldLine>
      <FieldLine>
        <Field
          label={t('search.limit')}
          className="grow-0 basis-22"
          error={isLimitGood ? undefined : text(searchLimit.words)}
        >
          <TextInput inputMode="numeric" value={limit} onChange={({ target }) => setLimit(target.value)} />
        </Field>
        <Threshold value={threshold} onChange={setThreshold} />
      </FieldLine>
    </form>
  )
}

/** What a search found, asked for as soon as there is a text. */
function useSearch(open: OpenMemory, namespace: string, wish: RecordSearch) {
  const field = useSeen(({ queryField }) => queryField)
  const asked = searchCall(open, namespace, { wish, field })
  const query = useCall('resources.call', asked, {
    enabled: wish.text !== '' && isFieldName(field),
    refetchOnWindowFocus: false,
  })
  const { data } = query
  const found = useMemo(
    (): readonly FoundRecord[] | undefined => (data ? foundRecords(listRows(data.data)) : undefined),
    [data],
  )
  return { wish, asked, query, found }
}
type MemorySearch = ReturnType<typeof useSearch>

/** A record that a search found. */
interface FoundRecord {
  readonly key: string
  /** From 1, best first. */
  readonly rank: number
  readonly row: Json
  readonly score: number | undefined
  /** Its score as a share of the whole bar, from 0 to 1; nothing without a score. */
  readonly share: number | undefined
}

/** The records of an answer in its order, each once, with what their bars show. Scores beyond 1 are measured by the best. */
export function foundRecords(rows: readonly Json[]): readonly FoundRecord[] {
  const most = Math.max(1, ...rows.map((row) => readScore(row) ?? 0))
  const seen = new Set<string>()
  return rows.flatMap((row, at) => {
    const key = recordKey(row)
    if (seen.has(key)) return []
    seen.add(key)
    const score = readScore(row)
    const share = score === undefined ? undefined : Math.min(1, Math.max(0, score / most))
    return [{ key, rank: at + 1, row, score, share }]
  })
}

/** Where a record stands in the other search: nowhere, or so many ranks better (more than 0) or worse in this one. */
type RankChange = { readonly kind: 'only' } | { readonly kind: 'both'; readonly better: number }

/** How each record of one search stands in another. */
export function compareRanks(
  mine: readonly FoundRecord[],
  other: readonly FoundRecord[],
): ReadonlyMap<string, RankChange> {
  const ranks = new Map(other.map(({ key, rank }) => [key, rank]))
  return new Map(
    mine.map(({ key, rank }): readonly [string, RankChange] => {
      const there = ranks.get(key)
      return [key, there === undefined ? { kind: 'only' } : { kind: 'both', better: there - rank }]
    }),
  )
}

/** What one searches for. */
interface RecordSearch {
  readonly text: string
  readonly limit: number
  readonly threshold: number
}

/** The two searches that can be seen side by side. */
const sides = ['a', 'b'] as const
type Side = (typeof sides)[number]

export const defaultSearch: RecordSearch = { text: '', limit: 10, threshold: 0 }

/** What the address says of a search; what breaks a rule counts as not said. */
export function readSearch(query: URLSearchParams, side: Side): RecordSearch {
  const limit = query.get(`limit-${side}`)
  const threshold = query.get(`min-${side}`)
  return {
    text: query.get(`q-${side}`) ?? '',
    limit: limit !== null && searchLimit.accepts(limit) ? Number(limit) : defaultSearch.limit,
    threshold: threshold !== null && scoreThreshold.accepts(threshold) ? Number(threshold) : defaultSearch.threshold,
  }
}

/** The address with a search in it, or without when there is none. */
export function writeSearch(query: URLSearchParams, side: Side, wish: RecordSearch | undefined): URLSearchParams {
  const next = new URLSearchParams(query)
  const values = { q: wish?.text, limit: wish?.limit, min: wish?.threshold }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') next.delete(`${name}-${side}`)
    else next.set(`${name}-${side}`, String(value))
  }
  return next
}

/** Whether something can be the name of a JSON field that the text is sent as. */
const isFieldName = (name: string): boolean => /^[A-Za-z_][\w.-]{0,79}$/.test(name)

/** The call of a search; `field` is the name that its text goes by, which the spec does not give. */
function searchCall(
  { connection, memoryId }: OpenMemory,
  namespace: string,
  { wish, field }: { readonly wish: RecordSearch; readonly field: string },
): Omit<MethodInput<'resources.call'>, 'callId'> {
  const body: Json = { [field]: wish.text, limit: wish.limit, scoreThreshold: wish.threshold }
  return {
    connectionId: connection.id,
    operation: 'memory.records.search',
    path: { id: memoryId },
    query: { namespace },
    body,
  }
}
