import type { ConversationSummary } from '@shared/contract'
import i18next from 'i18next'
import { FileInput, FileJson, FileText, Pencil, Pin, PinOff, SquarePen, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useCallback, useDeferredValue, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { chatPath, messagePath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { useExportAction, useToastAction, useUndoableRemoval } from '../../toast-actions'
import { ButtonLink, RowButton } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { IconButton } from '../../ui/icon-button'
import { type MenuItem, useSharedMenu } from '../../ui/menu'
import { toRowAttributes } from '../../ui/rows'
import { SearchField } from '../../ui/search-field'
import { SkeletonLines } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { VirtualRows } from '../../ui/virtual-table'
import { useChatView } from './use-chat'

const t = i18next.getFixedT(null, 'playground')

/** Row heights in px with one line of details, and with two lines of search results. */
const getHeight = ({ found }: ConversationSummary): number => (found ? 64 : 48)

/** Number of conversations that are loaded at first, and more when the user scrolls to the end. */
const pageSize = 50

const toId = ({ id }: ConversationSummary): string => id

function ListRows(props: {
  readonly conversationId: string | undefined
  readonly items: readonly ConversationSummary[]
  /** Called when the user scrolls near the end of the loaded conversations, to load more. */
  readonly onEnd: () => void
}) {
  const { items, conversationId, onEnd } = props
  const [renamed, setRenamed] = useState<string>()
  const { open, menu } = useSharedMenu()
  const getMenuItems = useConversationMenu(conversationId, setRenamed)
  return (
    <div className="min-h-0 flex-1 overflow-auto px-2">
      <VirtualRows label={t('list.label')} gap={2} overscan={8} {...{ items, toKey: toId, getHeight, onEnd }}>
        {(conversation, place) => (
          <li
            key={conversation.id}
            {...toRowAttributes(place)}
            className={joinClassNames('absolute inset-x-0 top-0', conversation.found ? 'h-16' : 'h-12')}
          >
            {conversation.id === renamed ? (
              <Rename of={conversation} onDone={() => setRenamed(undefined)} />
            ) : (
              <ConversationRow
                of={conversation}
                isOpen={conversation.id === conversationId}
                onRename={() => setRenamed(conversation.id)}
                onMenu={(anchor) => open(anchor, getMenuItems(conversation))}
              />
            )}
          </li>
        )}
      </VirtualRows>
      {menu}
    </div>
  )
}

export function ConversationList({ conversationId }: { readonly conversationId: string | undefined }) {
  const search = useChatView((view) => view.search)
  const [limit, setLimit] = useState(pageSize)
  const input = { search: useDeferredValue(search.trim()), limit }
  const query = useCall('playground.conversations', input, { placeholderData: (previous) => previous })
  const hasMore = query.data?.length === limit
  const onEnd = useCallback(() => {
    if (hasMore) setLimit((previousLimit) => previousLimit + pageSize)
  }, [hasMore])
  const navigate = useNavigate()
  const importFiles = useToastAction('playground.import', {
    invalidates: ['playground'],
    onSuccess: async ({ ids }) => {
      const [firstId] = ids
      if (firstId === undefined) return
      void toast(t('list.imported', { count: ids.length }))
      await navigate(chatPath(firstId))
    },
  })
  return (
    <aside className="flex min-h-0 w-58 flex-none flex-col gap-2 border-r pt-2.5" aria-label={t('list.label')}>
      <div className="flex gap-1 px-2.5">
        <ButtonLink icon={SquarePen} to={chatPath()} className="flex-1">
          {t('list.new')}
        </ButtonLink>
        <IconButton
          icon={FileInput}
          label={t('list.import')}
          onClick={() => importFiles.mutate({ kind: 'conversation' })}
        />
      </div>
      <SearchField
        className="mx-2.5 w-auto flex-none"
        label={t('list.search')}
        maxLength={200}
        value={search}
        onChange={(text) => useChatView.setState({ search: text })}
      />
      <Loaded query={query} skeleton={<SkeletonLines className="px-4.5 py-2.5" widths={[82, 56, 90, 44, 70, 50]} />}>
        {(items) =>
          items.length === 0 ? (
            <p className="px-4.5 py-2 text-muted">{t(search.trim() === '' ? 'list.none' : 'list.noMatch')}</p>
          ) : (
            <ListRows {...{ conversationId, items, onEnd }} />
          )
        }
      </Loaded>
    </aside>
  )
}

function Snippet({ snippet, matchStart, matchEnd }: NonNullable<ConversationSummary['found']>) {
  return (
    <span className="wrap-anywhere line-clamp-2 text-muted text-sm leading-4">
      {snippet.slice(0, matchStart)}
      <mark className="rounded-[2px] bg-warning-soft text-text ring-1 ring-warning-line">
        {snippet.slice(matchStart, matchEnd)}
      </mark>
      {snippet.slice(matchEnd)}
    </span>
  )
}

function Rename({ of, onDone }: { readonly of: ConversationSummary; readonly onDone: () => void }) {
  const [title, setTitle] = useState(of.title)
  const renameConversation = useToastAction('playground.rename', { invalidates: ['playground'] })
  const saveTitle = (): void => {
    const nextTitle = title.trim()
    if (nextTitle !== '' && nextTitle !== of.title) renameConversation.mutate({ id: of.id, title: nextTitle })
    onDone()
  }
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') saveTitle()
    else if (event.key === 'Escape') onDone()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      className="mt-2 h-8 w-[calc(100%-8px)] rounded-md border border-focus bg-surface px-2.25 outline-none"
      aria-label={t('list.name')}
      maxLength={200}
      value={title}
      ref={(element) => {
        if (element && document.activeElement !== element) element.select()
      }}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={handleKeyDown}
      onBlur={saveTitle}
    />
  )
}

function ConversationRow(props: {
  readonly of: ConversationSummary
  readonly isOpen: boolean
  readonly onRename: () => void
  readonly onMenu: (anchor: HTMLElement) => void
}) {
  const { of, isOpen, onRename, onMenu } = props
  return (
    <div className={joinClassNames('group relative h-full rounded-md', isOpen ? 'bg-accent-soft' : 'hover:bg-hover')}>
      <Link
        to={of.found?.messageId === undefined ? chatPath(of.id) : messagePath(of.id, of.found.messageId)}
        className={joinClassNames(
          'flex h-full flex-col justify-center rounded-[inherit] px-2.5 text-text leading-4.5',
          'hover:no-underline focus-visible:-outline-offset-2',
        )}
        aria-current={isOpen ? 'page' : undefined}
        onDoubleClick={onRename}
        onKeyDown={(event) => {
          if (event.key === 'F2') onRename()
        }}
      >
        <span className="flex items-center gap-1.25 font-medium" title={of.title}>
          {of.isPinned ? <Pin size={12} strokeWidth={2} className="text-muted" aria-label={t('list.pinned')} /> : null}
          <span className="truncate">{of.title}</span>
        </span>
        {of.found ? (
          <Snippet {...of.found} />
        ) : (
          <span className="truncate text-muted text-sm">
            <RelativeTime at={of.updatedAt} />
            {of.modelCode === undefined ? null : <span> · {of.modelCode}</span>}
          </span>
        )}
      </Link>
      <span
        className={joinClassNames(
          'absolute top-1/2 right-1 -translate-y-1/2 rounded-[5px] bg-page opacity-0',
          'focus-within:opacity-100 group-hover:opacity-100 has-[[aria-expanded=true]]:opacity-100',
        )}
      >
        <RowButton label={t('list.more', { title: of.title })} hasMenu onPress={onMenu} />
      </span>
    </div>
  )
}

function useConversationMenu(conversationId: string | undefined, onRename: (id: string) => void) {
  const navigate = useNavigate()
  const pinAction = useToastAction('playground.pin', { invalidates: ['playground'] })
  const removeConversation = useUndoableRemoval('conversation')
  const exportConversation = useExportAction('playground.export', () => t('list.exported'))
  return ({ id, title, isPinned }: ConversationSummary): readonly MenuItem[] => {
    const isCurrent = id === conversationId
    const remove = (): void =>
      removeConversation(id, {
        title: t('list.removed', { title }),
        onRemoved: () => isCurrent && void navigate(chatPath(), { replace: true }),
        onRestored: () => isCurrent && void navigate(chatPath(id)),
      })
    const exportAs = (format: 'markdown' | 'json'): void => exportConversation.mutate({ id, format })
    return [
      { label: t('list.rename'), icon: Pencil, onSelect: () => onRename(id) },
      {
        label: t(isPinned ? 'list.unpin' : 'list.pin'),
        icon: isPinned ? PinOff : Pin,
        onSelect: () => pinAction.mutate({ kind: 'conversation', id, isPinned: !isPinned }),
      },
      'separator',
      { label: t('list.exportMarkdown'), icon: FileText, onSelect: () => exportAs('markdown') },
      { label: t('list.exportJson'), icon: FileJson, onSelect: () => exportAs('json') },
      'separator',
      { label: t('list.remove'), icon: Trash2, danger: true, onSelect: remove },
    ]
  }
}
