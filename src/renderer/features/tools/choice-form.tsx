import type { PlanView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Field } from '../../ui/field'
import { RadioCards } from '../../ui/radio-cards'
import { Select } from '../../ui/select'
import { Switch } from '../../ui/switch'
import { type Choice, deliveriesOf, type Picked } from './choice'
import styles from './choice-form.module.css'
import { ModelField } from './model-field'

interface ChoiceFormProps {
  readonly tool: ToolView
  readonly plans: readonly PlanView[]
  readonly choice: Choice
  readonly picked: Picked
  readonly onPick: (change: Picked) => void
}

function DeliveryChoice({ tool, choice, picked, onPick }: Omit<ChoiceFormProps, 'plans'>) {
  const { t } = useTranslation('tools')
  const deliveries = deliveriesOf(tool)
  const columns = deliveries.length === 3 ? 3 : deliveries.length === 2 ? 2 : 1
  return (
    <div className={styles.delivery}>
      <p className={styles.label}>{t('delivery')}</p>
      <RadioCards
        label={t('delivery')}
        columns={columns}
        value={choice.delivery}
        onValueChange={(value) => onPick({ delivery: deliveries.find((delivery) => delivery === value) })}
        options={deliveries.map((delivery, at) => ({
          value: delivery,
          label: t(`deliveries.${delivery}`),
          hint: t(`deliveryHints.${delivery}`),
          badge: at === 0 && delivery !== 'plain' ? <Badge tone="success">{t('best')}</Badge> : null,
        }))}
      />
      {choice.delivery === 'plain' ? (
        <div className={styles.consent}>
          <Switch
            checked={picked.plainTextAccepted ?? false}
            onCheckedChange={(plainTextAccepted) => onPick({ plainTextAccepted })}
            label={t('consent')}
            hint={t('consentHint')}
          />
        </div>
      ) : null}
    </div>
  )
}

/** Plan, models and the way to the key; complete from the start, so that nothing has to be touched. */
export function ChoiceForm({ tool, plans, choice, picked, onPick }: ChoiceFormProps) {
  const { t } = useTranslation('tools')
  const { plan } = choice
  return (
    <div className={styles.form}>
      <div className={styles.models}>
        <Field label={t('plan')}>
          <Select
            value={plan.id}
            placeholder={t('choosePlan')}
            onValueChange={(planId) => onPick({ planId, modelCode: undefined, smallModel: undefined })}
            options={plans.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
          />
        </Field>
        <ModelField
          key={`model-${plan.id}`}
          label={t('model')}
          value={choice.modelCode}
          models={plan.models}
          onChange={(modelCode) => onPick({ modelCode })}
        />
        <ModelField
          key={`small-${plan.id}`}
          label={t('smallModel')}
          value={choice.smallModel}
          models={plan.models}
          offersSame
          onChange={(smallModel) => onPick({ smallModel })}
        />
      </div>
      <DeliveryChoice tool={tool} choice={choice} picked={picked} onPick={onPick} />
    </div>
  )
}
