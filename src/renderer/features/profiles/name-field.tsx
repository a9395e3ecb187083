import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { isTaken } from './entries'

const longestName = 50

/** What is typed, as a name; nothing while it cannot be one or another profile has it. */
export function readName(text: string, taken: readonly string[]): string | undefined {
  const name = text.trim()
  return name === '' || name.length > longestName || isTaken(name, taken) ? undefined : name
}

/** The name of a profile, with what is wrong about it as it is typed. */
export function NameField({
  text,
  onText,
  taken,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  /** The names of the other profiles. */
  readonly taken: readonly string[]
}) {
  const { t } = useTranslation('profiles')
  const error = isTaken(text, taken)
    ? t('name.taken')
    : text.trim().length > longestName
      ? t('name.tooLong', { count: longestName })
      : undefined
  return (
    <Field label={t('name.label')} required error={error} hint={t('name.hint')}>
      <TextInput
        autoFocus
        value={text}
        placeholder={t('name.placeholder')}
        onChange={(event) => onText(event.target.value)}
      />
    </Field>
  )
}
