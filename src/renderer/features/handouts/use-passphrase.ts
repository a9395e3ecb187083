import type { HandoutResult } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, useAction } from '../../ipc'
import { toast } from '../../ui/toast'

/** The passphrase of a kit, by way of main: to the clipboard, or into a dialog of the system. It never enters the window. */
export function usePassphrase({ id }: Pick<HandoutResult, 'id'>) {
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
