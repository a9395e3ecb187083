import type { HistoryEntry } from '@shared/contract'
import { dayMs } from '@shared/durations'
import i18next from 'i18next'
import { History, type LucideIcon, RotateCcw, Search, SearchX, Undo2, Unlink, Wrench } from 'lucide-react'
import { useId, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { formatDate, formatDateTime, formatList, formatTime, toSearchText } from '../../../format'
import { useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { useNow } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { QuietCode } from '../../../ui/code'
import { EmptyState, Page, PageHeader, Section, Toolbar } from '../../../ui/page'
import { ExpandButton, GridRow, GridRows, InlineDetails, RowIcon } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { Select } from '../../../ui/select'
import { useToolName } from '../../connections/account'
import { BulkWrite, formatSite, formatSiteKey, useBulkWrite, usePreview } from '..'
import { rewindPath, useUndoableToast } from './undo-toast'

const t = i18next.getFixedT(null, ['history', 'tools'])

const pageSize = 100

/** Filter value for all tools. No tool has this id. */
const allToolsValue = ' all'

function Days({ entries: listed }: { readonly entries: readonly HistoryEntry[] }) {
  const currentTime = useNow()
  return groupByDay(listed).map((entries) => {
    const at = entries[0]?.at ?? ''
    const title = [t('today'), t('yesterday')][daysAgo(at, currentTime)] ?? formatDate(at)
    return (
      <Section key={at} title={title}>
        <GridRows as="ol" columns="auto minmax(0, 1fr) auto auto" label={title}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </GridRows>
      </Section>
    )
  })
}

function Entries({ entries }: { readonly entries: readonly HistoryEntry[] }) {
  const getToolName = useToolName()
  // The tool is in the page address, the search text only in memory.
  const [search, setSearch] = useSearchParams()
  const toolId = search.get('tool') ?? undefined
  const [text, setText] = useState('')
  const [pages, setPages] = useState(1)
  const setTool = (id: string): void => setSearch(id === allToolsValue ? {} : { tool: id }, { replace: true })
  const showAll = (): void => {
    setText('')
    setTool(allToolsValue)
  }
  const searchWords = toSearchText(text).split(/\s+/).filter(Boolean)
  const rows = entries.filter((entry) => {
    if (toolId !== undefined && !entry.tools.some((changedTool) => changedTool.toolId === toolId)) return false
    const entryTexts = entry.tools.flatMap(({ toolId: id, planName = '', modelCode = '', files }) => [
      ...[getToolName(id), id, planName, modelCode],
      ...files.map(({ path }) => path),
    ])
    const entryText = toSearchText(entryTexts.join('\n'))
    return searchWords.every((word) => entryText.includes(word))
  })
  const moreCount = rows.length - pages * pageSize
  const changedToolIds = entries.flatMap((entry) => entry.tools.map((change) => change.toolId))
  const toolOptions = [...new Set([...changedToolIds, ...(toolId === undefined ? [] : [toolId])])]
    .map((id) => ({ value: id, label: getToolName(id) }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  if (entries.length === 0) {
    return (
      <EmptyState icon={History} title={t('none')} next={{ to: '/tools', label: t('toTools') }}>
        {t('noneText')}
      </EmptyState>
    )
  }
  return (
    <>
      <Toolbar>
        <SearchField
          label={t('search')}
          value={text}
          onChange={setText}
          found={{ shown: rows.length, count: entries.length }}
          hasFindKey
        />
        <div className="w-50">
          <Select
            aria-label={t('tool')}
            value={toolId ?? allToolsValue}
            onValueChange={setTool}
            options={[{ value: allToolsValue, label: t('everyTool') }, ...toolOptions]}
          />
        </div>
      </Toolbar>
      {rows.length === 0 ? (
        <EmptyState icon={Search} title={t('noMatch')} actions={[{ label: t('showAll'), onClick: showAll }]} />
      ) : (
        <Days entries={rows.slice(0, pages * pageSize)} />
      )}
      {moreCount > 0 ? (
        <Button className="self-center" onClick={() => setPages(pages + 1)}>
          {t('more', { count: Math.min(moreCount, pageSize) })}
        </Button>
      ) : null}
    </>
  )
}

/** Page with the history, newest first. Each write can be undone together with all later ones. */
export function HistoryPage() {
  const historyQuery = useCall('tools.history', {})
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page>
      <PageHeader
        title={t('history:title')}
        state={t('history:state')}
        breadcrumb={[{ label: t('history:tools'), to: '/tools' }]}
      />
      <Loaded query={joinQueries(historyQuery, toolsQuery)} rows={6}>
        {([entries]) => <Entries entries={entries} />}
      </Loaded>
    </Page>
  )
}

/** Groups entries by day, in the same order. */
function groupByDay(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const days = new Map<string, HistoryEntry[]>()
  for (const entry of entries) {
    const day = new Date(entry.at).toDateString()
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return [...days.values()]
}

/** Calendar days before today: 0 is today, 1 is yesterday. */
export function daysAgo(iso: string, currentTime: Date): number {
  const toUtcDay = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((toUtcDay(currentTime) - toUtcDay(new Date(iso))) / dayMs)
}

type Change = HistoryEntry['tools'][number]

const kindOrder: readonly Change['kind'][] = ['apply', 'restore', 'rewind', 'letGo']

/** Describes a write of the history, such as which tools were configured or restored. */
function useEntryText({ tools }: HistoryEntry): string {
  const getToolName = useToolName()
  const formatSentence = (kind: Change['kind'], changes: readonly Change[]): string => {
    const names = formatList([...new Set(changes.map(({ toolId }) => getToolName(toolId)))])
    const plans = [...new Set(changes.flatMap(({ planName }) => planName ?? []))]
    if (kind === 'apply' && plans.length > 0) return t('what.applyWith', { tools: names, plan: formatList(plans) })
    return t(`what.${kind}`, { tools: names })
  }
  return kindOrder
    .flatMap((kind) => {
      const changes = tools.filter((change) => change.kind === kind)
      return changes.length > 0 ? [formatSentence(kind, changes)] : []
    })
    .join(' ')
}

const icons: Record<Change['kind'], LucideIcon> = { apply: Wrench, restore: Undo2, rewind: History, letGo: Unlink }

function ChangeDetails({ change }: { readonly change: Change }) {
  const name = useToolName()(change.toolId)
  const { kind, site, planName, modelCode, delivery, files } = change
  return (
    <li className="grid min-w-0 gap-1">
      <p>
        <strong>{name}</strong> <span className="text-muted">{t(`history:kinds.${kind}`)}</span>
      </p>
      <InlineDetails
        items={[
          site.kind !== 'user' && formatSite(site),
          planName,
          modelCode !== undefined && <QuietCode key="model">{modelCode}</QuietCode>,
          delivery && t(`tools:deliveries.${delivery}`),
        ]}
      />
      <ul className="grid gap-1">
        {files.map(({ path, action }) => (
          <li key={path} className="flex min-w-0 items-baseline gap-2">
            <Badge>{t(`tools:fileActions.${action}`)}</Badge>
            <QuietCode wrap>{path}</QuietCode>
          </li>
        ))}
      </ul>
      {files.length === 0 ? <p className="text-muted">{t('history:noFiles')}</p> : null}
    </li>
  )
}

function Summary({ entry }: { readonly entry: HistoryEntry }) {
  const sites = entry.tools.flatMap(({ site }) => (site.kind === 'user' ? [] : [formatSite(site)]))
  const models = [...new Set(entry.tools.flatMap(({ modelCode }) => modelCode ?? []))]
  const files = entry.tools.flatMap((change) => change.files.filter(({ action }) => action !== 'none'))
  return (
    <InlineDetails
      items={[
        ...new Set(sites),
        ...models.slice(0, 3).map((code) => <QuietCode key={code}>{code}</QuietCode>),
        files.length > 0 && t('files', { count: files.length }),
      ]}
    />
  )
}

function EntryRow({ entry }: { readonly entry: HistoryEntry }) {
  const texts = useEntryText(entry)
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [firstTool] = entry.tools
  const isUndone = entry.state === 'undone'
  return (
    <GridRow>
      <RowIcon icon={isUndone || !firstTool ? RotateCcw : icons[firstTool.kind]} />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 font-strong">
          <span>{texts}</span>
          {isUndone ? <Badge tone="warning">{t('cutOff')}</Badge> : null}
        </p>
        <div className="min-w-0 text-muted text-sm">{isUndone ? t('cutOffText') : <Summary entry={entry} />}</div>
      </div>
      <time className="text-faint text-sm tabular-nums" dateTime={entry.at} title={formatDateTime(entry.at)}>
        {formatTime(entry.at)}
      </time>
      <div className="flex items-center justify-end gap-1">
        <ExpandButton
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={t('detailsNamed', { what: texts })}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('details')}
        </ExpandButton>
        {isUndone ? null : (
          <ButtonLink size="sm" to={rewindPath(entry.id)} aria-label={t('goBackNamed', { what: texts })}>
            {t('goBack')}
          </ButtonLink>
        )}
      </div>
      {isOpen ? (
        <ul id={id} className="col-[2/-1] mt-2.5 mb-1.5 flex flex-col gap-3 border-t pt-2.5 text-sm">
          {entry.tools.map((change) => (
            <ChangeDetails key={`${change.toolId} ${formatSiteKey(change.site)}`} change={change} />
          ))}
        </ul>
      ) : null}
    </GridRow>
  )
}

function RewindForm({ entry }: { readonly entry: HistoryEntry }) {
  const navigate = useNavigate()
  const showToast = useUndoableToast()
  const texts = useEntryText(entry)
  const state = useBulkWrite({
    shown: usePreview('tools.previewRewind', { entryId: entry.id }),
    onDone: () => {
      void navigate('/history', { replace: true })
      void showToast(t('wentBack'))
    },
  })
  return (
    <>
      <PageHeader
        title={t('rewind.title')}
        state={`${texts} ${formatDateTime(entry.at)}`}
        breadcrumb={[
          { label: t('history:tools'), to: '/tools' },
          { label: t('title'), to: '/history' },
        ]}
      />
      <BulkWrite
        state={state}
        title={t('rewind.changes')}
        description={t('rewind.hint')}
        label={t('rewind.button')}
        outcome={<p>{t('rewind.outcome', { at: formatDateTime(entry.at) })}</p>}
      />
    </>
  )
}

export function RewindPage() {
  const { entryId = '' } = useParams()
  const historyQuery = useCall('tools.history', {})
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(historyQuery, toolsQuery)} rows={4}>
        {([entries]) => {
          const entry = entries.find(({ id }) => id === entryId)
          return entry ? (
            <RewindForm key={entry.id} entry={entry} />
          ) : (
            <EmptyState
              icon={SearchX}
              title={t('rewind.gone')}
              actions={[{ label: t('rewind.toHistory'), to: '/history' }]}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
