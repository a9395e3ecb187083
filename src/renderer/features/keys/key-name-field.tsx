import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { longestKeyName } from './key-name'

/** The name of a key as it is typed. */
export function KeyNameField({
  name,
  onChange,
  taken,
}: {
  readonly name: string
  readonly onChange: (name: string) => void
  /** Names of the plan's other keys: another of the same name is allowed, but worth a word. */
  readonly taken: readonly string[]
}) {
  const { t } = useTranslation('keys')
  const count = name.trim().length
  return (
    <Field
      label={t('adding.name')}
      required
      hint={taken.includes(name.trim()) ? t('adding.taken') : t('adding.hint')}
      error={count > longestKeyName ? t('adding.tooLong', { count }) : undefined}
    >
      <TextInput autoFocus value={name} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}
