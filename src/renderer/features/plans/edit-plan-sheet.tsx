import type { PlanView } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Sheet } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { Corrections, StandardAddresses } from './address-reading'
import { useNameError } from './new-plan-form'
import { dayOf, endOfDay, readContext } from './plan-fields'
import { useReadAddress } from './use-read-address'

/** The edited fields of a plan and whether they can be saved. */
function useEdit(plan: PlanView) {
  const [fields, setFields] = useState({
    name: plan.name,
    address: plan.gatewayUrl,
    context: String(plan.contextTokens),
    expiresOn: dayOf(plan.expiresAt),
  })
  const { data: plans = [] } = useCall('plans.list', {})
  const reading = useReadAddress(fields.address)
  const nameError = useNameError(
    fields.name,
    plans.some(({ id, name }) => id !== plan.id && name === fields.name),
  )
  const context = readContext(fields.context)
  const gatewayUrl = reading.address?.url
  const isReady = fields.name !== '' && !nameError && gatewayUrl !== undefined && context !== 'invalid'
  // A day that was not touched keeps its hour.
  const expiresAt = fields.expiresOn === dayOf(plan.expiresAt) ? plan.expiresAt : endOfDay(fields.expiresOn)
  const input = isReady
    ? {
        planId: plan.id,
        name: fields.name,
        gatewayUrl,
        models: plan.models,
        ...(context === undefined ? {} : { contextTokens: context }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }
    : undefined
  const change = (part: Partial<typeof fields>): void => setFields((before) => ({ ...before, ...part }))
  return { fields, change, reading, nameError, isContextWrong: context === 'invalid', input }
}

type Edit = ReturnType<typeof useEdit>

function Fields({ plan, edit }: { plan: PlanView; edit: Edit }) {
  const { t } = useTranslation('plans')
  const words = useFailureWords()
  const { fields, change, reading } = edit
  const wrong = reading.failure && words(reading.failure)
  return (
    <FieldGroup>
      <Field label={t('new.name')} required hint={t('new.nameHint')} error={edit.nameError}>
        <TextInput value={fields.name} onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <Field label={t('new.address')} required error={wrong ? `${wrong.title}. ${wrong.remedy}` : undefined}>
        <TextInput
          mono
          disabled={plan.source === 'sandbox'}
          value={fields.address}
          onChange={(event) => change({ address: event.target.value })}
        />
      </Field>
      {reading.shown && fields.address !== plan.gatewayUrl ? (
        <div aria-live="polite">
          <Corrections address={reading.shown} />
          <StandardAddresses address={reading.shown} />
        </div>
      ) : null}
      <Field
        label={t('new.context')}
        hint={t('new.contextHint')}
        error={edit.isContextWrong ? t('new.contextRule') : undefined}
      >
        <TextInput
          inputMode="numeric"
          value={fields.context}
          onChange={(event) => change({ context: event.target.value })}
        />
      </Field>
      <Field label={t('new.expires')} optional>
        <TextInput
          type="date"
          value={fields.expiresOn}
          onChange={(event) => change({ expiresOn: event.target.value })}
        />
      </Field>
    </FieldGroup>
  )
}

/** A short edit of what is known of a plan; its key and its models have places of their own. */
export function EditPlanSheet({ plan, onClose }: { plan: PlanView; onClose: () => void }) {
  const { t } = useTranslation('plans')
  const { t: common } = useTranslation('common')
  const formId = useId()
  const edit = useEdit(plan)
  const saving = useAction('plans.update', {
    invalidates: ['plans', 'tools'],
    onSuccess: () => {
      onClose()
      void toast(t('edit.saved'))
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (edit.input) saving.mutate({ ...edit.input, models: [...edit.input.models] })
  }
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('edit.title', { name: plan.name })}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={!edit.input}>
            {t('edit.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <Fields plan={plan} edit={edit} />
          {plan.usedBy.length > 0 ? (
            <Callout tone="info" title={t('edit.usedTitle', { count: plan.usedBy.length })} />
          ) : null}
          {saving.error ? <ExplainedFailure failure={saving.error.failure} context={{ plan: plan.name }} /> : null}
        </FieldGroup>
      </form>
    </Sheet>
  )
}
