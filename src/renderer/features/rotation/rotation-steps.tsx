import clsx from 'clsx'
import { Check, CircleAlert, Clock3, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Spinner } from '../../ui/spinner'
import type { Step } from './progress'
import styles from './rotation.module.css'
import { useStepWords } from './use-step-words'

function Mark({ step, at }: { readonly step: Step; readonly at: number }) {
  const { state, id } = step
  const isWaiting = state === 'running' && id === 'grace'
  return (
    <span className={clsx(styles.number, styles[state])} aria-hidden="true">
      {state === 'done' ? (
        <Check size={13} strokeWidth={2.4} />
      ) : state === 'failed' ? (
        <CircleAlert size={14} strokeWidth={2} />
      ) : state === 'skipped' ? (
        <Minus size={13} strokeWidth={2.2} />
      ) : isWaiting ? (
        <Clock3 size={13} strokeWidth={2} />
      ) : state === 'running' ? (
        <Spinner size={14} />
      ) : (
        at
      )}
    </span>
  )
}

/** A state whose sign does not say all; the others are told to screen readers only. */
const isTold = ({ id, state }: Step): boolean =>
  state === 'failed' || state === 'skipped' || (state === 'running' && id !== 'grace')

interface StepRowProps {
  readonly step: Step
  readonly at: number
  /** Beneath the step: what it works on, and why it failed. */
  readonly children: ReactNode
}

function StepRow({ step, at, children }: StepRowProps) {
  const { t } = useTranslation('rotation')
  const title = useStepWords()
  const { time, dateTime } = useFormats()
  const { id, state } = step
  return (
    <li className={clsx(styles.step, styles[`is-${state}`])} aria-current={state === 'running' ? 'step' : undefined}>
      <Mark step={step} at={at} />
      <div className={styles.stepWords}>
        <p className={styles.stepTitle}>
          {title(id)}
          <span className={isTold(step) ? styles.stepState : 'sr-only'}>{t(`stepStates.${state}`)}</span>
        </p>
        {children}
      </div>
      {step.at === undefined ? null : (
        <time className={styles.time} dateTime={step.at} title={dateTime(step.at)}>
          {time(step.at)}
        </time>
      )}
    </li>
  )
}

/** The steps of a rotation, each with its state and when it was done; `under` is what stands beneath one. */
export function RotationSteps({
  label,
  steps,
  under,
}: {
  readonly label: string
  readonly steps: readonly Step[]
  readonly under: (step: Step) => ReactNode
}) {
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map((step, at) => (
        <StepRow key={step.id} step={step} at={at + 1}>
          {under(step)}
        </StepRow>
      ))}
    </ol>
  )
}
