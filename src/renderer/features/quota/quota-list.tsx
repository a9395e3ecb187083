import type { PlanQuota } from '@shared/contract'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'
import { useModelColour } from '../usage/use-hues'
import { AllowancesDialog } from './allowances-dialog'
import { PlanQuotaSection } from './plan-quota'
import styles from './quota.module.css'
import { useQuota } from './use-quota'

/** What the marks of a meter mean. */
function Legend() {
  const { t } = useTranslation('quota')
  return (
    <ul className={styles.legend} aria-hidden="true">
      {(['used', 'expected', 'pace'] as const).map((mark) => (
        <li key={mark}>
          <span className={styles[`${mark}Mark`]} />
          {t(`legend.${mark}`)}
        </li>
      ))}
    </ul>
  )
}

function Plans({ plans }: { readonly plans: readonly PlanQuota[] }) {
  const colour = useModelColour()
  const { data: local = [] } = useCall('plans.list', {})
  const [telling, setTelling] = useState<string>()
  const plan = local.find(({ id }) => id === telling)
  const canTell = ({ planId, origin }: PlanQuota): boolean =>
    origin === undefined &&
    planId !== undefined &&
    local.some(({ id, source }) => id === planId && source !== 'sandbox')
  return (
    <>
      {plans.map((one) => (
        <PlanQuotaSection
          key={JSON.stringify([one.origin?.connectionId, one.origin?.planId, one.planId])}
          plan={one}
          colour={colour}
          onTell={canTell(one) ? () => setTelling(one.planId) : undefined}
        />
      ))}
      {plan ? <AllowancesDialog plan={plan} onClose={() => setTelling(undefined)} /> : null}
    </>
  )
}

/** What is left: every plan, the tightest first, each model by itself. */
export function QuotaList() {
  const { t } = useTranslation('quota')
  const query = useQuota()
  return (
    <>
      <div className={styles.intro}>
        <p className={styles.quiet}>{t('intro')}</p>
        <Legend />
      </div>
      <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
        {(plans) =>
          plans.length === 0 ? (
            <EmptyState
              icon={Gauge}
              title={t('none')}
              actions={
                <ButtonLink variant="primary" to="/plans/new">
                  {t('addPlan')}
                </ButtonLink>
              }
            >
              {t('noneText')}
            </EmptyState>
          ) : (
            <Plans plans={plans} />
          )
        }
      </Loaded>
    </>
  )
}
