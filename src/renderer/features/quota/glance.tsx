import type { ModelQuota } from '@shared/contract'
import type { PointerEvent, ReactNode } from 'react'
import { allowanceKinds } from '../plans/allowance'
import { AllowanceLine } from '../plans/allowance-bars'
import type { AllowanceWords } from '../plans/allowance-words'
import { allowanceIn, expectedIn, tightestKind, toneOf } from './gauge-values'
import styles from './glance.module.css'
import { useGlanceWords } from './use-forecast-words'

/** That a model will not last, in a few words; nothing while it will, or while there is none. */
export function useGlanceForecast(): (model: ModelQuota | undefined) => ReactNode {
  const speak = useGlanceWords()
  return (model) => {
    const words = model && speak(model[tightestKind(model)].forecast)
    return words === undefined ? null : (
      <span key="forecast" className={styles.short}>
        {words}
      </span>
    )
  }
}

/** The two gauges of a model in two thin lines: what is left, the even pace, and what is expected; exact on hover. */
export function GlanceGauges({ model, words }: { readonly model: ModelQuota; readonly words: AllowanceWords }) {
  const speak = useGlanceWords()
  const both = allowanceKinds.flatMap((kind) => {
    const allowance = allowanceIn(model[kind], kind)
    return allowance ? [{ allowance, gauge: model[kind] }] : []
  })
  const tellExactly = ({ currentTarget }: PointerEvent<HTMLElement>): void => {
    const lines = both.map(({ allowance }) => `${words.kind(allowance)}: ${words.exact(allowance)}`)
    currentTarget.title = [model.displayName, ...lines].join('\n')
  }
  return (
    <span className={styles.bars} onPointerEnter={tellExactly}>
      {both.map(({ allowance, gauge: { forecast, evenPace } }) => (
        <AllowanceLine
          key={allowance.kind}
          allowance={allowance}
          model={model.displayName}
          words={words}
          tone={toneOf(allowance.level, forecast)}
          mark={evenPace}
          expected={expectedIn(forecast)}
          more={speak(forecast)}
        />
      ))}
    </span>
  )
}
