import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../../i18n/failures'
import { useAction } from '../../../ipc'
import { toast } from '../../../ui/toast'

/** Writes records into a file that one chooses, and says so. */
export function useExport() {
  const { t } = useTranslation('memory')
  const words = useFailureWords()
  return useAction('resources.export', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('export.done'), { description: path })
    },
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger' }),
  })
}
