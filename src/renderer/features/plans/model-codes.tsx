import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import styles from './model-codes.module.css'
import { mergeCodes, readCodes } from './plan-fields'

interface ModelCodesProps {
  readonly codes: readonly string[]
  readonly onChange: (codes: readonly string[]) => void
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  /** Adds a copy button to each code. */
  readonly canCopy?: boolean
  /** What is typed but not a chip yet, for a form that counts it as well. */
  readonly typed?: { readonly text: string; readonly onText: (text: string) => void }
}

function Chip({ code, canCopy, onRemove }: { code: string; canCopy: boolean; onRemove: () => void }) {
  const { t } = useTranslation('plans')
  return (
    <li className={styles.chip}>
      <code>{code}</code>
      {canCopy ? <CopyText text={code} label={t('chips.copy', { code })} /> : null}
      <IconButton icon={X} size="sm" label={t('chips.remove', { code })} onClick={onRemove} />
    </li>
  )
}

/** Model codes as chips, and a field that takes more of them: typed, or a whole list pasted. */
export function ModelCodes(props: ModelCodesProps) {
  const { codes, onChange, label, hint, optional = false, canCopy = false, typed } = props
  const { t } = useTranslation('plans')
  const [ownText, setOwnText] = useState('')
  const text = typed?.text ?? ownText
  const setText = typed?.onText ?? setOwnText
  const [invalid] = readCodes(text).invalid
  const commit = (whole: string): void => {
    const read = readCodes(whole)
    setText(read.invalid.join(' '))
    if (read.codes.length > 0) onChange(mergeCodes(codes, read.codes))
  }
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault()
      commit(text)
    }
    if (event.key === 'Backspace' && text === '' && codes.length > 0) onChange(codes.slice(0, -1))
  }
  const type = (whole: string): void => {
    if (/[,;\n]/.test(whole)) commit(whole)
    else setText(whole)
  }
  return (
    <Field
      label={label}
      optional={optional}
      {...(hint ? { hint } : {})}
      error={invalid === undefined ? undefined : t('chips.invalid', { code: invalid })}
    >
      {codes.length > 0 ? (
        <ul className={styles.chips} aria-label={t('chips.added')}>
          {codes.map((code) => (
            <Chip
              key={code}
              code={code}
              canCopy={canCopy}
              onRemove={() => onChange(codes.filter((one) => one !== code))}
            />
          ))}
        </ul>
      ) : null}
      <TextInput
        mono
        value={text}
        placeholder={t('new.modelsPlaceholder')}
        onChange={(event) => type(event.target.value)}
        onPaste={(event) => {
          // A one-line field would glue the lines of a pasted list together.
          const pasted = event.clipboardData.getData('text')
          if (!/[\n\r]/.test(pasted)) return
          event.preventDefault()
          commit(`${text}${pasted}`)
        }}
        onKeyDown={press}
        trailing={
          text.trim() === '' ? null : (
            <IconButton icon={Plus} size="sm" label={t('chips.add')} onClick={() => commit(text)} />
          )
        }
      />
    </Field>
  )
}
