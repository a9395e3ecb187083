import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'

interface KeyFieldProps {
  readonly plan: PlanView
  readonly value: string | undefined
  readonly onChange: (keyId: string) => void
}

/** The key to use; nothing to choose where the plan has one key or none. */
export function KeyField({ plan, value, onChange }: KeyFieldProps) {
  const { t } = useTranslation(['tools', 'plans'])
  if (plan.keys.length < 2) return null
  return (
    <Field label={t('tools:key')}>
      <Select
        value={value}
        onValueChange={onChange}
        options={plan.keys.map(({ id, name, masked, kept }) => ({
          value: id,
          label: name,
          hint: kept === 'missing' ? t('plans:kept.missing') : masked,
        }))}
      />
    </Field>
  )
}
