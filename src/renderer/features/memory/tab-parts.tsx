import type { MethodInput } from '@shared/contract'
import { RefreshCw, SquareTerminal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { eventsPath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Toolbar } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { FieldsView, type Json, listRows, searchedRows, useCopyCall } from '../resources'
import type { LongColumn } from './long-table'
import { type OpenMemory, readContent, readSession, type SessionKey } from './names'

interface FindBarProps {
  readonly find: string
  readonly onFind: (text: string) => void
  readonly label: string
  /** How many were found, and among which. */
  readonly said: ReactNode
  readonly isRefreshing: boolean
  readonly onRefresh: () => void
  /** What is copied as an API call. */
  readonly code: Omit<MethodInput<'resources.code'>, 'language'>
  readonly children?: ReactNode
}

export function FindBar({ find, onFind, label, said, isRefreshing, onRefresh, code, children }: FindBarProps) {
  const { t } = useTranslation('resources')
  const codeItems = useCopyCall()
  const { connectionId, operation, path, query, body } = code
  const copied = {
    connectionId,
    operation,
    ...(path && { path }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
  }
  return (
    <Toolbar>
      <SearchField label={label} value={find} onChange={onFind} hasFindKey />
      <Hint
        as="span"
        className="tabular-nums max-[1180px]:not-empty:order-1 max-[1180px]:not-empty:basis-full"
        role="status"
      >
        {said}
      </Hint>
      <span className="flex-1" />
      {children}
      <Menu
        align="end"
        items={codeItems(copied)}
        trigger={<IconButton icon={SquareTerminal} label={t('code.title')} />}
      />
      <IconButton icon={RefreshCw} label={t('refresh')} busy={isRefreshing} onClick={onRefresh} />
    </Toolbar>
  )
}

/** The places of the rows that have every word of a text. */
export const foundIn = (rows: readonly (readonly [number, Json])[], find: string): readonly number[] =>
  rows.flatMap(([place, row]) => (searchedRows([row], find).length > 0 ? [place] : []))

/** A line of fields; a button beside labelled fields stands on the line of their controls. */
export function FieldLine({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-start gap-3 [&>button]:mt-6.5">{children}</div>
}

/** The class of a field that takes the room there is. */
export const growing = 'min-w-0 grow basis-40'

/** What is rarely looked at, folded. */
export function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
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

/** A column's cell with the beginning of what a row says, in one line; pressed, the whole opens. */
export const contentCell =
  (onOpen: (row: Json) => void): LongColumn['cell'] =>
  (row, tabIndex) => (
    <button
      type="button"
      className="block w-full truncate rounded-xs text-left text-text hover:text-accent-text"
      tabIndex={tabIndex}
      onClick={() => onOpen(row)}
    >
      {readContent(row)}
    </button>
  )

interface RecordSheetProps extends OpenMemory {
  readonly record: Json
  readonly onClose: () => void
}

/** A record with every field of it, and the way to the session it was made from when it says which. */
export function RecordSheet({ connection, memoryId, record, onClose }: RecordSheetProps) {
  const { t } = useTranslation(['memory', 'common'])
  const session = readSession(record)
  return (
    <Sheet
      onClose={onClose}
      title={t('memory:records.one')}
      footer={
        <>
          {session ? <ButtonLink to={eventsPath(memoryId, session)}>{t('memory:records.toSession')}</ButtonLink> : null}
          <Button onClick={onClose}>{t('common:close')}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p className="wrap-anywhere select-text whitespace-pre-wrap leading-5">{readContent(record)}</p>
        {session ? null : <Hint>{t('memory:records.noSession')}</Hint>}
        <FieldsView data={record} secrets={[]} connectionId={connection.id} keepAs={{ kind: 'token', name: '' }} />
      </div>
    </Sheet>
  )
}

/** Writes records into a file that one chooses, and says so. */
export function useExport() {
  const { t } = useTranslation('memory')
  const onError = useFailureToast()()
  return useAction('resources.export', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('export.done'), { description: path })
    },
    onError,
  })
}

interface SessionFieldsProps {
  readonly actor: string
  readonly session: string
  /** What is offered while one types. */
  readonly actors: readonly string[]
  readonly sessions: readonly string[]
  readonly confirm: string
  readonly onChoose: (session: SessionKey) => void
}

/** Values that are offered while one types into a field. */
export function Offered({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}

/** An actor and one of its sessions, typed or picked from those that are known. */
export function SessionFields({ actor, session, actors, sessions, confirm, onChoose }: SessionFieldsProps) {
  const { t } = useTranslation('memory')
  const id = useId()
  const [actorId, setActorId] = useState(actor)
  const [sessionId, setSessionId] = useState(session)
  const chosen = { actorId: actorId.trim(), sessionId: sessionId.trim() }
  const isComplete = chosen.actorId !== '' && chosen.sessionId !== ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onChoose(chosen)
      }}
    >
      <FieldLine>
        {' '}
        <Field label={t('fields.actor')} className={growing}>
          <TextInput mono list={`${id}-actors`} value={actorId} onChange={({ target }) => setActorId(target.value)} />
        </Field>
        <Offered id={`${id}-actors`} values={actors} />
        <Field label={t('fields.session')} className={growing}>
          <TextInput
            mono
            list={`${id}-sessions`}
            value={sessionId}
            onChange={({ target }) => setSessionId(target.value)}
          />
        </Field>
        <Offered id={`${id}-sessions`} values={sessions} />
        <Button type="submit" disabled={!isComplete}>
          {confirm}
        </Button>
      </FieldLine>{' '}
    </form>
  )
}

/** The strategies of a memory, as far as they are known now. */
export function useStrategies({ connection, memoryId }: OpenMemory): readonly Json[] {
  const { data } = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'memory.strategies.list',
    path: { id: memoryId },
  })
  return listRows(data?.data)
}
