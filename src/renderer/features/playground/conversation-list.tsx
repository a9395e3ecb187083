import type { ConversationSummary } from '@shared/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import { FileInput, SquarePen } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { SearchField } from '../../ui/search-field'
import { useSharedMenu } from '../../ui/shared-menu'
import { Skeleton } from '../../ui/skeleton'
import { ConversationRow } from './conversation-row'
import styles from './conversations.module.css'
import { chatPath } from './paths'
import { useConversationMenu, useImport } from './use-conversation-menu'
import { useConversations } from './use-conversations'
import { useChatView } from './view-store'

/** The heights of a row in px: with a line of facts, and with two lines of what was found. */
const rowHeights = { plain: 50, found: 66 } as const

interface RowsProps {
  readonly conversationId: string | undefined
  readonly items: readonly ConversationSummary[]
  /** The end of what was read is near. */
  readonly onEnd: () => void
}

function useListRows({ items, onEnd }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => items[index]?.id ?? index, [items]),
    estimateSize: (index) => rowHeights[items[index]?.found ? 'found' : 'plain'],
    overscan: 6,
    useFlushSync: false,
  })
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - 8) onEnd()
  }, [last, items.length, onEnd])
  return { scroller, rows }
}

function ListRows(props: RowsProps) {
  const { t } = useTranslation('playground')
  const { items, conversationId } = props
  const { scroller, rows } = useListRows(props)
  const [renamed, setRenamed] = useState<string>()
  const { open, menu } = useSharedMenu()
  const itemsOf = useConversationMenu({ conversationId, onRename: setRenamed })
  const latest = useRef(itemsOf)
  latest.current = itemsOf
  const onMenu = useCallback((anchor: HTMLElement, of: ConversationSummary) => open(anchor, latest.current(of)), [open])
  const onRenamed = useCallback(() => setRenamed(undefined), [])
  return (
    <div ref={scroller} className={styles.scroller}>
      <ul className={styles.rows} style={{ height: rows.getTotalSize() }} aria-label={t('list.label')}>
        {rows.getVirtualItems().map(({ key, index, start, size }) => {
          const of = items[index]
          if (!of) return null
          return (
            <li key={key} className={styles.place} style={{ height: size, transform: `translateY(${start}px)` }}>
              <ConversationRow
                of={of}
                isOpen={of.id === conversationId}
                isRenamed={of.id === renamed}
                {...{ onRenamed, onMenu }}
                onRename={setRenamed}
              />
            </li>
          )
        })}
      </ul>
      {menu}
    </div>
  )
}

function ListSkeleton() {
  const { t } = useTranslation('common')
  return (
    <div className={styles.skeleton} role="status">
      <span className="sr-only">{t('loading')}</span>
      {[82, 56, 90, 44, 70, 50].map((width, at) => (
        <Skeleton key={width} width={`${width}%`} height={at % 2 === 0 ? 12 : 10} />
      ))}
    </div>
  )
}

function Rows({ conversationId, search }: Pick<RowsProps, 'conversationId'> & { readonly search: string }) {
  const { t } = useTranslation('playground')
  const query = useConversations(search)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return (
    <Loaded query={query} skeleton={<ListSkeleton />}>
      {(items) =>
        items.length === 0 ? (
          <p className={styles.none}>{t(search.trim() === '' ? 'list.none' : 'list.noMatch')}</p>
        ) : (
          <ListRows {...{ conversationId, items, onEnd }} />
        )
      }
    </Loaded>
  )
}

/** All conversations: found by their texts, renamed in place, pinned, exported, removed and brought back. */
export function ConversationList({ conversationId }: Pick<RowsProps, 'conversationId'>) {
  const { t } = useTranslation('playground')
  const { search, set } = useChatView()
  const searched = useDeferredValue(search)
  const read = useImport()
  return (
    <aside className={styles.list} aria-label={t('list.label')}>
      <div className={styles.top}>
        <ButtonLink icon={SquarePen} to={chatPath()} className={styles.new}>
          {t('list.new')}
        </ButtonLink>
        <IconButton icon={FileInput} label={t('list.import')} onClick={read} />
      </div>
      <SearchField
        className={styles.search ?? ''}
        label={t('list.search')}
        maxLength={200}
        value={search}
        onChange={(text) => set({ search: text })}
      />
      <Rows conversationId={conversationId} search={searched} />
    </aside>
  )
}
