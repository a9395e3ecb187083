import type { HistoryEntry, ToolView } from '@shared/contract'
import { History, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useNow } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader, Section } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { byDay, type Day, daysAgo, found, type Wanted } from './days'
import { EntryRow } from './entry-row'
import { useEntryWords } from './entry-words'
import styles from './history.module.css'

/** How many writes are shown at first, and how many more with each press. */
const pageSize = 100

/** Stands for "every tool"; no tool has this id. */
const everyTool = ' all'

/** What is looked for: the tool in the address of the page, the text only here. */
function useWanted() {
  const [search, setSearch] = useSearchParams()
  const [text, setText] = useState('')
  const wanted: Wanted = { toolId: search.get('tool') ?? undefined, text }
  const setTool = (toolId: string): void => setSearch(toolId === everyTool ? {} : { tool: toolId }, { replace: true })
  const clear = (): void => {
    setText('')
    setTool(everyTool)
  }
  return { wanted, setText, setTool, clear }
}

type Wanting = ReturnType<typeof useWanted>

interface ToolbarProps {
  readonly state: Wanting
  readonly entries: readonly HistoryEntry[]
  readonly tools: readonly ToolView[]
  readonly shown: number
}

function Toolbar({ state, entries, tools, shown }: ToolbarProps) {
  const { t } = useTranslation('history')
  const { wanted, setText, setTool } = state
  const ids = [...new Set(entries.flatMap((entry) => entry.tools.map(({ toolId }) => toolId)))]
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  const known = wanted.toolId === undefined || ids.includes(wanted.toolId) ? ids : [...ids, wanted.toolId]
  const options = known
    .map((id) => ({ value: id, label: nameOf(id) }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('search')}
        value={wanted.text}
        onChange={setText}
        found={{ shown, count: entries.length }}
        hasFindKey
      />
      <div className={styles.tool}>
        <Select
          aria-label={t('tool')}
          value={wanted.toolId ?? everyTool}
          onValueChange={setTool}
          options={[{ value: everyTool, label: t('everyTool') }, ...options]}
        />
      </div>
    </div>
  )
}

function useDayWords(): (at: string) => string {
  const { t } = useTranslation('history')
  const { date } = useFormats()
  const now = useNow()
  return (at) => {
    const ago = daysAgo(at, now)
    if (ago === 0) return t('today')
    return ago === 1 ? t('yesterday') : date(at)
  }
}

function Days({ days, tools }: { readonly days: readonly Day[]; readonly tools: readonly ToolView[] }) {
  const dayWords = useDayWords()
  const words = useEntryWords(tools)
  return days.map(({ at, entries }) => (
    <Section key={at} title={dayWords(at)}>
      <ol className={styles.entries} aria-label={dayWords(at)}>
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} words={words(entry)} tools={tools} />
        ))}
      </ol>
    </Section>
  ))
}

function Entries({
  entries,
  tools,
}: {
  readonly entries: readonly HistoryEntry[]
  readonly tools: readonly ToolView[]
}) {
  const { t } = useTranslation('history')
  const state = useWanted()
  const [pages, setPages] = useState(1)
  const { toolId, text } = state.wanted
  const rows = useMemo(() => found(entries, { toolId, text }, tools), [entries, toolId, text, tools])
  const days = useMemo(() => byDay(rows.slice(0, pages * pageSize)), [rows, pages])
  const more = rows.length - pages * pageSize
  if (entries.length === 0) {
    return (
      <EmptyState
        icon={History}
        title={t('none')}
        actions={
          <ButtonLink variant="primary" to="/tools">
            {t('toTools')}
          </ButtonLink>
        }
      >
        {t('noneText')}
      </EmptyState>
    )
  }
  return (
    <>
      <Toolbar state={state} entries={entries} tools={tools} shown={rows.length} />
      {rows.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('noMatch')}
          actions={<Button onClick={state.clear}>{t('showAll')}</Button>}
        />
      ) : (
        <Days days={days} tools={tools} />
      )}
      {more > 0 ? (
        <Button className={styles.more} onClick={() => setPages(pages + 1)}>
          {t('more', { count: Math.min(more, pageSize) })}
        </Button>
      ) : null}
    </>
  )
}

/** Every write this app made to tools' files, newest first; each can be gone back before. */
export function HistoryPage() {
  const { t } = useTranslation('history')
  const entries = useCall('tools.history', {})
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <PageHeader title={t('title')} state={t('state')} breadcrumb={[{ label: t('tools'), to: '/tools' }]} />
      <Loaded query={entries} skeleton={<SkeletonRows rows={6} />}>
        {(all) => (
          <Loaded query={tools} skeleton={<SkeletonRows rows={6} />}>
            {(list) => <Entries entries={all} tools={list} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
