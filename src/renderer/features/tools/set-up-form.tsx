import type { PlanView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { Switch } from '../../ui/switch'
import styles from './choice-form.module.css'
import { KeyField } from './key-field'
import { ModelField } from './model-field'
import { RouteChoice } from './route-choice'
import { type ManyChoice, type ManyPicked, manyRoutes } from './set-up-choice'

interface SetUpFormProps {
  readonly plans: readonly PlanView[]
  readonly choice: ManyChoice
  readonly picked: ManyPicked
  /** The tools that are chosen. */
  readonly tools: readonly ToolView[]
  /** Names of the tools that can take the key in plain text only. */
  readonly plainText: readonly string[]
  readonly onPick: (change: ManyPicked) => void
}

/** One way for the requests of all, and what to know where not all can go it. */
function ManyRoutes({ tools, picked, onPick }: Pick<SetUpFormProps, 'tools' | 'picked' | 'onPick'>) {
  const { t } = useTranslation('tools')
  const { routes, route, bound } = manyRoutes(tools, picked.route)
  const names = bound.map(({ name }) => name).join(', ')
  const note = route === undefined ? t('route.mixed') : names === '' ? undefined : t('route.bound', { tools: names })
  return <RouteChoice routes={routes} value={route} note={note} onChange={(chosen) => onPick({ route: chosen })} />
}

/** Plan, key and models for several tools at once, complete from the start; each tool gets the key in its best way. */
export function SetUpForm({ plans, choice, picked, tools, plainText, onPick }: SetUpFormProps) {
  const { t } = useTranslation('tools')
  const { plan } = choice
  return (
    <div className={styles.form}>
      <div className={styles.models}>
        <Field label={t('plan')}>
          <Select
            value={plan.id}
            placeholder={t('choosePlan')}
            onValueChange={(planId) =>
              onPick({ planId, keyId: undefined, modelCode: undefined, smallModel: undefined })
            }
            options={plans.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
          />
        </Field>
        <KeyField plan={plan} value={choice.keyId} onChange={(keyId) => onPick({ keyId })} />
        <ModelField
          key={`model-${plan.id}`}
          label={t('model')}
          value={choice.modelCode}
          models={plan.models}
          onChange={(modelCode) => onPick({ modelCode })}
        />
        <ModelField
          key={`small-${plan.id}`}
          label={t('slots.small')}
          value={choice.smallModel}
          models={plan.models}
          offersSame
          onChange={(smallModel) => onPick({ smallModel })}
        />
      </div>
      <ManyRoutes tools={tools} picked={picked} onPick={onPick} />
      <p className={styles.note}>{t('many.delivery')}</p>
      {plainText.length > 0 ? (
        <div className={styles.consent}>
          <Switch
            checked={picked.plainTextAccepted ?? false}
            onCheckedChange={(plainTextAccepted) => onPick({ plainTextAccepted })}
            label={t('many.consent', { tools: plainText.join(', ') })}
            hint={t('consentHint')}
          />
        </div>
      ) : null}
    </div>
  )
}
