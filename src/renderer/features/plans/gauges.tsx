import type { ModelQuota, PlanModelView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { AllowanceGauge } from '../quota/gauge'
import { type Allowance, allowanceKinds, allowanceOf, isAhead } from './allowance'
import styles from './gauges.module.css'

interface GaugesProps {
  readonly model: PlanModelView
  /** How much of the cycle is over, from 0 to 1; not known for a plan that does not run. */
  readonly cycle: number | undefined
  /** What is foreseen for the model, as soon as that is known. */
  readonly quota: ModelQuota | undefined
  readonly renews: boolean
}

/** What to know about an allowance beyond its figures; nothing when it is well. */
function useRemark(): (allowance: Allowance, cycle: number | undefined) => string | undefined {
  const { t } = useTranslation('plans')
  return (allowance, cycle) => {
    if (allowance.level === 'out') return t('account.allowance.paused')
    if (allowance.level === 'low') return t('account.allowance.low')
    return isAhead(allowance, cycle) ? t('account.allowance.ahead') : undefined
  }
}

/** The two allowances of a model: what is left, what is used, a tick where an even pace would be by now, and what is foreseen. */
export function Gauges({ model, cycle, quota, renews }: GaugesProps) {
  const remark = useRemark()
  return (
    <div className={styles.pair}>
      {allowanceKinds.map((kind) => {
        const allowance = allowanceOf(model, kind)
        const forecast = quota?.[kind].forecast
        return (
          <AllowanceGauge
            key={kind}
            allowance={allowance}
            model={model.displayName}
            pace={cycle}
            forecast={forecast}
            renews={renews}
            remark={remark(allowance, cycle)}
            isFast={forecast === undefined && allowance.level === 'ample' && isAhead(allowance, cycle)}
          />
        )
      })}
    </div>
  )
}
