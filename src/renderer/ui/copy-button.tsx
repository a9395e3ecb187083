import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from './icon-button'

/** Copies through `copy` (never in the window itself) and shows for a moment that it did. */
export function CopyButton({
  label,
  copy,
  onFailed,
  size = 'sm',
}: {
  /** What will be copied: "Copy gateway address". */
  readonly label: string
  readonly copy: () => Promise<unknown>
  readonly onFailed?: (error: unknown) => void
  readonly size?: 'sm' | 'md'
}) {
  const { t } = useTranslation('common')
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const press = (): void => {
    copy().then(
      () => setCopied(true),
      (error: unknown) => onFailed?.(error),
    )
  }
  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={copied ? t('copied') : label} size={size} onClick={press} />
      <span className="sr-only" role="status">
        {copied ? t('copied') : ''}
      </span>
    </>
  )
}
