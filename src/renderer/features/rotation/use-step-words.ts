import { useTranslation } from 'react-i18next'
import { isUndoStep, type Step } from './progress'

/** What a step is called, in either direction. */
export function useStepWords(): (id: Step['id']) => string {
  const { t } = useTranslation('rotation')
  return (id) => (isUndoStep(id) ? t(`undoSteps.${id}.title`) : t(`steps.${id}.title`))
}
