import type { Forecast } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { type ForecastWords, forecastWords, glanceWords } from './forecast-words'

/** Forecasts in the words of the window's language. */
export function useForecastWords(): (forecast: Forecast, renews: boolean) => ForecastWords {
  const { t } = useTranslation('quota')
  const { locale } = useFormats()
  return (forecast, renews) => forecastWords(forecast, { t, locale, renews })
}

/** The same at a glance: nothing unless an allowance will not last. */
export function useGlanceWords(): (forecast: Forecast) => string | undefined {
  const { t } = useTranslation('quota')
  return (forecast) => glanceWords(forecast, { t })
}
