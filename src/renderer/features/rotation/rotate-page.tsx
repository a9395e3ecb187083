import type { PlanView, RotationPlan, RotationView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { longestKeyName, readKeyName } from '../keys/key-name'
import { registerPath } from '../register/paths'
import { ApplyBar } from '../tools/apply-bar'
import { useApplyKey } from '../tools/use-apply-key'
import { ChooseKey } from './choose-key'
import { FreeSlots } from './free-slots'
import { firstGrace, type Grace, graceMsOf } from './grace'
import { GraceField } from './grace-field'
import { type KeyHere, rotationPath } from './paths'
import { PlannedSteps } from './planned-steps'
import { underWayOf } from './progress'
import styles from './rotation.module.css'
import { useGraceWords } from './use-grace-words'
import { usePutRotation, useRotations } from './use-rotations'
import { useToolNames } from './use-tool-names'

/** The choices of the form and the press that begins. */
function useStart(preview: RotationPlan) {
  const navigate = useNavigate()
  const put = usePutRotation()
  const [name, setName] = useState<string>()
  const [grace, setGrace] = useState<Grace>(firstGrace)
  const starting = useAction('rotation.start', {
    invalidates: ['rotation'],
    onSuccess: (rotation) => {
      put(rotation)
      void navigate(rotationPath(rotation.id), { replace: true })
    },
  })
  const { planId, keyId, slots } = preview
  const newKeyName = readKeyName(name ?? preview.newKeyName)
  const graceMs = graceMsOf(grace)
  const isFull = slots.used >= slots.most
  const { mutate, isPending } = starting
  const canStart = !isFull && newKeyName !== undefined && graceMs !== undefined && !isPending
  const begin = useCallback(() => {
    if (canStart && newKeyName !== undefined) mutate({ planId, keyId, graceMs, newKeyName })
  }, [canStart, newKeyName, graceMs, mutate, planId, keyId])
  useApplyKey(canStart ? begin : undefined)
  return {
    name: name ?? preview.newKeyName,
    setName,
    grace,
    setGrace,
    graceMs,
    newKeyName,
    isFull,
    canStart,
    begin,
    starting,
  }
}

type Starting = ReturnType<typeof useStart>

function Choices({ state }: { readonly state: Starting }) {
  const { t } = useTranslation('rotation')
  const count = state.name.trim().length
  return (
    <Section title={t('plan.options')}>
      <Card>
        <FieldGroup>
          <GraceField grace={state.grace} onChange={state.setGrace} />
          <Field
            label={t('plan.name')}
            hint={t('plan.nameHint')}
            error={count > longestKeyName ? t('plan.nameTooLong', { count }) : undefined}
          >
            <TextInput value={state.name} onChange={(event) => state.setName(event.target.value)} />
          </Field>
        </FieldGroup>
      </Card>
    </Section>
  )
}

function Foot({ preview, state }: { readonly preview: RotationPlan; readonly state: Starting }) {
  const { t } = useTranslation('rotation')
  const graceWords = useGraceWords()
  const when = state.graceMs ? t('plan.outcomeLater', { time: graceWords(state.graceMs) }) : t('plan.outcomeNow')
  return (
    <ApplyBar
      label={t('plan.start')}
      busy={state.starting.isPending}
      disabled={!state.canStart && !state.starting.isPending}
      onApply={state.begin}
      reason={state.isFull ? t('plan.noSlot') : undefined}
    >
      {t('plan.outcome', { plan: preview.planName, key: preview.keyName, when })}
    </ApplyBar>
  )
}

function Planned({ preview, plans }: { readonly preview: RotationPlan; readonly plans: readonly PlanView[] }) {
  const { t } = useTranslation('rotation')
  const state = useStart(preview)
  const { holder } = preview
  return (
    <>
      {state.isFull ? <FreeSlots preview={preview} plans={plans} /> : null}
      {holder === undefined ? null : (
        <Callout tone="warning" title={t('plan.holder', { holder })}>
          {t('plan.holderText')}
        </Callout>
      )}
      <UnknownTools preview={preview} />
      <Section title={t('plan.steps')} description={t('plan.stepsHint')}>
        <PlannedSteps preview={preview} newKey={state.newKeyName ?? preview.newKeyName} graceMs={state.graceMs} />
      </Section>
      <Choices state={state} />
      {state.starting.error ? (
        <ExplainedFailure failure={state.starting.error.failure} handlers={{ tryAgain: state.begin }} />
      ) : null}
      <Foot preview={preview} state={state} />
    </>
  )
}

/** Tools that may use the key for all that is known. */
function UnknownTools({ preview }: { readonly preview: RotationPlan }) {
  const { t } = useTranslation('rotation')
  const namesOf = useToolNames()
  const { unknownTools } = preview
  if (unknownTools.length === 0) return null
  const paths = unknownTools.map(({ recordPath }) => recordPath).join(', ')
  return (
    <Callout
      tone="warning"
      title={t('plan.unknown', { names: namesOf(unknownTools) })}
      details={<code className={styles.path}>{paths}</code>}
      detailsLabel={t('plan.unknownRecord')}
    >
      {t('plan.unknownText')}
    </Callout>
  )
}

function UnderWay({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation('rotation')
  return (
    <Callout
      tone="info"
      title={t('plan.underWay')}
      actions={
        <ButtonLink size="sm" variant="primary" to={rotationPath(rotation.id)}>
          {t('plan.look')}
        </ButtonLink>
      }
    >
      {t('plan.underWayText')}
    </Callout>
  )
}

function Refused({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  return <ExplainedFailure failure={failure} handlers={{ tryAgain: onRetry }} />
}

function OneKey({ of }: { readonly of: KeyHere }) {
  const { t } = useTranslation(['rotation', 'register'])
  const { planId, keyId } = of
  const plans = useCall('plans.list', {})
  const rotations = useRotations()
  const running = underWayOf(rotations.data ?? [], of)
  const preview = useCall('rotation.preview', { planId, keyId }, { staleTime: 0, enabled: !running })
  const name = preview.data?.keyName ?? plans.data?.flatMap(({ keys }) => keys).find(({ id }) => id === keyId)?.name
  return (
    <>
      <PageHeader
        title={name === undefined ? t('rotation:title') : t('rotation:titleOf', { key: name })}
        state={preview.data ? t('rotation:plan.state') : undefined}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
      />
      {running ? (
        <UnderWay rotation={running} />
      ) : preview.data === undefined && preview.error ? (
        <Refused failure={preview.error.failure} onRetry={() => void preview.refetch()} />
      ) : (
        <Loaded query={preview} skeleton={<SkeletonRows rows={6} />}>
          {(found) => <Planned preview={found} plans={plans.data ?? []} />}
        </Loaded>
      )}
    </>
  )
}

/** Rotating one key: which, then what will happen, then the start. */
export function RotatePage() {
  const [query] = useSearchParams()
  const [planId, keyId] = [query.get('plan'), query.get('key')]
  return (
    <Page>
      {planId === null || keyId === null ? <ChooseKey /> : <OneKey key={`${planId} ${keyId}`} of={{ planId, keyId }} />}
    </Page>
  )
}
