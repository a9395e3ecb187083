import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { RadioCards } from '../../ui/radio-cards'
import { Select } from '../../ui/select'
import { planPath } from '../plans/use-plan-menu'
import styles from './handouts.module.css'
import type { Handout } from './use-handout'
import { chosenKey, givableKeys, makesKeys, willMake } from './wish'

interface PartProps {
  readonly form: Handout
  readonly plan: PlanView
}

/** Of which plan; those for which no key can be made say so. */
export function PlanField({
  plans,
  plan,
  onPlan,
}: {
  readonly plans: readonly PlanView[]
  readonly plan: PlanView
  readonly onPlan: (planId: string) => void
}) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  return (
    <Field label={t('plan')} hint={t('planHint')}>
      <Select
        value={plan.id}
        onValueChange={onPlan}
        options={plans.map((one) => ({
          value: one.id,
          label: one.name,
          hint: makesKeys(one) ? undefined : t('cannotMake'),
        }))}
      />
    </Field>
  )
}

/** What main says about the choice: the name of the new key, places, whom it serves already. */
function Preview({ form, plan }: PartProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { locale } = useFormats()
  const { preview, isFull } = form
  if (!preview) return null
  const { alsoServes, makesKey, keyName, freeSlots } = preview
  if (isFull) {
    return (
      <Callout
        tone="warning"
        title={t('noFree')}
        actions={
          <ButtonLink size="sm" to={`${planPath(plan.id)}?tab=keys`}>
            {t('toKeys')}
          </ButtonLink>
        }
      >
        {t('noFreeText')}
      </Callout>
    )
  }
  if (alsoServes.length > 0) {
    const names = new Intl.ListFormat(locale, { type: 'conjunction' }).format(alsoServes)
    return (
      <Callout tone="warning" title={t('serves', { names })}>
        {t('servesText')}
      </Callout>
    )
  }
  return makesKey ? (
    <p className={styles.hint} role="status">
      {t('willBe', { key: keyName })} {freeSlots === undefined ? null : t('free', { count: freeSlots })}
    </p>
  ) : null
}

function Existing({ form, plan }: PartProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { draft, change } = form
  return (
    <Field label={t('whichKey')} required>
      <Select
        value={chosenKey(plan, draft)}
        placeholder={t('choose')}
        onValueChange={(keyId) => change({ keyId })}
        options={givableKeys(plan).map(({ id, name, masked }) => ({ value: id, label: name, hint: masked }))}
      />
    </Field>
  )
}

/** Which key: one of their own, or one that is there, with a warning when it serves somebody. */
export function KeyFields({ form, plan }: PartProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { draft, change } = form
  return (
    <>
      {makesKeys(plan) ? (
        <RadioCards
          label={t('key')}
          columns={2}
          value={draft.source}
          onValueChange={(value) => change({ source: value === 'existing' ? 'existing' : 'own' })}
          options={[
            {
              value: 'own',
              label: t('own'),
              hint: t('ownHint'),
              badge: <Badge tone="accent">{t('recommended')}</Badge>,
            },
            { value: 'existing', label: t('existing'), hint: t('existingHint') },
          ]}
        />
      ) : (
        <Callout tone="warning" title={t('noOwn')} />
      )}
      {willMake(plan, draft) ? null : <Existing form={form} plan={plan} />}
      <Preview form={form} plan={plan} />
    </>
  )
}
