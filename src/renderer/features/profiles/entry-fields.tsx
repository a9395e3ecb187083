import type { PlanView, ProfileEntry } from '@shared/contract'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { KeyField } from '../tools/key-field'
import { ModelField } from '../tools/model-field'
import { ToolMark } from '../tools/tool-mark'
import { useSiteWords } from '../tools/use-site-words'
import { problemOf, withKey, withModel, withPlan } from './entries'
import styles from './profiles.module.css'

interface EntryFieldsProps {
  readonly entry: ProfileEntry
  readonly name: string
  /** The name its plan had, for when it is gone. */
  readonly lostPlan: string | undefined
  readonly plans: readonly PlanView[]
  readonly onChange: (entry: ProfileEntry) => void
  /** Missing for the last one. */
  readonly onRemove: (() => void) | undefined
}

/** Plan, key and model of one tool of a profile. */
export function EntryFields({ entry, name, lostPlan, plans, onChange, onRemove }: EntryFieldsProps) {
  const { t } = useTranslation(['profiles', 'tools'])
  const siteWords = useSiteWords()
  const plan = plans.find(({ id }) => id === entry.planId)
  const problem = problemOf(entry, plans)
  const choosePlan = (planId: string): void => {
    const chosen = plans.find(({ id }) => id === planId)
    if (chosen) onChange(withPlan(entry, chosen))
  }
  return (
    <li className={styles.entry}>
      <div className={styles.who}>
        <ToolMark tool={{ name }} />
        <div>
          <p className={styles.toolName}>{name}</p>
          {entry.site.kind === 'user' ? null : <p className={styles.facts}>{siteWords(entry.site)}</p>}
          <p className={styles.facts}>{t(`tools:deliveries.${entry.delivery}`)}</p>
        </div>
      </div>
      <fieldset className={styles.fields} aria-label={name}>
        <Field
          label={t('tools:plan')}
          error={problem === 'plan' ? t('profiles:edit.planGone', { plan: lostPlan ?? entry.planId }) : undefined}
        >
          <Select
            value={plan?.id}
            placeholder={t('tools:choosePlan')}
            onValueChange={choosePlan}
            options={plans.map(({ id, name: label, gatewayUrl }) => ({ value: id, label, hint: gatewayUrl }))}
          />
        </Field>
        {plan ? (
          <KeyField
            plan={plan}
            value={entry.keyId ?? plan.keys[0]?.id}
            onChange={(keyId) => onChange(withKey(entry, keyId))}
          />
        ) : null}
        <ModelField
          key={entry.planId}
          label={t('tools:model')}
          value={entry.modelCode}
          models={plan?.models ?? []}
          onChange={(code) => onChange(withModel(entry, code))}
        />
        {problem === 'key' ? <p className={styles.problem}>{t('profiles:edit.keyGone')}</p> : null}
      </fieldset>
      {onRemove ? (
        <IconButton icon={X} size="sm" label={t('profiles:edit.remove', { tool: name })} onClick={onRemove} />
      ) : null}
    </li>
  )
}
