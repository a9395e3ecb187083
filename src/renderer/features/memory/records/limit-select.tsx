import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Select } from '../../../ui/select'
import styles from '../memory.module.css'
import { limits } from './record-loader'

/** At most how many records are asked for. */
export function LimitSelect({ limit, onLimit }: { readonly limit: number; readonly onLimit: (limit: number) => void }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  return (
    <Select
      aria-label={t('records.limit')}
      className={styles.auto ?? ''}
      value={String(limit)}
      onValueChange={(value) => onLimit(Number(value))}
      options={limits.toReversed().map((one) => ({
        value: String(one),
        label: t('records.upTo', { count: number(one) }),
      }))}
    />
  )
}
