import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { explainFailure, type FailureContext } from '../failures/explain-failure'
import { useFormats } from '../format'
import { CallError } from '../ipc'
import { openHelp } from '../session'
import { toast } from '../ui/toast'

/** Explains a failure in the user's language. `context` provides names of plans, tools and files. */
export function useFailureTexts() {
  const { t } = useTranslation('failures')
  const { locale } = useFormats()
  return (failure: Failure, context?: FailureContext) => explainFailure({ failure, context, t, locale })
}

interface FailureToast {
  /** About the action that failed. Default: the failure's title and remedy. */
  readonly title?: string
  readonly context?: FailureContext
}

/** Shows a failure as toast with a link to its help page. Ignores the failure if the user declined the action. */
export function useFailureToast(): (about?: FailureToast) => (error: unknown) => void {
  const { t } = useTranslation(['failures', 'common'])
  const getFailureTexts = useFailureTexts()
  return ({ title, context } = {}) =>
    (error) => {
      if (!(error instanceof CallError)) {
        void toast(title ?? t('common:failure.generic'), { tone: 'danger' })
        return
      }
      const { code, requestId } = error.failure
      if (code === 'input.declined') return
      const failureTexts = getFailureTexts(error.failure, context)
      void toast(title ?? failureTexts.title, {
        tone: 'danger',
        // Show details for support in the toast, because the help page does not have them.
        description: [
          title === undefined ? failureTexts.remedy : failureTexts.title,
          ...(requestId === undefined ? [] : [`${t('failures:details.requestId')}: ${requestId}`]),
        ].join(title === undefined ? ' ' : ' · '),
        action: { label: t('failures:details.more'), onClick: () => openHelp(code) },
      })
    }
}
