import { useTranslation } from 'react-i18next'
import { inUnits } from './grace'

/** A period in words: "7 days". */
export function useGraceWords(): (ms: number) => string {
  const { t } = useTranslation('rotation')
  return (ms) => {
    const { unit, count } = inUnits(ms)
    return unit === 'day' ? t('grace.days', { count }) : t('grace.hours', { count })
  }
}
