import type { PlanView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field, FieldGroup } from '../../ui/field'
import { Card, Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { TextArea } from '../../ui/text-area'
import { ExplainedFailure } from '../failures/explained-failure'
import { registerPath } from '../register/paths'
import { ApplyBar } from '../tools/apply-bar'
import { useApplyKey } from '../tools/use-apply-key'
import { NoPlans } from './handout-page'
import styles from './handouts.module.css'
import { PlanField } from './key-fields'
import { ManyResults } from './many-results'
import { handoutsPath } from './paths'
import { ToolsField } from './tools-field'
import { type Many, useMany } from './use-many'

/** Who was read out of the text, who was left out, and for how many there is a place. */
function Found({ state }: { readonly state: Many }) {
  const { t } = useTranslation('handouts')
  const { reading, holders, rest, freeSlots } = state
  const { left, failure } = reading
  if (failure) return <ExplainedFailure failure={failure} />
  const isShort = freeSlots !== undefined && freeSlots < rest.length
  return (
    <>
      {holders.length > 0 ? (
        <div className={styles.found}>
          <p className={styles.label} role="status">
            {t('many.found', { count: holders.length })}
          </p>
          <ul className={styles.names} aria-label={t('many.list')}>
            {holders.map(({ kind, name }) => (
              <li key={`${kind} ${name}`}>
                <Badge>{kind === 'tool' ? `${name} · ${t('form.tool')}` : name}</Badge>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {left.length > 0 ? <p className={styles.warningText}>{t('many.left', { names: left.join(', ') })}</p> : null}
      {isShort ? (
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

function Form({ state, plan, tools }: { state: Many; plan: PlanView; tools: readonly ToolView[] }) {
  const { t } = useTranslation('handouts')
  return (
    <Card>
      <FieldGroup>
        <Field label={t('many.names')} hint={t('many.namesHint')}>
          <TextArea
            autoFocus
            rows={5}
            placeholder={t('many.namesPlaceholder')}
            value={state.names}
            onChange={(event) => state.name(event.target.value)}
          />
        </Field>
        <Found state={state} />
        <PlanField plans={state.usable} plan={plan} onPlan={state.setPlan} />
        <ToolsField tools={tools} chosen={state.toolIds} onChange={state.setTools} />
        <p className={styles.hint}>{t('many.passphrase')}</p>
      </FieldGroup>
    </Card>
  )
}

function Several({ plans, tools }: { readonly plans: readonly PlanView[]; readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('handouts')
  const state = useMany({ plans, tools })
  const { plan, rest, results, creating, create } = state
  useApplyKey(create)
  if (!plan) return <NoPlans />
  const hasDone = results.length > 0
  return (
    <>
      <Form state={state} plan={plan} tools={tools} />
      {creating.error ? (
        <ExplainedFailure failure={creating.error.failure} handlers={{ tryAgain: create }} busy={creating.isPending} />
      ) : null}
      <ManyResults results={results} />
      {hasDone && rest.length === 0 ? (
        <div className={styles.foot}>
          <ButtonLink to={registerPath}>{t('result.toRegister')}</ButtonLink>
          <Button onClick={state.clear}>{t('many.again')}</Button>
        </div>
      ) : (
        <ApplyBar
          label={
            hasDone
              ? t('many.rest')
              : rest.length === 0
                ? t('many.createNone')
                : t('many.create', { count: rest.length })
          }
          busy={creating.isPending}
          disabled={!create && !creating.isPending}
          onApply={() => create?.()}
        >
          {rest.length === 0 ? t('many.where') : `${t('many.outcome', { plan: plan.name })} ${t('many.where')}`}
        </ApplyBar>
      )}
    </>
  )
}

/** Hands out a key each to several at once. */
export function HandoutManyPage() {
  const { t } = useTranslation(['handouts', 'register'])
  const plans = useCall('plans.list', {})
  const tools = useCall('tools.list', {})
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
      <Loaded query={plans} skeleton={<SkeletonRows rows={5} />}>
        {(all) => (
          <Loaded query={tools} skeleton={<SkeletonRows rows={5} />}>
            {(list) => <Several plans={all} tools={list} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
