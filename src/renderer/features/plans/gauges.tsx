import type { PlanModelView } from '@shared/contract'
import clsx from 'clsx'
import { useTranslation } from 'react-i18next'
import { Meter } from '../../ui/meter'
import { Tooltip } from '../../ui/tooltip'
import { type Allowance, allowanceKinds, allowanceOf, isAhead } from './allowance'
import { levelTones } from './allowance-bars'
import { useAllowanceWords } from './allowance-words'
import styles from './gauges.module.css'

interface GaugeProps {
  readonly model: PlanModelView
  readonly allowance: Allowance
  /** How much of the cycle is over, from 0 to 1; not known for a plan that does not run. */
  readonly cycle: number | undefined
}

/** What to know about an allowance beyond its figures; nothing when it is well. */
function useRemark(allowance: Allowance, cycle: number | undefined): string | undefined {
  const { t } = useTranslation('plans')
  if (allowance.level === 'out') return t('account.allowance.paused')
  if (allowance.level === 'low') return t('account.allowance.low')
  return isAhead(allowance, cycle) ? t('account.allowance.ahead') : undefined
}

function Gauge({ model, allowance, cycle }: GaugeProps) {
  const { t } = useTranslation('plans')
  const words = useAllowanceWords()
  const remark = useRemark(allowance, cycle)
  const isFast = allowance.level === 'ample' && isAhead(allowance, cycle)
  const pace = cycle === undefined ? undefined : t('account.allowance.pace', { share: words.share(cycle) })
  const exact = words.exact(allowance)
  return (
    <Tooltip
      content={
        <span className={styles.tip}>
          <span>{exact}</span>
          {pace ? <span>{pace}</span> : null}
        </span>
      }
    >
      <div className={styles.gauge}>
        <div className={styles.head}>
          <span className={styles.kind}>{words.kind(allowance)}</span>
          <span className={styles.share}>
            {t('account.allowance.usedShare', { share: words.share(1 - allowance.leftShare) })}
          </span>
        </div>
        <p className={clsx(styles.left, styles[allowance.level])}>{words.left(allowance)}</p>
        <Meter
          label={words.of(allowance, model.displayName)}
          value={1 - allowance.leftShare}
          text={[exact, pace].filter(Boolean).join('. ')}
          tone={isFast ? 'warning' : levelTones[allowance.level]}
          mark={cycle}
        />
        <p className={styles.foot}>{words.usedOf(allowance)}</p>
        {remark ? <p className={clsx(styles.remark, styles[isFast ? 'low' : allowance.level])}>{remark}</p> : null}
      </div>
    </Tooltip>
  )
}

/** The two allowances of a model: what is left, what is used, and a tick where an even pace would be by now. */
export function Gauges({ model, cycle }: { readonly model: PlanModelView; readonly cycle: number | undefined }) {
  return (
    <div className={styles.pair}>
      {allowanceKinds.map((kind) => (
        <Gauge key={kind} model={model} allowance={allowanceOf(model, kind)} cycle={cycle} />
      ))}
    </div>
  )
}
