import type { PlanView, ToolView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Field } from '../../ui/field'
import { RadioCards } from '../../ui/radio-cards'
import { Select } from '../../ui/select'
import { Switch } from '../../ui/switch'
import { type Choice, deliveriesOf, type Picked, routesOf, sameModel } from './choice'
import styles from './choice-form.module.css'
import { KeyField } from './key-field'
import { ModelField } from './model-field'
import { RouteChoice } from './route-choice'
import { SiteField } from './site-field'
import type { ToolHere } from './sites'

interface ChoiceFormProps {
  readonly tool: ToolHere
  readonly plans: readonly PlanView[]
  readonly choice: Choice
  readonly picked: Picked
  readonly onPick: (change: Picked) => void
}

function DeliveryChoice({ tool, choice, picked, onPick }: Omit<ChoiceFormProps, 'plans'>) {
  const { t } = useTranslation('tools')
  const deliveries = deliveriesOf(tool)
  const isRelayed = choice.route === 'relay'
  const columns = deliveries.length === 1 ? 1 : deliveries.length === 3 ? 3 : 2
  return (
    <div className={styles.delivery}>
      <p className={styles.label}>{t('delivery')}</p>
      {isRelayed ? <p className={styles.note}>{t('route.token')}</p> : null}
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
            label={t(isRelayed ? 'consentToken' : 'consent')}
            hint={t(isRelayed ? 'consentTokenHint' : 'consentHint')}
          />
        </div>
      ) : null}
    </div>
  )
}

const namedSlots = ['small', 'editor'] as const

/** What one more model of a tool is for. */
export function slotLabel({ id, isSmall }: ToolView['slots'][number], t: TFunction<'tools'>): string {
  const named = namedSlots.find((one) => one === id)
  if (named) return t(`slots.${named}`)
  return isSmall ? t('slots.otherSmall', { slot: id }) : t('slots.other', { slot: id })
}

/** Site, plan, key, models, the way of the requests and the way to the key; complete from the start, so that nothing has to be touched. */
export function ChoiceForm({ tool, plans, choice, picked, onPick }: ChoiceFormProps) {
  const { t } = useTranslation('tools')
  const { plan, slots } = choice
  const small = tool.slots.filter(({ isSmall }) => isSmall)
  const others = tool.slots.filter(({ isSmall }) => !isSmall)
  const field = (slot: ToolView['slots'][number]) => (
    <ModelField
      key={`${slot.id}-${plan.id}`}
      label={slotLabel(slot, t)}
      value={slots[slot.id] ?? sameModel}
      models={plan.models}
      offersSame
      onChange={(code) => onPick({ slots: { ...picked.slots, [slot.id]: code } })}
    />
  )
  return (
    <div className={styles.form}>
      <div className={styles.models}>
        <SiteField tool={tool} />
        <PlanField plans={plans} plan={plan} onPick={onPick} />
        <KeyField plan={plan} value={choice.keyId} onChange={(keyId) => onPick({ keyId })} />
        <ModelField
          key={`model-${plan.id}`}
          label={t('model')}
          value={choice.modelCode}
          models={plan.models}
          onChange={(modelCode) => onPick({ modelCode })}
        />
        {small.map(field)}
      </div>
      {others.length === 0 ? null : (
        <details className={styles.more}>
          <summary>{t('moreModels', { slots: others.map(({ id }) => id).join(', ') })}</summary>
          <div className={styles.models}>{others.map(field)}</div>
        </details>
      )}
      <RouteChoice routes={routesOf(tool)} value={choice.route} onChange={(route) => onPick({ route })} />
      {tool.deliveries.length === 0 ? null : (
        <DeliveryChoice tool={tool} choice={choice} picked={picked} onPick={onPick} />
      )}
    </div>
  )
}

interface PlanFieldProps {
  readonly plans: readonly PlanView[]
  readonly plan: PlanView
  readonly onPick: (change: Picked) => void
}

/** The plan to use; another one begins with its own key and models. */
export function PlanField({ plans, plan, onPick }: PlanFieldProps) {
  const { t } = useTranslation('tools')
  return (
    <Field label={t('plan')}>
      <Select
        value={plan.id}
        placeholder={t('choosePlan')}
        onValueChange={(planId) => onPick({ planId, keyId: undefined, modelCode: undefined, slots: undefined })}
        options={plans.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
      />
    </Field>
  )
}
