import { useTranslation } from 'react-i18next'
import { call } from './ipc'
import { CopyButton } from './ui/copy-button'
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
