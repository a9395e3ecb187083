import { Download, type LucideIcon, SearchX } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../../ipc'
import { eventsPath } from '../../../paths'
import { useExportAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { MenuButton } from '../../../ui/menu'
import { EmptyState } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import type { VirtualColumn } from '../../../ui/virtual-table'
import { FieldsView, type Json, listRows, useService } from '../resources'
import { type KeyedRow, type OpenMemory, readContent, readSession, type SessionKey } from './names'

export const maxRows = 5000

export const buildRecordsRequest = (connectionId: string, memoryId: string, namespace: string, limit: number) => ({
  connectionId,
  operation: 'memory.records.list',
  path: { id: memoryId },
  query: { namespace, limit },
})

/** Aligns a button with the controls of labeled fields. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-start gap-3 [&>button]:mt-6.5">{children}</div>
}

/** Class of a column that takes the remaining width. */
export const growingClass = 'min-w-0 grow basis-40'

export function CollapsibleSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className="flex-1 open:max-w-130">
      <summary className="w-fit rounded-sm text-muted text-sm leading-8">{title}</summary>
      {children}
    </details>
  )
}

export function RecordText({ row, onOpen }: { readonly row: Json; readonly onOpen: (row: Json) => void }) {
  return (
    <button
      type="button"
      className="wrap-anywhere line-clamp-3 rounded-xs text-left text-text leading-5 hover:text-accent-text"
      onClick={() => onOpen(row)}
    >
      {readContent(row)}
    </button>
  )
}

export const contentCell =
  (onOpen: (row: Json) => void): VirtualColumn<KeyedRow>['cell'] =>
  ({ row }, tabIndex) => (
    <button
      type="button"
      className="block w-full truncate rounded-xs text-left text-text hover:text-accent-text"
      tabIndex={tabIndex}
      onClick={() => onOpen(row)}
    >
      {readContent(row)}
    </button>
  )

/** Details of a record, with a link to its source session if the record names one. */
export function RecordSheet(props: OpenMemory & { readonly record: Json; readonly onClose: () => void }) {
  const { memoryId, record, onClose } = props
  const { t } = useTranslation(['memory', 'common'])
  const session = readSession(record)
  return (
    <Sheet
      onClose={onClose}
      title={t('memory:records.one')}
      footer={[
        session && { label: t('memory:records.toSession'), to: eventsPath(memoryId, session) },
        { label: t('common:close'), onClick: onClose },
      ]}
    >
      <div className="flex flex-col gap-5">
        <p className="wrap-anywhere select-text whitespace-pre-wrap leading-5">{readContent(record)}</p>
        {session ? null : <Hint>{t('memory:records.noSession')}</Hint>}
        <FieldsView data={record} />
      </div>
    </Sheet>
  )
}

/** Explains that a list has no rows, or none that match the search. */
export function NoRows(props: {
  readonly list: 'actors' | 'events' | 'records'
  readonly icon: LucideIcon
  readonly find: string
}) {
  const { list, icon, find } = props
  const { t } = useTranslation('memory')
  const isSearch = find !== ''
  return (
    <EmptyState
      icon={isSearch ? SearchX : icon}
      title={isSearch ? t(`${list}.noneFound`, { text: find }) : t(`${list}.empty`)}
    >
      {t(isSearch ? `${list}.noneFoundText` : `${list}.emptyText`)}
    </EmptyState>
  )
}

export function ExportMenu({ name, rows }: { readonly name: string; readonly rows: readonly Json[] }) {
  const { t } = useTranslation('memory')
  const exportAction = useExportAction('resources.export', () => t('export.done'))
  return (
    <MenuButton
      icon={Download}
      label={t('export.title')}
      busy={exportAction.isPending}
      items={[
        { heading: t('export.rows', { count: rows.length }) },
        ...(['json', 'csv'] as const).map((format) => ({
          label: t(`export.${format}`),
          onSelect: () => exportAction.mutate({ name, format, rows: [...rows] }),
        })),
      ]}
    />
  )
}

export function SuggestedField(props: ComponentProps<typeof TextField>) {
  return <TextField mono className={growingClass} {...props} />
}

export function SessionFields(props: {
  readonly actor: string
  readonly session: string
  readonly actors: readonly string[]
  readonly sessions: readonly string[]
  readonly confirm: string
  readonly onChoose: (session: SessionKey) => void
}) {
  const { actor, session, actors, sessions, confirm, onChoose } = props
  const { t } = useTranslation('memory')
  const [actorId, setActorId] = useState(actor)
  const [sessionId, setSessionId] = useState(session)
  const chosenSession = { actorId: actorId.trim(), sessionId: sessionId.trim() }
  const isComplete = chosenSession.actorId !== '' && chosenSession.sessionId !== ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onChoose(chosenSession)
      }}
    >
      <FieldRow>
        <SuggestedField label={t('fields.actor')} value={actorId} onChange={setActorId} suggestions={actors} />
        <SuggestedField label={t('fields.session')} value={sessionId} onChange={setSessionId} suggestions={sessions} />
        <Button type="submit" disabled={!isComplete}>
          {confirm}
        </Button>
      </FieldRow>
    </form>
  )
}

/** Strategies of the memory. Empty while loading. */
export function useStrategies(memoryId: string): readonly Json[] {
  const { data } = useCall('resources.call', {
    connectionId: useService().connection.id,
    operation: 'memory.strategies.list',
    path: { id: memoryId },
  })
  return listRows(data?.data)
}
