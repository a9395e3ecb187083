import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { TextInput } from '../../ui/field'
import styles from './sandbox.module.css'

const mostDigits = 12

/** The amount in a text, whatever marks stand between its digits; nothing when there is none. */
export function readCredits(text: string): number | undefined {
  const digits = text.replace(/\D/g, '').slice(0, mostDigits)
  return digits === '' ? undefined : Number(digits)
}

/** An amount in the form of the language, typed with or without its marks. Enter or leaving keeps it, Escape does not. */
export function CreditsField({
  credits,
  onChange,
}: {
  readonly credits: number
  readonly onChange: (credits: number) => void
}) {
  const { t } = useTranslation('sandbox', { keyPrefix: 'account' })
  const { money } = useFormats()
  const [draft, setDraft] = useState<string>()
  const isGivenUp = useRef(false)
  const leave = (): void => {
    const next = isGivenUp.current ? undefined : readCredits(draft ?? '')
    isGivenUp.current = false
    setDraft(undefined)
    if (next !== undefined && next !== credits) onChange(next)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    isGivenUp.current = event.key === 'Escape'
    event.currentTarget.blur()
  }
  return (
    <TextInput
      aria-label={t('creditsLabel')}
      inputMode="numeric"
      className={styles.credits}
      value={draft ?? money(credits)}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={leave}
      onKeyDown={onKeyDown}
    />
  )
}
