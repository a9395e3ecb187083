import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Field, TextInput } from '../../ui/field'
import type { Json } from '../resources'
import { rowsOf } from '../resources'
import styles from './memory.module.css'
import { type OpenMemory, prefixOf, type SessionKey, useSeen } from './names'

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
      className={styles.line}
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onChoose(chosen)
      }}
    >
      <Field label={t('fields.actor')} className={styles.grow ?? ''}>
        <TextInput mono list={`${id}-actors`} value={actorId} onChange={({ target }) => setActorId(target.value)} />
      </Field>
      <Offered id={`${id}-actors`} values={actors} />
      <Field label={t('fields.session')} className={styles.grow ?? ''}>
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
    </form>
  )
}

/** Under which all records lie where namespaces are paths (ours; a server may see it otherwise). */
const rootNamespace = '/'

const none: readonly string[] = []

/** The strategies of a memory, as far as they are known now. */
export function useStrategies({ connection, memoryId }: OpenMemory): readonly Json[] {
  const { data } = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'memory.strategies.list',
    path: { id: memoryId },
  })
  return rowsOf(data?.data)
}

/** Namespaces to pick from: those that were typed, that records told of, and that strategies name. */
export function useNamespaces(open: OpenMemory): readonly string[] {
  const strategies = useStrategies(open)
  const seen = useSeen(({ namespaces }) => namespaces[open.memoryId] ?? none)
  const named = strategies.flatMap((strategy) => prefixOf(strategy) ?? [])
  return [...new Set([...named, rootNamespace, ...seen])]
}
