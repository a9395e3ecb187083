import type { PackageView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { BuySheet } from './buy-sheet'

/** Buys a package. */
export function BuyPackageSheet({
  connectionId,
  of,
  onClose,
}: {
  readonly connectionId: string
  readonly of: PackageView
  readonly onClose: () => void
}) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  return (
    <BuySheet
      connectionId={connectionId}
      target={{ kind: 'package', packageId: of.packageId }}
      title={t('buying.title', { type: of.planType })}
      description={t('buying.text', { price: money(of.price), days: of.durationDays })}
      nameFrom={of.planType}
      total={of.price}
      days={of.durationDays}
      onClose={onClose}
    />
  )
}
