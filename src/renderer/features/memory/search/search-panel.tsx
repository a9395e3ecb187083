import type { ConnectionView } from '@shared/contract'
import { SearchX, SquareTerminal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../ui/empty-state'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { Section } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import { useCopyCall } from '../../resources/copy-call'
import type { Json } from '../../resources/resource'
import { ResourceFailure } from '../../resources/resource-failure'
import styles from '../memory.module.css'
import { ExportFound } from './export-found'
import { compared, type FoundRecord } from './found'
import { FoundList } from './found-list'
import { SearchForm } from './search-form'
import type { Search } from './use-search'
import type { SearchWish } from './wish'

interface SearchPanelProps {
  readonly connection: ConnectionView
  readonly title: string
  readonly search: Search
  /** What the other search found, while two are compared. */
  readonly other: readonly FoundRecord[] | undefined
  readonly onSearch: (wish: SearchWish) => void
  readonly onOpen: (row: Json) => void
}

/** One search: what is asked, and what was found. */
export function SearchPanel({ connection, title, search, other, onSearch, onOpen }: SearchPanelProps) {
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
      {error ? (
        <ResourceFailure
          failure={error.failure}
          connection={connection}
          address="memoryApiUrl"
          onRetry={() => void query.refetch()}
          busy={isFetching}
        />
      ) : null}
      {wish.text === '' ? (
        <p className={styles.quiet}>{t('memory:search.hint')}</p>
      ) : !found ? (
        error ? null : (
          <SkeletonRows rows={4} />
        )
      ) : found.length === 0 ? (
        <EmptyState icon={SearchX} title={t('memory:search.none')}>
          {t('memory:search.noneText')}
        </EmptyState>
      ) : (
        <FoundList label={title} found={found} standings={other && compared(found, other)} onOpen={onOpen} />
      )}
    </Section>
  )
}
