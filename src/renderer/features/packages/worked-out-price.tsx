import type { PackageView } from '@shared/contract'
import { Calculator } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Facts } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import styles from './packages.module.css'
import { pricePerDay, pricePerMillion } from './worked-out'

/** The words "worked out", with how on hover: beside every figure that is ours. */
export function WorkedOut() {
  const { t } = useTranslation('packages')
  return (
    <Tooltip content={t('workedOutHint')}>
      <span className={styles.workedOut}>
        <Calculator size={12} strokeWidth={1.8} aria-hidden="true" />
        {t('workedOut')}
      </span>
    </Tooltip>
  )
}

/** Price per day and per million tokens of a package, in one line. */
export function WorkedOutPrices({ of }: { readonly of: PackageView }) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  const day = pricePerDay(of)
  const million = pricePerMillion(of)
  return (
    <div className={styles.prices}>
      <Facts
        items={[
          day !== undefined && t('perDay', { amount: money(day) }),
          million !== undefined && t('perMillion', { amount: money(million) }),
        ]}
      />
      <WorkedOut />
    </div>
  )
}
