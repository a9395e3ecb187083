import { Plus, X } from 'lucide-react'
import type { ClipboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import styles from './inference.module.css'
import { mostInputs, withInput, withLines, withoutInput } from './inputs'

/** The texts that are compared: each in a line; a pasted text of several lines becomes several. */
export function InputsList({
  inputs,
  onChange,
}: {
  readonly inputs: readonly string[]
  readonly onChange: (inputs: readonly string[]) => void
}) {
  const { t } = useTranslation('inference')
  const paste = (event: ClipboardEvent, at: number): void => {
    const text = event.clipboardData.getData('text/plain').trim()
    // In the middle of something typed, lines are no inputs of their own.
    if (!text.includes('\n') || inputs[at]?.trim() !== '') return
    event.preventDefault()
    onChange(withLines(inputs, at, text))
  }
  const rows = inputs.map((text, at) => ({ text, at }))
  return (
    <section className={styles.inputs} aria-label={t('embeddings.inputs')}>
      <p className={styles.label} aria-hidden="true">
        {t('embeddings.inputs')}
      </p>
      {rows.map(({ text, at }) => (
        <div key={at} className={styles.input}>
          <span className={styles.number}>{at + 1}</span>
          <TextInput
            aria-label={t('embeddings.input', { number: at + 1 })}
            value={text}
            placeholder={at === 0 ? t('embeddings.placeholder') : undefined}
            onChange={({ target }) => onChange(withInput(inputs, at, target.value))}
            onPaste={(event) => paste(event, at)}
          />
          <IconButton
            icon={X}
            label={t('embeddings.remove', { number: at + 1 })}
            disabled={inputs.length === 1 && text === ''}
            onClick={() => onChange(withoutInput(inputs, at))}
          />
        </div>
      ))}
      <div className={styles.bar}>
        <Button size="sm" icon={Plus} disabled={inputs.length >= mostInputs} onClick={() => onChange([...inputs, ''])}>
          {t('embeddings.add')}
        </Button>
        <span className={styles.note}>{t('embeddings.pasteHint', { most: mostInputs })}</span>
      </div>
    </section>
  )
}
