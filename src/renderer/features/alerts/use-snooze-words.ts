import { useTranslation } from 'react-i18next'

/** What is quiet, in words: one model of a plan, or all of it. */
export function useSnoozeWords(): (plan: string, modelCode: string | undefined) => string {
  const { t } = useTranslation('alerts')
  return (plan, model) => (model === undefined ? t('whole', { plan }) : t('modelOf', { model, plan }))
}
