import type { Failure } from '@shared/failure'
import { RefreshCw, Sparkles } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { CallError, call } from '../../ipc'
import { memoryPath } from '../../paths'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { cn } from '../../ui/cn'
import { Field, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { ProgressBar } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import type { Json } from '../resources'
import {
  findIdentifier,
  listRows,
  RawJson,
  ResourceFailure,
  readField,
  toText,
  useRefreshResources,
} from '../resources'
import { namespaceFor, type OpenMemory, recordKey, type SessionKey, strategyIdentifier, useSeen } from './names'
import { FieldLine, Fold, growing, Offered, RecordSheet, RecordText, useStrategies } from './tab-parts'
import { recordsCall } from './use-records'

const none: readonly SessionKey[] = []

interface StrategyChoice {
  readonly value: string
  readonly label: string
  readonly row: Json
}

const choicesOf = (strategies: readonly Json[]): readonly StrategyChoice[] =>
  strategies.flatMap((row) => {
    const value = findIdentifier(row, strategyIdentifier)
    return value === undefined ? [] : [{ value, label: toText(readField(row, ['name', 'strategyName'])) || value, row }]
  })

function useGenerateForm(strategies: readonly Json[]) {
  const [query] = useSearchParams()
  const [actorId, setActor] = useState(query.get('actor') ?? '')
  const [sessionId, setSession] = useState(query.get('session') ?? '')
  const [strategy, setStrategy] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const choices = choicesOf(strategies)
  const strategyId = strategy ?? choices[0]?.value ?? ''
  const row = choices.find(({ value }) => value === strategyId)?.row
  const usual = row === undefined ? undefined : namespaceFor(row, { actorId, sessionId })
  const input = {
    actorId: actorId.trim(),
    sessionId: sessionId.trim(),
    strategyId: strategyId.trim(),
    namespace: (typed ?? usual ?? query.get('namespace') ?? '').trim(),
  }
  return { input, choices, setActor, setSession, setStrategy, setTyped }
}

function Session({
  memoryId,
  state,
}: {
  readonly memoryId: string
  readonly state: ReturnType<typeof useGenerateForm>
}) {
  const { t } = useTranslation('memory')
  const id = useId()
  const seen = useSeen(({ sessions }) => sessions[memoryId] ?? none)
  const { input, setActor, setSession } = state
  return (
    <FieldLine>
      <Field label={t('fields.actor')} className={growing}>
        <TextInput mono list={`${id}-actors`} value={input.actorId} onChange={({ target }) => setActor(target.value)} />
      </Field>
      <Offered id={`${id}-actors`} values={[...new Set(seen.map((one) => one.actorId))]} />
      <Field label={t('fields.session')} className={growing}>
        <TextInput
          mono
          list={`${id}-sessions`}
          value={input.sessionId}
          onChange={({ target }) => setSession(target.value)}
        />
      </Field>
      <Offered id={`${id}-sessions`} values={seen.map((one) => one.sessionId)} />
    </FieldLine>
  )
}

function Target({ state }: { readonly state: ReturnType<typeof useGenerateForm> }) {
  const { t } = useTranslation('memory')
  const { input, choices, setStrategy, setTyped } = state
  return (
    <FieldLine>
      <Field label={t('fields.strategy')} className={growing}>
        {choices.length > 0 ? (
          <Select value={input.strategyId} onValueChange={setStrategy} options={choices} />
        ) : (
          <TextInput mono value={input.strategyId} onChange={({ target }) => setStrategy(target.value)} />
        )}
      </Field>
      <Field label={t('fields.namespace')} hint={t('generate.namespaceHint')} className="min-w-0 grow-2 basis-65">
        <TextInput mono value={input.namespace} onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </FieldLine>
  )
}

export function GenerateForm({ connection, memoryId }: OpenMemory) {
  const { t } = useTranslation(['memory', 'common'])
  const strategies = useStrategies({ connection, memoryId })
  const state = useGenerateForm(strategies)
  const { input } = state
  const { made, failure, isRunning, generate, lookAgain, cancel } = useGenerate({ connection, memoryId })
  const isComplete = Object.values(input).every((value) => value !== '')
  return (
    <div className="flex flex-col gap-3">
      <Card>
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (isComplete) void generate(input)
          }}
        >
          <Hint>{t('memory:generate.text')}</Hint>
          <Session memoryId={memoryId} state={state} />
          <Target state={state} />
          <div className="flex justify-end gap-2">
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

interface GeneratedProps extends OpenMemory {
  readonly made: NonNullable<ReturnType<typeof useGenerate>['made']>
  readonly isLooking: boolean
  readonly onLookAgain: () => void
}

/** How many records that stayed are shown. */
const mostSame = 20

function Line({ one, onOpen }: { readonly one: Difference; readonly onOpen: (row: Json) => void }) {
  const { t } = useTranslation('memory')
  const { row, change } = one
  return (
    <li className={cn('flex gap-2.5 px-3.5 py-2', change === 'new' && 'bg-added', change === 'gone' && 'bg-removed')}>
      <span className="min-w-11 flex-none">
        {change === 'same' ? null : (
          <Badge tone={change === 'new' ? 'success' : 'danger'}>{t(`generate.${change}`)}</Badge>
        )}
      </span>
      <RecordText row={row} onOpen={onOpen} />
    </li>
  )
}

/** The records of a namespace after some were made of a session: new ones marked and first. */
function Generated({ connection, memoryId, made, isLooking, onLookAgain }: GeneratedProps) {
  const { t } = useTranslation('memory')
  const [opened, setOpened] = useState<Json>()
  const all = differences(made.before, made.after)
  const fresh = all.filter(({ change }) => change === 'new').length
  const gone = all.filter(({ change }) => change === 'gone').length
  const changed = all.slice(0, fresh + gone)
  const same = all.slice(fresh + gone)
  const isCut = made.after.length >= comparedLimit
  return (
    <Section
      title={fresh === 0 ? t('generate.noneNew') : t('generate.made', { count: fresh })}
      description={t('generate.of', {
        before: made.before.length,
        after: made.after.length,
        namespace: made.namespace,
      })}
      actions={
        <>
          <Button icon={RefreshCw} busy={isLooking} onClick={onLookAgain}>
            {t('generate.lookAgain')}
          </Button>
          <ButtonLink to={memoryPath(memoryId, 'records', { namespace: made.namespace })}>
            {t('generate.browse')}
          </ButtonLink>
        </>
      }
    >
      {fresh === 0 ? <Hint>{t('generate.noneNewText')}</Hint> : null}
      {isCut ? <Hint>{t('generate.cut', { count: comparedLimit })}</Hint> : null}
      {all.length === 0 ? null : (
        <ul
          className="flex flex-col divide-y overflow-hidden rounded-lg border bg-surface"
          aria-label={t('generate.result')}
        >
          {[...changed, ...same.slice(0, mostSame)].map((one) => (
            <Line key={`${one.change} ${one.key}`} one={one} onOpen={setOpened} />
          ))}
          {same.length > mostSame ? (
            <li className="flex gap-2.5 px-3.5 py-2">
              <span className="min-w-11 flex-none" />
              <Hint as="span">{t('generate.moreSame', { count: same.length - mostSame })}</Hint>
            </li>
          ) : null}
        </ul>
      )}
      {made.answer === undefined ? null : (
        <Fold title={t('generate.answer')}>
          <RawJson data={made.answer} />
        </Fold>
      )}
      {opened !== undefined ? (
        <RecordSheet {...{ connection, memoryId }} record={opened} onClose={() => setOpened(undefined)} />
      ) : null}
    </Section>
  )
}

/** A record after records were made, and what came of it. */
interface Difference {
  readonly key: string
  readonly row: Json
  readonly change: 'new' | 'gone' | 'same'
}

/** Rows with what tells them apart; equal ones are counted. */
function keyed(rows: readonly Json[]): readonly (readonly [string, Json])[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const key = recordKey(row)
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return [nth === 0 ? key : `${key} ${nth}`, row]
  })
}

