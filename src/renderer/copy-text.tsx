import i18next from 'i18next'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { showFailureToast } from './i18n/failures'
import { call } from './ipc'
import { joinClassNames } from './ui/cn'
import { IconButton } from './ui/icon-button'
import { toast } from './ui/toast'

const t = i18next.getFixedT(null, ['common', 'plans'])

const confirmationMs = 1_600

/** Copies a text and briefly shows that it was copied. Only for texts that are not secret. */
function useConfirmedCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void =>
    void call('app.copyText', { text }).then(() => setIsCopied(true), showFailureToast({ title: t('copyFailed') }))
  return { isCopied, copy }
}

/** Button that copies a text, never a secret. `label` names the text: "Copy gateway address". */
export function CopyText(props: { readonly text: string; readonly label: string; readonly size?: 'sm' | 'md' }) {
  const { text, label, size = 'sm' } = props
  const { isCopied, copy } = useConfirmedCopy(text)
  return (
    <>
      <IconButton icon={isCopied ? Check : Copy} label={isCopied ? t('copied') : label} size={size} onClick={copy} />
      <span className="sr-only" role="status">
        {isCopied ? t('copied') : ''}
      </span>
    </>
  )
}

/** Copies a text and shows a toast. Only for texts that are not secret. */
export const copyText = (
  text: string,
  { title = t('copied'), description }: { readonly title?: string; readonly description?: string } = {},
): void =>
  void call('app.copyText', { text }).then(
    () => toast(title, description === undefined ? {} : { description }),
    showFailureToast({ title: t('copyFailed') }),
  )

/** Model code that is copied on click, because typing an exact code is error-prone. */
export function CopyCode({ code }: { readonly code: string }) {
  const { isCopied, copy } = useConfirmedCopy(code)
  const Icon = isCopied ? Check : Copy
  const label = t('plans:account.page.copyCode', { code })
  return (
    <>
      <button
        type="button"
        className={joinClassNames(
          'group/code inline-flex h-6 min-w-0 max-w-full items-center gap-1.5 rounded-[5px] bg-pressed px-1.5',
          'hover:bg-accent-soft hover:text-accent-text',
        )}
        aria-label={label}
        title={label}
        onClick={copy}
      >
        <code className="truncate">{code}</code>
        <Icon size={13} strokeWidth={1.8} className="text-muted group-hover/code:text-inherit" />
      </button>
      <span className="sr-only" role="status">
        {isCopied ? t('common:copied') : ''}
      </span>
    </>
  )
}
