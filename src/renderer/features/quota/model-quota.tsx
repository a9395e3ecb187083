import type { ModelQuota } from '@shared/contract'
import clsx from 'clsx'
import { allowanceKinds } from '../plans/allowance'
import { CopyCode } from '../plans/copy-code'
import { AllowanceGauge, UnknownGauge } from './gauge'
import { allowanceIn } from './gauge-values'
import styles from './quota.module.css'

interface ModelQuotaRowProps {
  readonly model: ModelQuota
  /** The cycle is followed by another. */
  readonly renews: boolean
  readonly colour: string
}

/** One model and its two allowances, which have nothing to do with each other. */
export function ModelQuotaRow({ model, renews, colour }: ModelQuotaRowProps) {
  // Of a plan that was handed over only the code is known, which need not stand here twice.
  const isNameless = model.displayName === model.modelCode
  return (
    <li className={styles.model}>
      <div className={clsx(styles.who, isNameless && styles.nameless)}>
        <h3 className={styles.name}>
          <span className={styles.hue} style={{ background: colour }} aria-hidden="true" />
          <span className={isNameless ? 'sr-only' : undefined}>{model.displayName}</span>
        </h3>
        <CopyCode code={model.modelCode} />
      </div>
      {allowanceKinds.map((kind) => {
        const gauge = model[kind]
        const allowance = allowanceIn(gauge, kind)
        return allowance ? (
          <AllowanceGauge
            key={kind}
            allowance={allowance}
            model={model.displayName}
            pace={gauge.evenPace}
            forecast={gauge.forecast}
            renews={renews}
          />
        ) : (
          <UnknownGauge key={kind} kind={kind} used={gauge.used} />
        )
      })}
    </li>
  )
}
