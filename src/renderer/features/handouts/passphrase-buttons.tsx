import type { HandoutResult } from '@shared/contract'
import { Copy, Eye } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { toast } from '../../ui/toast'

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

/** The passphrase of a kit, by way of main: to the clipboard, or into a dialog of the system. It never enters the window. */
function usePassphrase({ id }: Pick<HandoutResult, 'id'>) {
  const { t } = useTranslation('handouts')
  const { duration } = useFormats()
  const words = useFailureWords()
  const onError = ({ failure }: CallError): void => {
    const { title, remedy } = words(failure)
    void toast(title, { tone: 'danger', description: remedy })
  }
  const copying = useAction('handouts.copyPassphrase', {
    onError,
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('result.copied'), { description: t('result.copiedHint', { time: duration(clearsAfterMs) }) }),
  })
  const showing = useAction('handouts.showPassphrase', { onError })
  return {
    copy: () => copying.mutate({ id }),
    show: () => showing.mutate({ id }),
    isCopying: copying.isPending,
    isShowing: showing.isPending,
  }
}
