import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Field, TextInput } from '../../ui/field'
import { nameProblem } from '../plans/plan-fields'
import { forbiddenIn } from './purchase'

interface PlanNameFieldProps {
  readonly name: string
  readonly onChange: (name: string) => void
  /** One of the account's plans has it already: allowed, but worth a word. */
  readonly isTaken: boolean
}

/** What is wrong with a plan's name, in words that name the characters that may not be in it. */
function useNameError(name: string): string | undefined {
  const { t } = useTranslation('packages')
  const { locale } = useFormats()
  const problem = nameProblem(name)
  if (problem === 'tooLong') return t('buying.nameTooLong', { count: name.length })
  if (!problem) return undefined
  const shown = forbiddenIn(name).map((one) => (/\s/.test(one) ? t('buying.space') : `“${one}”`))
  return t('buying.nameRule', { characters: new Intl.ListFormat(locale).format(new Set(shown)) })
}

/** The name of a plan to be bought, checked as it is typed. */
export function PlanNameField({ name, onChange, isTaken }: PlanNameFieldProps) {
  const { t } = useTranslation('packages')
  const error = useNameError(name)
  return (
    <Field
      label={t('buying.name')}
      required
      hint={error ? undefined : t(isTaken ? 'buying.nameTaken' : 'buying.nameHint')}
      error={error}
    >
      <TextInput autoFocus value={name} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}
