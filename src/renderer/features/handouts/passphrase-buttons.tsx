import type { HandoutResult } from '@shared/contract'
import { Copy, Eye } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { usePassphrase } from './use-passphrase'

/** Copies or shows the passphrase of a kit; `isCompact` for a row among others. */
export function PassphraseButtons({
  result,
  isCompact = false,
}: {
  readonly result: HandoutResult
  readonly isCompact?: boolean
}) {
  const { t } = useTranslation('handouts')
  const { copy, show, isCopying, isShowing } = usePassphrase(result)
  if (!result.hasPassphrase) return null
  const holder = result.holder.name
  if (isCompact) {
    return (
      <>
        <IconButton
          icon={Copy}
          size="sm"
          label={t('result.copyPassphraseOf', { holder })}
          busy={isCopying}
          onClick={copy}
        />
        <IconButton
          icon={Eye}
          size="sm"
          label={t('result.showPassphraseOf', { holder })}
          busy={isShowing}
          onClick={show}
        />
      </>
    )
  }
  return (
    <>
      <Button icon={Copy} variant="primary" busy={isCopying} onClick={copy}>
        {t('result.copyPassphrase')}
      </Button>
      <Button icon={Eye} busy={isShowing} onClick={show}>
        {t('result.showPassphrase')}
      </Button>
    </>
  )
}
