import type { PlanModelView } from '@shared/contract'
import clsx from 'clsx'
import type { PointerEvent } from 'react'
import { Meter } from '../../ui/meter'
import { allowanceKinds, allowanceOf, tightestModel } from './allowance'
import styles from './allowance-bars.module.css'
import type { AllowanceWords } from './allowance-words'

/** The colour of a meter for each level of what is left. */
export const levelTones = { ample: 'neutral', low: 'warning', out: 'danger' } as const

/**
 * What is left of the model that runs out first: one thin bar for tokens, one for requests, exact on hover. `words` come from the list
 * around it, and the exact ones only on hover: a list may draw hundreds of these while it is scrolled.
 */
export function AllowanceBars({
  models,
  words,
}: {
  readonly models: readonly PlanModelView[]
  readonly words: AllowanceWords
}) {
  const model = tightestModel(models)
  if (!model) return <span className={styles.none}>{words.none()}</span>
  const both = allowanceKinds.map((kind) => allowanceOf(model, kind))
  const tellExactly = ({ currentTarget }: PointerEvent<HTMLElement>): void => {
    const lines = both.map((allowance) => `${words.kind(allowance)}: ${words.exact(allowance)}`)
    currentTarget.title = [model.displayName, ...lines].join('\n')
  }
  return (
    <span className={styles.bars} onPointerEnter={tellExactly}>
      {both.map((allowance) => {
        const { kind, level, leftShare } = allowance
        const left = words.leftShort(allowance)
        return (
          <span key={kind} className={styles.line}>
            <Meter
              size="sm"
              label={words.of(allowance, model.displayName)}
              value={1 - leftShare}
              text={left}
              tone={levelTones[level]}
            />
            <span className={clsx(styles.amount, styles[level])} aria-hidden="true">
              {left}
            </span>
          </span>
        )
      })}
    </span>
  )
}
