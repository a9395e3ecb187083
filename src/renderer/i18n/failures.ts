import i18next from 'i18next'
import { explainFailure, type FailureContext } from '../failures/explain-failure'
import { CallError } from '../ipc'
import { openHelp } from '../session'
import { toast } from '../ui/toast'

const t = i18next.getFixedT(null, ['failures', 'common'])

interface FailureToast {
  /** About the action that failed. Default: the failure's title and remedy. */
  readonly title?: string
  readonly context?: FailureContext
}

/** Shows a failure as toast with a link to its help page. Ignores the failure if the user declined the action. */
export const showFailureToast =
  ({ title, context }: FailureToast = {}) =>
  (error: unknown): void => {
    if (!(error instanceof CallError)) {
      void toast(title ?? t('common:failure.generic'), { tone: 'danger' })
      return
    }
    const { code, requestId } = error.failure
    if (code === 'input.declined') return
    const failureTexts = explainFailure(error.failure, context)
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
