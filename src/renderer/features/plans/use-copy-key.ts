import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { toast } from '../../ui/toast'

/** Copies a key of a plan in main, and says how long it stays on the clipboard. */
export function useCopyKey(planId: string) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const words = useFailureWords()
  return useAction('plans.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('page.keyCopied'), {
        description: t('page.keyCopiedHint', { time: formats.duration(clearsAfterMs) }),
      }),
    onError: ({ failure }) =>
      void toast(words(failure, { plan: planId }).title, { tone: 'danger', description: words(failure).remedy }),
  })
}
