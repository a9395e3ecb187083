import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './copy-text.module.css'
import { call } from './ipc'
import { CopyButton } from './ui/icon-button'
import { toast } from './ui/toast'

/** Copies a text that is no secret, through main. `label` says what: "Copy gateway address". */
export function CopyText({
  text,
  label,
  size = 'sm',
}: {
  readonly text: string
  readonly label: string
  readonly size?: 'sm' | 'md'
}) {
  const { t } = useTranslation('common')
  return (
    <CopyButton
      label={label}
      size={size}
      copy={() => call('app.copyText', { text })}
      onFailed={() => void toast(t('copyFailed'), { tone: 'danger' })}
    />
  )
}

const shownMs = 1_600

/** A model code that a click copies; it is sent to the letter, so nobody should have to type it. */
export function CopyCode({ code }: { readonly code: string }) {
  const { t } = useTranslation(['plans', 'common'])
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    call('app.copyText', { text: code }).then(
      () => setIsCopied(true),
      () => void toast(t('common:copyFailed'), { tone: 'danger' }),
    )
  }
  const Icon = isCopied ? Check : Copy
  const label = t('plans:account.page.copyCode', { code })
  return (
    <>
      <button type="button" className={styles.code} aria-label={label} title={label} onClick={copy}>
        <code>{code}</code>
        <Icon size={13} strokeWidth={1.8} aria-hidden="true" />
      </button>
      <span className="sr-only" role="status">
        {isCopied ? t('common:copied') : ''}
      </span>
    </>
  )
}
