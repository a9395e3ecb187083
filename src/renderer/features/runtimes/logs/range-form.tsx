import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import { logFrom, logLimit } from '../../resources/rules'
import { useText } from '../../resources/use-text'
import { brokenRules, type TypedRange } from './log-range'
import styles from './logs.module.css'

interface RangeFormProps {
  readonly range: TypedRange
  readonly isLoading: boolean
  readonly onLoad: (range: TypedRange) => void
}

/** Asks which part of a log is loaded; a number that breaks the spec's rule is refused in words before anything is asked. */
export function RangeForm({ range, isLoading, onLoad }: RangeFormProps) {
  const { t } = useTranslation('runtimes')
  const text = useText()
  const { from, limit } = range
  const [typed, setTyped] = useState(range)
  useEffect(() => setTyped({ from, limit }), [from, limit])
  const [isChecked, setIsChecked] = useState(false)
  const broken = brokenRules(typed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setIsChecked(true)
    if (!broken.from && !broken.limit) onLoad({ from: typed.from.trim(), limit: typed.limit.trim() })
  }
  const sides = [
    ['from', logFrom],
    ['limit', logLimit],
  ] as const
  return (
    <form className={styles.range} onSubmit={submit} noValidate>
      {sides.map(([side, rule]) => (
        <Field
          key={side}
          className={styles.number ?? ''}
          label={t(`logs.${side}`)}
          error={isChecked && broken[side] ? text(rule.words) : undefined}
        >
          <TextInput
            inputMode="numeric"
            value={typed[side]}
            onChange={(event) => setTyped({ ...typed, [side]: event.target.value })}
          />
        </Field>
      ))}
      <span className={styles.load}>
        <Button type="submit" busy={isLoading}>
          {t('logs.load')}
        </Button>
      </span>
    </form>
  )
}