/** What is new, what is gone and what stayed between two lists of records; new ones first. */
export function differences(before: readonly Json[], after: readonly Json[]): readonly Difference[] {
  const [had, has] = [new Map(keyed(before)), new Map(keyed(after))]
  const now = [...has].map(([key, row]): Difference => ({ key, row, change: had.has(key) ? 'same' : 'new' }))
  const gone = [...had].filter(([key]) => !has.has(key)).map(([key, row]): Difference => ({ key, row, change: 'gone' }))
  return [...now.filter(({ change }) => change === 'new'), ...gone, ...now.filter(({ change }) => change === 'same')]
}

/** With how many records before and after are compared; the most that the sandbox gives, and more than a session makes. */
const comparedLimit = 1000

/** What records are made of, and where they are looked for. */
interface GenerateInput {
  readonly actorId: string
  readonly sessionId: string
  readonly strategyId: string
  readonly namespace: string
}

interface Made {
  readonly namespace: string
  readonly before: readonly Json[]
  readonly after: readonly Json[]
  /** What the platform answered to the call itself. */
  readonly answer: Json | undefined
}

/** The call that makes records of a session. */
const generateCall = ({ connection, memoryId }: OpenMemory, { actorId, sessionId, strategyId }: GenerateInput) => ({
  connectionId: connection.id,
  operation: 'memory.records.generateFromSession',
  path: { id: memoryId },
  query: { actorId, sessionId, longTermMemoryStrategyId: strategyId },
})

/** Makes records of a session, with those of the namespace before and after. */
function useGenerate(open: OpenMemory) {
  const refresh = useRefreshResources()
  const [made, setMade] = useState<Made>()
  const [failure, setFailure] = useState<Failure>()
  const [isRunning, setIsRunning] = useState(false)
  const callId = useRef('')
  const ask = async (asked: Parameters<typeof call<'resources.call'>>[1]) => {
    callId.current = crypto.randomUUID()
    return (await call('resources.call', { ...asked, callId: callId.current })).data
  }
  const look = async (namespace: string) =>
    listRows(
      await ask(recordsCall({ connectionId: open.connection.id, memoryId: open.memoryId }, namespace, comparedLimit)),
    )
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (isRunning) return
    setIsRunning(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      setFailure(error.failure)
    } finally {
      setIsRunning(false)
      refresh('things')
    }
  }
  return {
    ...{ made, failure, isRunning },
    generate: (input: GenerateInput) =>
      guarded(async () => {
        setMade(undefined)
        const { namespace } = input
        const before = await look(namespace)
        const answer = await ask(generateCall(open, input))
        setMade({ namespace, before, answer, after: await look(namespace) })
      }),
    lookAgain: () =>
      guarded(async () => {
        if (made) setMade({ ...made, after: await look(made.namespace) })
      }),
    cancel: () => {
      if (isRunning) void call('calls.cancel', { callId: callId.current })
    },
  }
}
