import { Columns2, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import toolbar from '../../../ui/toolbar.module.css'
import type { Json } from '../../resources/resource'
import type { OpenMemory } from '../open-memory'
import { RecordSheet } from '../records/record-sheet'
import parts from '../search.module.css'
import { useSeen } from '../seen-store'
import { compared, type FoundRecord } from './found'
import { SearchPanel } from './search-panel'
import { useSearch } from './use-search'
import { isFieldName, readWish, type SearchWish, type Side, writeWish } from './wish'

interface SearchPageProps extends OpenMemory {
  readonly namespace: string
}

function QueryField() {
  const { t } = useTranslation('memory')
  const field = useSeen(({ queryField }) => queryField)
  const set = useSeen((store) => store.setQueryField)
  return (
    <details className={parts.fold}>
      <summary>{t('search.fieldTitle', { field })}</summary>
      <Field
        label={t('search.field')}
        hint={t('search.fieldHint')}
        error={isFieldName(field) ? undefined : t('search.fieldRule')}
      >
        <TextInput mono value={field} onChange={({ target }) => set(target.value.trim())} />
      </Field>
    </details>
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
  const standings = [...compared(mine, other).values()]
  const both = standings.filter(({ kind }) => kind === 'both').length
  return (
    <p className={parts.summary} role="status">
      {t('search.compared', { both, a: mine.length - both, b: other.length - both })}
    </p>
  )
}

/** Semantic search in a namespace: one, or two side by side with what they have in common. */
export function SearchPage({ connection, memoryId, namespace }: SearchPageProps) {
  const { t } = useTranslation('memory')
  const [query, setQuery] = useSearchParams()
  const [opened, setOpened] = useState<Json>()
  const isTwo = query.get('compare') === '1'
  const open = { connection, memoryId }
  const a = useSearch(open, namespace, readWish(query, 'a'))
  const b = useSearch(open, namespace, readWish(query, 'b'))
  const search = (side: Side) => (wish: SearchWish) =>
    setQuery((before) => writeWish(before, side, wish), { replace: true })
  const setTwo = (isOn: boolean): void =>
    setQuery(
      (before) => {
        const next = isOn ? new URLSearchParams(before) : writeWish(before, 'b', undefined)
        if (isOn) next.set('compare', '1')
        else next.delete('compare')
        return next
      },
      { replace: true },
    )
  const isCompared = isTwo && a.found !== undefined && b.found !== undefined
  return (
    <div className={toolbar.list}>
      <div className={parts.searchTop}>
        <QueryField />
        <Button icon={isTwo ? X : Columns2} onClick={() => setTwo(!isTwo)}>
          {t(isTwo ? 'search.single' : 'search.compare')}
        </Button>
      </div>
      {isCompared ? <Comparison mine={a.found ?? []} other={b.found ?? []} /> : null}
      <div className={isTwo ? parts.two : undefined}>
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
