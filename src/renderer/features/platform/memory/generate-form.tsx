import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { RefreshCw, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { type CallError, call, useCancelableCall } from '../../../ipc'
import { memoryPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Field, Form, TextField, TextInput } from '../../../ui/field'
import { Card, Section } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { ProgressBar } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import {
  findIdentifier,
  type Json,
  RawJson,
  ResourceFailure,
  readField,
  toText,
  useRefreshResources,
  useService,
} from '../resources'
import {
  buildRecordsRequest,
  CollapsibleSection,
  FieldRow,
  growingClass,
  keyRows,
  type OpenMemory,
  RecordSheet,
  RecordText,
  resolveNamespace,
  SuggestedField,
  strategyIdNames,
  useSeenSessions,
  useStrategies,
} from './tab-parts'

const t = i18next.getFixedT(null, ['memory', 'common'])

/** Generates long-term records from a session, and shows which records of the namespace are new. */
export function GenerateForm({ memoryId }: OpenMemory) {
  const connectionId = useService().connection.id
  const [query] = useSearchParams()
  const [actorId, setActor] = useState(query.get('actor') ?? '')
  const [sessionId, setSession] = useState(query.get('session') ?? '')
  const [strategy, setStrategy] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const [seenSessions] = useSeenSessions(memoryId)
  const strategies = useStrategies(memoryId).flatMap((row) => {
    const value = findIdentifier(row, strategyIdNames)
    return value === undefined ? [] : [{ value, label: toText(readField(row, ['name', 'strategyName'])) || value, row }]
  })
  const strategyId = strategy ?? strategies[0]?.value ?? ''
  const row = strategies.find(({ value }) => value === strategyId)?.row
  const suggestedNamespace = row === undefined ? undefined : resolveNamespace(row, { actorId, sessionId })
  const input = {
    actorId: actorId.trim(),
    sessionId: sessionId.trim(),
    strategyId: strategyId.trim(),
    namespace: (typed ?? suggestedNamespace ?? query.get('namespace') ?? '').trim(),
  }
  const refresh = useRefreshResources()
  const [result, setResult] = useState<GenerationResult>()
  const { createCallId, cancel } = useCancelableCall()
  const listRecords = async (namespace: string): Promise<readonly Json[]> => {
    const recordsQuery = buildRecordsRequest(connectionId, memoryId, namespace, comparedLimit)
    return (await call('resources.rows', { ...recordsQuery, callId: createCallId() })).rows
  }
  const run = useMutation<GenerationResult, CallError, () => Promise<GenerationResult>>({
    mutationFn: (work) => work(),
    onSuccess: setResult,
    onSettled: () => refresh('things'),
  })
  const failure = run.error?.failure
  const isRunning = run.isPending
  const generate = () => {
    const { namespace, strategyId: longTermMemoryStrategyId, ...session } = input
    setResult(undefined)
    run.mutate(async () => {
      const recordsBefore = await listRecords(namespace)
      const { data: answer } = await call('resources.call', {
        connectionId,
        operation: 'memory.records.generateFromSession',
        path: { id: memoryId },
        query: { ...session, longTermMemoryStrategyId },
        callId: createCallId(),
      })
      return { namespace, before: recordsBefore, answer, after: await listRecords(namespace) }
    })
  }
  const refreshPage = () => {
    if (result) run.mutate(async () => ({ ...result, after: await listRecords(result.namespace) }))
  }
  const isComplete = Object.values(input).every((value) => value !== '')
  return (
    <div className="flex flex-col gap-3">
      <Card>
        <Form className="flex flex-col gap-3" onSubmit={() => isComplete && !isRunning && generate()}>
          <Hint>{t('memory:generate.text')}</Hint>
          <FieldRow>
            <SuggestedField
              label={t('memory:fields.actor')}
              value={input.actorId}
              onChange={setActor}
              suggestions={seenSessions.map((session) => session.actorId)}
            />
            <SuggestedField
              label={t('memory:fields.session')}
              value={input.sessionId}
              onChange={setSession}
              suggestions={seenSessions.map((session) => session.sessionId)}
            />
          </FieldRow>
          <FieldRow>
            <Field label={t('memory:fields.strategy')} className={growingClass}>
              {strategies.length > 0 ? (
                <Select value={input.strategyId} onValueChange={setStrategy} options={strategies} />
              ) : (
                <TextInput mono value={input.strategyId} onChange={({ target }) => setStrategy(target.value)} />
              )}
            </Field>
            <TextField
              label={t('memory:fields.namespace')}
              hint={t('memory:generate.namespaceHint')}
              className="min-w-0 grow-2 basis-65"
              mono
              value={input.namespace}
              onChange={setTyped}
            />
          </FieldRow>
          <div className="flex justify-end gap-2">
            {isRunning ? <Button onClick={cancel}>{t('common:cancel')}</Button> : null}
            <Button type="submit" variant="primary" icon={Sparkles} busy={isRunning} disabled={!isComplete}>
              {t('memory:generate.title')}
            </Button>
          </div>
        </Form>
      </Card>
      {isRunning ? <ProgressBar label={t('memory:generate.running')} /> : null}
      {failure ? <ResourceFailure failure={failure} /> : null}
      {result ? (
        <GeneratedRecords {...{ memoryId, made: result }} isLooking={isRunning} onLookAgain={refreshPage} />
      ) : null}
    </div>
  )
}

const maxUnchangedRecords = 20

/** List of generated records. Records that did not exist before come first. */
function GeneratedRecords(
  props: OpenMemory & {
    readonly made: GenerationResult
    readonly isLooking: boolean
    readonly onLookAgain: () => void
  },
) {
  const { memoryId, made, isLooking, onLookAgain } = props
  const [openedRecord, setOpenedRecord] = useState<Json>()
  const [recordsBefore, recordsAfter] = [keyRows(made.before), keyRows(made.after)]
  const keysBefore = new Set(recordsBefore.map(({ key }) => key))
  const keysAfter = new Set(recordsAfter.map(({ key }) => key))
  const newRecords = recordsAfter.filter(({ key }) => !keysBefore.has(key))
  const sameRecords = recordsAfter.filter(({ key }) => keysBefore.has(key))
  const shownGroups = [
    { change: 'new', records: newRecords },
    { change: 'gone', records: recordsBefore.filter(({ key }) => !keysAfter.has(key)) },
    { change: 'same', records: sameRecords.slice(0, maxUnchangedRecords) },
  ] as const
  const newCount = newRecords.length
  return (
    <Section
      title={newCount === 0 ? t('generate.noneNew') : t('generate.made', { count: newCount })}
      description={t('generate.of', {
        before: made.before.length,
        after: made.after.length,
        namespace: made.namespace,
      })}
      actions={[
        { label: t('generate.lookAgain'), size: 'md', icon: RefreshCw, busy: isLooking, onClick: onLookAgain },
        {
          label: t('generate.browse'),
          size: 'md',
          to: memoryPath(memoryId, 'records', { namespace: made.namespace }),
        },
      ]}
    >
      {newCount === 0 ? <Hint>{t('generate.noneNewText')}</Hint> : null}
      {made.after.length >= comparedLimit ? <Hint>{t('generate.cut', { count: comparedLimit })}</Hint> : null}
      {recordsBefore.length + recordsAfter.length === 0 ? null : (
        <ul
          className="flex flex-col divide-y overflow-hidden rounded-lg border bg-surface"
          aria-label={t('generate.result')}
        >
          {shownGroups.flatMap(({ change, records }) =>
            records.map(({ key, row }) => (
              <li
                key={`${change} ${key}`}
                className={joinClassNames(
                  'flex gap-2.5 px-3.5 py-2',
                  change === 'new' && 'bg-added',
                  change === 'gone' && 'bg-removed',
                )}
              >
                <span className="min-w-11 flex-none">
                  {change === 'same' ? null : (
                    <Badge tone={change === 'new' ? 'success' : 'danger'}>{t(`generate.${change}`)}</Badge>
                  )}
                </span>
                <RecordText row={row} onOpen={setOpenedRecord} />
              </li>
            )),
          )}
          {sameRecords.length > maxUnchangedRecords ? (
            <li className="flex gap-2.5 px-3.5 py-2">
              <span className="min-w-11 flex-none" />
              <Hint as="span">{t('generate.moreSame', { count: sameRecords.length - maxUnchangedRecords })}</Hint>
            </li>
          ) : null}
        </ul>
      )}
      {made.answer === undefined ? null : (
        <CollapsibleSection title={t('generate.answer')}>
          <RawJson data={made.answer} />
        </CollapsibleSection>
      )}
      {openedRecord !== undefined ? (
        <RecordSheet memoryId={memoryId} record={openedRecord} onClose={() => setOpenedRecord(undefined)} />
      ) : null}
    </Section>
  )
}

/** Maximum number of records that are compared before and after. The sandbox returns no more than this many. */
const comparedLimit = 1000

interface GenerationResult {
  readonly namespace: string
  readonly before: readonly Json[]
  readonly after: readonly Json[]
  readonly answer: Json | undefined
}
