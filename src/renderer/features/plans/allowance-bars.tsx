import type { PlanModelView } from '@shared/contract'
import clsx from 'clsx'
import type { PointerEvent } from 'react'
import { type Expected, Meter } from '../../ui/meter'
import { type Allowance, allowanceKinds, allowanceOf, tightestModel } from './allowance'
import styles from './allowance-bars.module.css'
import type { AllowanceWords } from './allowance-words'

/** The colour of a meter for each level of what is left. */
const levelTones = { ample: 'neutral', low: 'warning', out: 'danger' } as const

interface LineProps {
  readonly allowance: Allowance
  /** The model's name. */
  readonly model: string
  readonly words: AllowanceWords
  readonly tone?: 'neutral' | 'warning' | 'danger'
  readonly mark?: number | undefined
  readonly expected?: Expected | undefined
  /** More to tell a screen reader. */
  readonly more?: string | undefined
}

/** One thin bar and what is left beside it. */
export function AllowanceLine({ allowance, model, words, tone, mark, expected, more }: LineProps) {
  const left = words.leftShort(allowance)
  return (
    <span className={styles.line}>
      <Meter
        size="sm"
        label={words.of(allowance, model)}
        value={1 - allowance.leftShare}
        text={more === undefined ? left : `${left}. ${more}`}
        tone={tone ?? levelTones[allowance.level]}
        mark={mark}
        expected={expected}
      />
      <span className={clsx(styles.amount, styles[allowance.level])} aria-hidden="true">
        {left}
      </span>
    </span>
  )
}

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
      {both.map((allowance) => (
        <AllowanceLine key={allowance.kind} allowance={allowance} model={model.displayName} words={words} />
      ))}
    </span>
  )
}
