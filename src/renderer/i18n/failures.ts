import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { type Explanation, explainFailure, type FailureContext } from '../features/failures/explain-failure'
import { useFormats } from '../format'

/** Words for a failure in the language of the window, chosen by its code; `context` makes them name the things. */
export function useFailureWords(): (failure: Failure, context?: FailureContext) => Explanation {
  const { t } = useTranslation('failures')
  const { locale } = useFormats()
  return (failure, context) => explainFailure({ failure, context, t, locale })
}
