import type { PlaygroundRun } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import styles from './grid.module.css'

/** The figures of a run that are compared between cells, in one short line. */
export function CellFacts({ run }: { readonly run: PlaygroundRun }) {
  const { t } = useTranslation('compare')
  const { duration, count, locale } = useFormats()
  const { firstTokenMs, durationMs, tokensPerSecond, inputTokens, outputTokens } = run
  const rate = tokensPerSecond?.toLocaleString(locale, { maximumFractionDigits: 0 })
  const facts = [
    durationMs === undefined ? undefined : duration(durationMs),
    firstTokenMs === undefined ? undefined : t('facts.first', { time: duration(firstTokenMs) }),
    rate === undefined ? undefined : t('facts.rate', { rate }),
    outputTokens === undefined
      ? undefined
      : t('facts.tokens', {
          input: inputTokens === undefined ? '–' : count(inputTokens).short,
          output: count(outputTokens).short,
        }),
  ].filter((fact) => fact !== undefined)
  const line = facts.join(' · ')
  return (
    <p className={styles.facts} title={line}>
      {line}
    </p>
  )
}
