import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { Corrections, StandardAddresses } from './address-reading'
import { ModelCodes } from './model-codes'
import styles from './new-plan.module.css'
import { PasteKey } from './paste-key'
import { nameProblem } from './plan-fields'
import type { NewPlan } from './use-new-plan'

/** The ids by which a remedy finds the control it is about. */
export const formIds = { address: 'new-plan-address', key: 'new-plan-key', models: 'new-plan-models' }

/** What to say about a name as it is typed. */
export function useNameError(name: string, isTaken: boolean): string | undefined {
  const { t } = useTranslation('plans')
  const problem = nameProblem(name)
  if (problem === 'rule') return t('new.nameRule')
  if (problem === 'tooLong') return t('new.nameTooLong', { count: name.length })
  return isTaken ? t('new.nameTaken') : undefined
}

/** The address field with what its contents mean, as they are typed. */
function AddressField({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const words = useFailureWords()
  const { draft, change, reading } = form
  const wrong = reading.failure && words(reading.failure)
  return (
    <div id={formIds.address} className={styles.address}>
      <Field
        label={t('new.address')}
        required
        hint={reading.shown ? undefined : t('new.addressHint')}
        error={wrong ? `${wrong.title}. ${wrong.remedy}` : undefined}
      >
        <TextInput
          mono
          value={draft.address}
          placeholder={t('new.addressPlaceholder')}
          onChange={(event) => change({ address: event.target.value })}
        />
      </Field>
      <div aria-live="polite" className={styles.reading}>
        {reading.shown ? (
          <>
            <Corrections address={reading.shown} />
            <StandardAddresses address={reading.shown} />
          </>
        ) : null}
      </div>
    </div>
  )
}

function MoreFields({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const { draft, change } = form
  return (
    <FieldGroup>
      <div id={formIds.models}>
        <ModelCodes
          label={t('new.models')}
          hint={t('new.modelsHint')}
          optional
          codes={draft.codes}
          onChange={(codes) => change({ codes })}
          typed={{ text: draft.codesText, onText: (codesText) => change({ codesText }) }}
        />
      </div>
      <div className={styles.pair}>
        <Field label={t('new.expires')} optional>
          <TextInput
            type="date"
            value={draft.expiresOn}
            onChange={(event) => change({ expiresOn: event.target.value })}
          />
        </Field>
        <Field
          label={t('new.context')}
          optional
          hint={t('new.contextHint')}
          error={form.isContextWrong ? t('new.contextRule') : undefined}
        >
          <TextInput
            inputMode="numeric"
            placeholder="128000"
            value={draft.context}
            onChange={(event) => change({ context: event.target.value })}
          />
        </Field>
      </div>
    </FieldGroup>
  )
}

/** The fields of a new plan: what is needed first, what may be known beneath. */
export function NewPlanForm({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const { draft, change } = form
  const nameError = useNameError(draft.name, form.isNameTaken)
  return (
    <>
      <Section title={t('new.connect')}>
        <Card>
          <FieldGroup>
            <AddressField form={form} />
            <PasteKey pending={draft.pending} onTaken={(pending) => change({ pending })} buttonId={formIds.key} />
            <Field label={t('new.name')} required hint={t('new.nameHint')} error={nameError}>
              <TextInput
                value={draft.name}
                onChange={(event) => change({ name: event.target.value, isNameTyped: event.target.value !== '' })}
              />
            </Field>
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('new.more')}>
        <Card>
          <MoreFields form={form} />
        </Card>
      </Section>
    </>
  )
}
