import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { type Explanation, explainFailure, type FailureContext } from '../failures/explain-failure'
import { useFormats } from '../format'
import { CallError } from '../ipc'
import { useSession } from '../session'
import { toast } from '../ui/toast'

/** Words for a failure in the language of the window, chosen by its code; `context` makes them name the things. */
export function useFailureWords(): (failure: Failure, context?: FailureContext) => Explanation {
  const { t } = useTranslation('failures')
  const { locale } = useFormats()
  return (failure, context) => explainFailure({ failure, context, t, locale })
}

interface FailureToast {
  /** What could not be done; without it the failure's own title stands there, and its remedy below. */
  readonly title?: string
  readonly context?: FailureContext
}

/** Shows failures as toasts, each with the help page of its code. What the user declined is no failure. */
export function useFailureToast(): (about?: FailureToast) => (error: unknown) => void {
  const { t } = useTranslation(['failures', 'common'])
  const explain = useFailureWords()
  const openHelp = useSession((session) => session.openHelp)
  return ({ title, context } = {}) =>
    (error) => {
      if (!(error instanceof CallError)) {
        void toast(title ?? t('common:failure.generic'), { tone: 'danger' })
        return
      }
      const { code, requestId } = error.failure
      if (code === 'input.declined') return
      const said = explain(error.failure, context)
      void toast(title ?? said.title, {
        tone: 'danger',
        // Its help knows the code alone: what support asks for stands here.
        description: [
          title === undefined ? said.remedy : said.title,
          ...(requestId === undefined ? [] : [`${t('failures:details.requestId')}: ${requestId}`]),
        ].join(title === undefined ? ' ' : ' · '),
        action: { label: t('failures:details.more'), onClick: () => openHelp(code) },
      })
    }
}
