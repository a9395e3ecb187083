import type { AccountView } from '@shared/contract'
import clsx from 'clsx'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Skeleton } from '../../ui/skeleton'
import styles from './buying.module.css'
import { missingCredits } from './purchase'

interface BalanceProps {
  /** Absent while it is being read. */
  readonly account: AccountView | undefined
  readonly total: number
  /** The total is what was paid last time: the package is no longer in the catalogue. */
  readonly isOldTotal: boolean
}

/** The total, and the balance before and after it. */
export function Balance({ account, total, isOldTotal }: BalanceProps) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  const after = account && account.credits - total
  const lines = [
    { label: t(isOldTotal ? 'buying.totalOld' : 'buying.total'), amount: total, isTotal: true },
    { label: t('buying.before'), amount: account?.credits, isTotal: false },
    { label: t('buying.after'), amount: after, isTotal: false },
  ]
  return (
    <dl className={styles.balance}>
      {lines.map(({ label, amount, isTotal }) => (
        <div key={label} className={clsx(isTotal && styles.total)}>
          <dt>{label}</dt>
          <dd className={clsx(amount !== undefined && amount < 0 && styles.short)}>
            {amount === undefined ? <Skeleton width={84} /> : money(amount)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface TooLittleProps {
  readonly account: AccountView
  readonly total: number
  readonly onLookAgain: () => void
  readonly busy: boolean
}

/** Says how much is missing; nothing when the credits cover the total. */
export function TooLittle({ account, total, onLookAgain, busy }: TooLittleProps) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  const missing = missingCredits(account, total)
  if (missing === 0) return null
  return (
    <Callout
      tone="warning"
      title={t('buying.short', { amount: money(missing) })}
      actions={
        <Button size="sm" busy={busy} onClick={onLookAgain}>
          {t('buying.lookAgain')}
        </Button>
      }
    >
      {t('buying.shortText')}
    </Callout>
  )
}
