import i18next from 'i18next'
import { Download, type LucideIcon, SearchX } from 'lucide-react'
import { type ComponentProps, type ReactNode, useCallback, useState } from 'react'
import { useCall } from '../../../ipc'
import { eventsPath } from '../../../paths'
import { useExportAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { Form, TextField } from '../../../ui/field'
import { MenuButton } from '../../../ui/menu'
import { EmptyState } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import type { VirtualColumn } from '../../../ui/virtual-table'
import { useWindowState } from '../../../window-state'
import {
  FieldsView,
  findIdentifier,
  isPrimitive,
  type Json,
  listRows,
  readField,
  toText,
  useService,
} from '../resources'

const t = i18next.getFixedT(null, ['memory', 'common'])

export const strategyIdNames = ['id', 'longTermMemoryStrategyId', 'strategyId', 'uuid', 'name']
const recordIdNames = ['id', 'recordId', 'memoryRecordId', 'uuid', 'key']

export const roleNames = ['role', 'type', 'author', 'sender', 'kind', 'eventType']
export const timeNames = ['createdAt', 'timestamp', 'eventTimestamp', 'time', 'created', 'date', 'at']
const contentNames = ['content', 'text', 'message', 'payload', 'memory', 'fact', 'body', 'value', 'data', 'summary']
export const namespaceNames = ['namespace', 'namespaces', 'namespaceTemplate', 'namespacePattern', 'path'] as const
const scoreNames = ['score', 'similarity', 'relevance', 'relevanceScore', 'similarityScore', '_score']
const actorNames = ['actorId', 'actor.id', 'actor.actorId', 'userId', 'source.actorId', 'metadata.actorId', 'actor']
const sessionNames =
  'sessionId session.id session.sessionId threadId source.sessionId metadata.sessionId session'.split(' ')

export interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

const plainText = (row: Json, names: readonly string[]): string | undefined => {
  const value = readField(row, names)
  return isPrimitive(value) && value !== '' ? String(value) : undefined
}

export function readSession(row: Json): SessionKey | undefined {
  const actorId = plainText(row, actorNames)
  const sessionId = plainText(row, sessionNames)
  return actorId === undefined || sessionId === undefined ? undefined : { actorId, sessionId }
}

/** All text inside a record, including nested objects and lists, or its JSON if it has no known text field. */
function readContent(value: Json): string {
  if (Array.isArray(value)) return value.map(readContent).join(' ')
  const innerContent = readField(value, contentNames)
  return innerContent === undefined ? toText(value) : readContent(innerContent)
}

export function listNamespaces(row: Json): readonly string[] {
  const value = readField(row, namespaceNames)
  const allValues = Array.isArray(value) ? value : [value]
  return allValues.filter((text): text is string => typeof text === 'string' && text !== '')
}

/** Score as returned by the server. */
export function readScore(row: Json): number | undefined {
  const value = readField(row, scoreNames)
  const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
}

/** Text that identifies a record: its identifier, or all of its content except the score. */
export function recordKey(row: Json): string {
  const id = findIdentifier(row, recordIdNames)
  if (id !== undefined) return id
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return JSON.stringify(row)
  return JSON.stringify(Object.entries(row).filter(([name]) => !scoreNames.includes(name)))
}

export interface KeyedRow {
  readonly key: string
  readonly row: Json
}

/** React keys of rows. Rows with equal content are numbered, so that keys are unique. */
export function keyRows(rows: readonly Json[]): readonly KeyedRow[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const key = recordKey(row)
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return { key: count === 0 ? key : `${key} ${count}`, row }
  })
}

export interface OpenMemory {
  readonly memoryId: string
}

