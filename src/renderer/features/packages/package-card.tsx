import type { PackageView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import styles from './packages.module.css'
import { packagePath } from './paths'
import { WorkedOutPrices } from './worked-out-price'

export interface PackageCardProps {
  readonly of: PackageView
  readonly canBuy: boolean
  readonly isCompared: boolean
  readonly onCompare: (isCompared: boolean) => void
  readonly onBuy: () => void
}

/** A package at a glance: price, duration, models with their allowances, most keys; buying and comparing from here. */
export function PackageCard({ of, canBuy, isCompared, onCompare, onBuy }: PackageCardProps) {
  const { t } = useTranslation('packages')
  const { money, count, number } = useFormats()
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        <h2 className={styles.type}>
          <Link to={packagePath(of.packageId)}>{of.planType}</Link>
        </h2>
        <span className={styles.compare}>
          <span aria-hidden="true">{t('compare')}</span>
          <Checkbox checked={isCompared} onCheckedChange={onCompare} label={t('compareNamed', { type: of.planType })} />
        </span>
      </div>
      <p className={styles.price}>
        <b>{money(of.price)}</b> <span>{t('duration', { count: of.durationDays })}</span>
      </p>
      <WorkedOutPrices of={of} />
      <p className={styles.caption}>{t('perCycle')}</p>
      <ul className={styles.models}>
        {of.models.map((model) => (
          <li
            key={model.modelCode}
            title={`${model.modelCode}: ${number(model.tokenQuota)} / ${number(model.requestQuota)}`}
          >
            <span className={styles.model}>{model.displayName}</span>
            <span className={styles.quota}>
              {t('tokens', { amount: count(model.tokenQuota).short })}
              <i aria-hidden="true">·</i>
              {t('requests', { amount: count(model.requestQuota).short })}
            </span>
          </li>
        ))}
      </ul>
      <div className={styles.cardFoot}>
        <span className={styles.keys}>{t('maxKeys', { count: of.maxKeys })}</span>
        {canBuy ? (
          <Button size="sm" variant="primary" onClick={onBuy}>
            {t('buy')}
            <span className="sr-only"> {of.planType}</span>
          </Button>
        ) : null}
      </div>
    </li>
  )
}
