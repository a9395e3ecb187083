import type { PlanView } from '@shared/contract'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { FieldGroup } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { ApplyBar } from '../tools/apply-bar'
import { useApplyKey } from '../tools/use-apply-key'
import styles from './handouts.module.css'
import { HolderFields } from './holder-fields'
import { KeyFields, PlanField } from './key-fields'
import { LockField } from './lock-field'
import { resultFailure } from './result-failure'
import { ToolsField } from './tools-field'
import { type Handout, type HandoutStart, useHandout } from './use-handout'

function Foot({ form, plan }: { readonly form: Handout; readonly plan: PlanView }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { locale } = useFormats()
  const { missing, creating, create, draft } = form
  const what = new Intl.ListFormat(locale, { type: 'conjunction' }).format(missing.map((one) => t(one)))
  const isBusy = creating.isPending
  return (
    <ApplyBar
      label={t('create')}
      busy={isBusy}
      disabled={!create && !isBusy}
      onApply={() => create?.()}
      reason={missing.length > 0 ? t('missing', { what }) : undefined}
    >
      {draft.name.trim() === '' ? t('where') : t('outcome', { holder: draft.name.trim(), plan: plan.name })}
    </ApplyBar>
  )
}

/** What came of the last press, where it was no kit. */
function Outcome({ form }: { readonly form: Handout }) {
  const { t } = useTranslation('handouts')
  const { creating, create } = form
  const { data, error } = creating
  const failure = error?.failure ?? (data && resultFailure(data))
  if (failure) return <ExplainedFailure failure={failure} handlers={{ tryAgain: create }} busy={creating.isPending} />
  return data?.state === 'cancelled' ? (
    <p className={styles.hint} role="status">
      {t('result.cancelled')}
    </p>
  ) : null
}

/** The form that makes a kit for one holder. */
export function HandoutForm(start: HandoutStart) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { plans, tools } = start
  const form = useHandout(start)
  const { plan, change } = form
  useApplyKey(form.create)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    form.create?.()
  }
  if (!plan) return null
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Section title={t('to')}>
        <Card>
          <FieldGroup>
            <HolderFields form={form} />
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('key')}>
        <Card>
          <FieldGroup>
            <PlanField
              plans={plans}
              plan={plan}
              onPlan={(planId) => change({ planId, keyId: undefined, toolIds: undefined })}
            />
            <KeyFields form={form} plan={plan} />
            <ToolsField tools={tools} chosen={form.toolIds} onChange={(toolIds) => change({ toolIds })} />
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('lock')}>
        <Card>
          <FieldGroup>
            <LockField form={form} />
          </FieldGroup>
        </Card>
      </Section>
      <Outcome form={form} />
      <Foot form={form} plan={plan} />
    </form>
  )
}