/** Replaces placeholders in the namespace of a strategy, in common spellings. The spec defines none (decision 5). */
function fillNamespace(strategy: Json, session?: SessionKey): string | undefined {
  const [namespace] = listNamespaces(strategy)
  const values: readonly (readonly [RegExp, string | undefined])[] = [
    [/^(longterm)?(memory)?strategy(id)?$/, findIdentifier(strategy, strategyIdNames) ?? ''],
    [/^(actor|user)(id)?$/, session?.actorId],
    [/^(session|thread)(id)?$/, session?.sessionId],
  ]
  return namespace?.replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const lettersOnly = name.replaceAll(/[^a-z]/gi, '').toLowerCase()
    return values.find(([pattern]) => pattern.test(lettersOnly))?.[1] ?? placeholder
  })
}

/** Namespace of a strategy for a session. Undefined if it has none, or one with unknown placeholders. */
export function resolveNamespace(strategy: Json, session: SessionKey): string | undefined {
  const namespace = fillNamespace(strategy, session)
  return namespace?.includes('{') ? undefined : namespace
}

/** The part of a strategy's namespace before its first placeholder. */
export function namespacePrefix(strategy: Json): string | undefined {
  const namespace = fillNamespace(strategy)
  if (namespace === undefined) return undefined
  const openBrace = namespace.indexOf('{')
  if (openBrace < 0) return namespace
  const sharedPrefix = namespace.slice(0, openBrace).replace(/\/+$/, '')
  return sharedPrefix === '' ? '/' : sharedPrefix
}

const maxSeenValues = 50

const noValues: readonly never[] = []

/** Values that no operation of the API can list: typed by the user or seen in a response. Newest first. */
function useSeenValues<T>(key: string) {
  const [values, setValues] = useWindowState<readonly T[]>(key, noValues)
  const addSeenValue = useCallback(
    (newValues: readonly T[]): void =>
      setValues((knownValues) => {
        const valuesByText = new Map([...knownValues, ...newValues].map((value) => [JSON.stringify(value), value]))
        if (valuesByText.size === knownValues.length) return knownValues
        return [...[...valuesByText.values()].slice(knownValues.length), ...knownValues].slice(0, maxSeenValues)
      }),
    [setValues],
  )
  return [values, addSeenValue] as const
}

export const useSeenNamespaces = (memoryId: string) => useSeenValues<string>(`memory.namespaces.${memoryId}`)
export const useSeenSessions = (memoryId: string) => useSeenValues<SessionKey>(`memory.sessions.${memoryId}`)

/** Name of the request field that contains the search text. The spec does not define it. */
export const useQueryField = () => useWindowState('memory.queryField', 'query')

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

/** Items that export rows to a file, for a menu or as buttons. */
export function useExportItems(name: string, rows: readonly Json[]) {
  const { mutate, isPending } = useExportAction('resources.export', () => t('export.done'))
  const items = (['json', 'csv'] as const).map((format) => ({
    label: t(`export.${format}`),
    onSelect: () => mutate({ name, format, rows: [...rows] }),
  }))
  return { items, isPending }
}

export function ExportMenu({ name, rows }: { readonly name: string; readonly rows: readonly Json[] }) {
  const { items, isPending } = useExportItems(name, rows)
  const heading = t('export.rows', { count: rows.length })
  return <MenuButton icon={Download} label={t('export.title')} busy={isPending} items={[{ heading }, ...items]} />
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
  const [actorId, setActorId] = useState(actor)
  const [sessionId, setSessionId] = useState(session)
  const chosenSession = { actorId: actorId.trim(), sessionId: sessionId.trim() }
  const isComplete = chosenSession.actorId !== '' && chosenSession.sessionId !== ''
  return (
    <Form onSubmit={() => isComplete && onChoose(chosenSession)}>
      <FieldRow>
        <SuggestedField label={t('fields.actor')} value={actorId} onChange={setActorId} suggestions={actors} />
        <SuggestedField label={t('fields.session')} value={sessionId} onChange={setSessionId} suggestions={sessions} />
        <Button type="submit" disabled={!isComplete}>
          {confirm}
        </Button>
      </FieldRow>
    </Form>
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
