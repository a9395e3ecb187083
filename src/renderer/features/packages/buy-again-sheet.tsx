import type { AccountPlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { BuySheet } from './buy-sheet'
import { usePackages } from './use-packages'

/** Buys a separate new plan of the type of another; its price is today's, and last time's only when the catalogue no longer tells. */
export function BuyAgainSheet({
  connectionId,
  plan,
  onClose,
}: {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly onClose: () => void
}) {
  const { t } = useTranslation('packages')
  const { data: packages } = usePackages(connectionId)
  const offer = packages?.find(({ packageId }) => packageId === plan.packageId)
  const isOff = packages !== undefined && !offer
  return (
    <BuySheet
      connectionId={connectionId}
      target={{ kind: 'again', planId: plan.planId }}
      title={t('buying.titleAgain', { plan: plan.name })}
      description={t('buying.textAgain', { type: plan.planType })}
      nameFrom={plan.name}
      total={offer?.price ?? plan.total}
      isOldTotal={isOff}
      days={offer?.durationDays ?? plan.cycleDays}
      notice={
        isOff ? (
          <Callout tone="info" title={t('buying.offCatalogue')}>
            {t('buying.offCatalogueText')}
          </Callout>
        ) : null
      }
      onClose={onClose}
    />
  )
}
