import type { HandoutResult, Holder, PlanView } from '@shared/contract'
import { keepPreviousData } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure, explainFailure } from '../../../failures'
import { call, useAction, useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { handoutsPath, registerPath } from '../../../paths'
import { Badge, StatusDot, type Tone } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { TextAreaField } from '../../../ui/field'
import { FieldCard, Page, PageHeader, Section } from '../../../ui/page'
import { Row, RowIcon, Rows } from '../../../ui/rows'
import { ProgressBar } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import { holderIcon, useDebouncedValue } from '../../connections/account'
import { ApplyBar } from '../../tools'
import {
  addHandouts,
  CompactPassphraseButtons,
  choosePlan,
  listPlanTools,
  PassphraseListButtons,
  PlanField,
  ToolsField,
  useHandoutsStore,
  useIssuePlans,
} from './handout-fields'
import { NoPlans } from './handout-page'

const t = i18next.getFixedT(null, ['handouts', 'common', 'register'])

function HolderReading({ state: { reading, holders, rest, freeSlots = rest.length } }: StateProps) {
  const { left, failure } = reading
  if (failure) return <ExplainedFailure failure={failure} />
  return (
    <>
      {holders.length > 0 ? (
        <div className="flex flex-col gap-1.5">
          <p className="font-medium" role="status">
            {t('many.found', { count: holders.length })}
          </p>
          <ul className="flex max-h-33 flex-wrap gap-1 overflow-auto" aria-label={t('many.list')}>
            {holders.map((holder) => (
              <li key={toHolderKey(holder)}>
                <Badge>{holder.kind === 'tool' ? `${holder.name} · ${t('form.tool')}` : holder.name}</Badge>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {left.length > 0 ? <p className="text-sm text-warning">{t('many.left', { names: left.join(', ') })}</p> : null}
      {freeSlots < rest.length ? (
        <Callout
          tone="warning"
          title={t(freeSlots > 0 ? 'many.full' : 'many.fullNone', { free: freeSlots, count: rest.length })}
        >
          {t('many.fullText')}
        </Callout>
      ) : null}
    </>
  )
}

function BulkHandoutForm({ plans }: { readonly plans: readonly PlanView[] }) {
  const state = useBulkHandout(plans)
  const { plan, rest, results, creating, create } = state
  const resultsRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (results.length > 0) resultsRef.current?.scrollIntoView({ block: 'start' })
  }, [results])
  if (!plan) return <NoPlans />
  const hasResults = results.length > 0
  const isComplete = hasResults && rest.length === 0
  return (
    <>
      <div ref={resultsRef} className="scroll-mt-5 empty:hidden">
        <BulkResults results={results} />
      </div>
      {isComplete ? null : (
        <FieldCard>
          <TextAreaField
            label={t('many.names')}
            hint={t('many.namesHint')}
            autoFocus
            rows={5}
            placeholder={t('many.namesPlaceholder')}
            value={state.names}
            onChange={(names) => useHandoutsStore.setState({ names })}
          />
          <HolderReading state={state} />
          <PlanField plans={state.usable} plan={plan} onPlan={state.setPlan} />
          <ToolsField chosen={state.toolIds} onChange={state.setTools} />
          <Hint>{t('many.passphrase')}</Hint>
        </FieldCard>
      )}
      <ExplainedFailure failure={creating.error?.failure} handlers={{ tryAgain: create }} busy={creating.isPending} />
      {isComplete ? (
        <div className="flex flex-wrap items-center justify-end gap-2">
          <ButtonLink to={registerPath}>{t('result.toRegister')}</ButtonLink>
          <Button onClick={state.clear}>{t('many.again')}</Button>
        </div>
      ) : (
        <ApplyBar
          label={t(hasResults ? 'many.rest' : rest.length === 0 ? 'many.createNone' : 'many.create', {
            count: rest.length,
          })}
          busy={creating.isPending}
          apply={create}
        >
          {creating.isPending ? (
            <BulkProgress state={state} />
          ) : (
            `${rest.length === 0 ? '' : `${t('many.outcome', { plan: plan.name })} `}${t('many.where')}`
          )}
        </ApplyBar>
      )}
    </>
  )
}

/** Progress after a folder was chosen, for requests that take longer than half a second. */
function BulkProgress({ state }: StateProps) {
  const { callId = '', items = [] } = state.creating.variables ?? {}
  const count = items.length
  const { data } = useCall('handouts.progress', { callId }, { refetchInterval: 500, staleTime: 0 })
  const [isCancelled, setIsCancelled] = useState(false)
  if (data?.done === undefined) return t('handouts:many.where')
  const label = t('handouts:many.done', { done: data.done, count })
  return (
    <div className="flex items-center gap-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <span role="status">{isCancelled ? t('handouts:many.stopping') : label}</span>
        <ProgressBar value={data.done / count} label={label} />
      </div>
      <Button
        size="sm"
        disabled={isCancelled}
        onClick={() => {
          setIsCancelled(true)
          void call('calls.cancel', { callId })
        }}
      >
        {t('common:cancel')}
      </Button>
    </div>
  )
}

export function BulkHandoutPage() {
  const plansQuery = useIssuePlans()
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page width="narrow">
      <PageHeader
        title={t('handouts:many.title')}
        state={t('handouts:many.state')}
        breadcrumb={[
          { label: t('register:title'), to: registerPath },
          { label: t('handouts:title'), to: handoutsPath },
        ]}
      />
      <Loaded query={joinQueries(plansQuery, toolsQuery)} rows={5}>
        {([plans]) => <BulkHandoutForm plans={plans} />}
      </Loaded>
    </Page>
  )
}

const tones: Record<HandoutResult['state'], Tone> = { written: 'success', cancelled: 'neutral', failed: 'danger' }

export function BulkResults({ results }: { readonly results: readonly HandoutResult[] }) {
  if (results.length === 0) return null
  const writtenCount = results.filter(({ state }) => state === 'written').length
  const count = results.length
  return (
    <Section title={t('many.results')} actions={<PassphraseListButtons results={results} />}>
      {writtenCount === count ? (
        <Callout tone="success" title={t('many.allDone', { count })}>
          {t('many.allDoneText')}
        </Callout>
      ) : (
        <Hint role="status">{t('many.done', { done: writtenCount, count })}</Hint>
      )}
      <Rows label={t('many.results')}>
        {results.map((result) => {
          const { holder, keyName, path, state, failure } = result
          const failureTexts = failure && explainFailure(failure)
          return (
            <Row
              key={toHolderKey(holder)}
              leading={<RowIcon icon={holderIcon(holder)} />}
              title={holder.name}
              description={[
                keyName !== holder.name && keyName,
                path !== undefined && (
                  // Right to left, so that a long path is cut at its start.
                  <code
                    key="path"
                    className="inline-block max-w-full truncate text-left align-bottom text-sm leading-4.5"
                    dir="rtl"
                    title={path}
                  >
                    <bdi dir="ltr">{path}</bdi>
                  </code>
                ),
              ]}
              problem={failureTexts && `${failureTexts.title}. ${failureTexts.remedy}`}
              trailing={
                <>
                  <StatusDot tone={tones[state]} label={t(`many.states.${state}`)} />
                  {state === 'written' ? <CompactPassphraseButtons result={result} /> : null}
                  {path === undefined ? null : <CopyText text={path} label={t('result.copyPath')} />}
                </>
              }
            />
          )
        })}
      </Rows>
    </Section>
  )
}

/** Maximum number of key files per request (contract). */
const maxSelected = 100

const toHolderKey = ({ kind, name }: Holder): string => `${kind} ${name}`

function useBulkHandout(plans: readonly PlanView[]) {
  const { names, results } = useHandoutsStore()
  const { data: tools = [] } = useCall('tools.list', {})
  const [query] = useSearchParams()
  const [planId, setPlan] = useState(query.get('plan') ?? undefined)
  const [picked, setTools] = useState<readonly string[]>()
  // Exclude plans without an account, because all holders would get the same key.
  const usablePlans = plans.filter(({ origin }) => origin !== undefined)
  const plan = choosePlan(usablePlans, planId)
  const toolIds = picked ?? listPlanTools(tools, plan?.id)
  const reading = useNames(names)
  const holders = reading.holders.slice(0, maxSelected)
  const [firstHolder] = holders
  const previewInput = plan && firstHolder && { planId: plan.id, holder: firstHolder }
  const { data: preview } = useCall('handouts.preview', previewInput, { staleTime: 0 })
  const creating = useAction('handouts.createMany', {
    invalidates: ['register', 'account', 'plans', 'audit', 'handouts'],
    onSuccess: (newResults) => {
      addHandouts(newResults)
      // A new result replaces an earlier one of the same holder.
      const resultsByHolder = new Map([...results, ...newResults].map((result) => [toHolderKey(result.holder), result]))
      useHandoutsStore.setState({ results: [...resultsByHolder.values()] })
    },
  })
  const written = new Set(results.flatMap(({ state, holder }) => (state === 'written' ? [toHolderKey(holder)] : [])))
  const rest = holders.filter((holder) => !written.has(toHolderKey(holder)))
  const canCreate = plan !== undefined && rest.length > 0 && reading.isRead && !creating.isPending
  const createKeyFiles = (): void => {
    if (!plan) return
    const items = rest.map((holder) => ({ planId: plan.id, holder, toolIds: [...toolIds] }))
    creating.mutate({ items, lock: { kind: 'passphrase' }, callId: crypto.randomUUID() })
  }
  const create = canCreate ? createKeyFiles : undefined
  const clear = (): void => {
    useHandoutsStore.setState({ names: '', results: [] })
    creating.reset()
  }
  const form = { names, plan, toolIds, setPlan, setTools, create, clear }
  return { ...form, usable: usablePlans, reading, holders, rest, results, creating, freeSlots: preview?.freeSlots }
}

interface StateProps {
  readonly state: ReturnType<typeof useBulkHandout>
}

const maxTextLength = 100_000

/** Holders in a pasted text, without duplicates, and the lines that were skipped. The main process parses the text. */
function useNames(text: string) {
  const debouncedText = useDebouncedValue(text).slice(0, maxTextLength)
  const isEmpty = debouncedText.trim() === ''
  const { data, error, isFetching } = useCall(
    'handouts.readNames',
    { text: debouncedText },
    { enabled: !isEmpty, placeholderData: keepPreviousData, staleTime: Number.POSITIVE_INFINITY },
  )
  const { holders, left } = (isEmpty ? undefined : data) ?? { holders: [], left: [] }
  // Whether the main process has parsed the current text of the field.
  const isRead = !isFetching && debouncedText === text.slice(0, maxTextLength)
  return { holders, left, failure: isEmpty ? undefined : error?.failure, isRead }
}
