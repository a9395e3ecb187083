import { Sparkles } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import { Card } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { ProgressBar } from '../../../ui/spinner'
import toolbar from '../../../ui/toolbar.module.css'
import { fieldOf, identifierOf, textOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import { ResourceFailure } from '../../resources/resource-failure'
import styles from '../memory.module.css'
import { type SessionKey, strategyIdentifier } from '../names'
import { namespaceFor } from '../namespaces'
import type { OpenMemory } from '../open-memory'
import { useStrategies } from '../records/use-namespaces'
import parts from '../search.module.css'
import { useSeen } from '../seen-store'
import { Offered } from '../session-fields'
import { Generated } from './generated'
import { useGenerate } from './use-generate'

const none: readonly SessionKey[] = []

interface StrategyChoice {
  readonly value: string
  readonly label: string
  readonly row: Json
}

const choicesOf = (strategies: readonly Json[]): readonly StrategyChoice[] =>
  strategies.flatMap((row) => {
    const value = identifierOf(row, strategyIdentifier)
    return value === undefined ? [] : [{ value, label: textOf(fieldOf(row, ['name', 'strategyName'])) || value, row }]
  })

function useWish(strategies: readonly Json[]) {
  const [query] = useSearchParams()
  const [actorId, setActor] = useState(query.get('actor') ?? '')
  const [sessionId, setSession] = useState(query.get('session') ?? '')
  const [strategy, setStrategy] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const choices = choicesOf(strategies)
  const strategyId = strategy ?? choices[0]?.value ?? ''
  const row = choices.find(({ value }) => value === strategyId)?.row
  const usual = row === undefined ? undefined : namespaceFor(row, { actorId, sessionId })
  const wish = {
    actorId: actorId.trim(),
    sessionId: sessionId.trim(),
    strategyId: strategyId.trim(),
    namespace: (typed ?? usual ?? query.get('namespace') ?? '').trim(),
  }
  return { wish, choices, setActor, setSession, setStrategy, setTyped }
}

function Session({ memoryId, state }: { readonly memoryId: string; readonly state: ReturnType<typeof useWish> }) {
  const { t } = useTranslation('memory')
  const id = useId()
  const seen = useSeen(({ sessions }) => sessions[memoryId] ?? none)
  const { wish, setActor, setSession } = state
  return (
    <div className={styles.line}>
      <Field label={t('fields.actor')} className={styles.grow ?? ''}>
        <TextInput mono list={`${id}-actors`} value={wish.actorId} onChange={({ target }) => setActor(target.value)} />
      </Field>
      <Offered id={`${id}-actors`} values={[...new Set(seen.map((one) => one.actorId))]} />
      <Field label={t('fields.session')} className={styles.grow ?? ''}>
        <TextInput
          mono
          list={`${id}-sessions`}
          value={wish.sessionId}
          onChange={({ target }) => setSession(target.value)}
        />
      </Field>
      <Offered id={`${id}-sessions`} values={seen.map((one) => one.sessionId)} />
    </div>
  )
}

function Target({ state }: { readonly state: ReturnType<typeof useWish> }) {
  const { t } = useTranslation('memory')
  const { wish, choices, setStrategy, setTyped } = state
  return (
    <div className={styles.line}>
      <Field label={t('fields.strategy')} className={styles.grow ?? ''}>
        {choices.length > 0 ? (
          <Select value={wish.strategyId} onValueChange={setStrategy} options={choices} />
        ) : (
          <TextInput mono value={wish.strategyId} onChange={({ target }) => setStrategy(target.value)} />
        )}
      </Field>
      <Field label={t('fields.namespace')} hint={t('generate.namespaceHint')} className={styles.grow2 ?? ''}>
        <TextInput mono value={wish.namespace} onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </div>
  )
}

/** Makes long-term records of a session, and shows what is new among those of the namespace. */
export function GenerateForm({ connection, memoryId }: OpenMemory) {
  const { t } = useTranslation(['memory', 'common'])
  const strategies = useStrategies({ connection, memoryId })
  const state = useWish(strategies)
  const { wish } = state
  const { made, failure, isRunning, generate, lookAgain, cancel } = useGenerate({ connection, memoryId })
  const isComplete = Object.values(wish).every((value) => value !== '')
  return (
    <div className={toolbar.list}>
      <Card>
        <form
          className={parts.search}
          onSubmit={(event) => {
            event.preventDefault()
            if (isComplete) void generate(wish)
          }}
        >
          <p className={styles.quiet}>{t('memory:generate.text')}</p>
          <Session memoryId={memoryId} state={state} />
          <Target state={state} />
          <div className={parts.actions}>
            {isRunning ? <Button onClick={cancel}>{t('common:cancel')}</Button> : null}
            <Button type="submit" variant="primary" icon={Sparkles} busy={isRunning} disabled={!isComplete}>
              {t('memory:generate.title')}
            </Button>
          </div>
        </form>
      </Card>
      {isRunning ? <ProgressBar label={t('memory:generate.running')} /> : null}
      {failure ? <ResourceFailure failure={failure} connection={connection} address="memoryApiUrl" /> : null}
      {made ? (
        <Generated {...{ connection, memoryId, made }} isLooking={isRunning} onLookAgain={() => void lookAgain()} />
      ) : null}
    </div>
  )
}
