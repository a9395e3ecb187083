import type { UsageStep } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import styles from './chart.module.css'
import type { Measure } from './measures'
import type { Point } from './points'
import { useAxisWords } from './use-span-words'

interface Shown {
  readonly measure: Measure
  readonly step: UsageStep
  readonly isCompared: boolean
}

interface Line {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly colour?: string
}

/** What there is to read of a bar: its parts, their sum, and the span before; exact. */
function useLines({ measure, isCompared }: Omit<Shown, 'step'>): (point: Point) => readonly Line[] {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const { parts, total } = measure
  return ({ counts, previous, state }) => {
    const known: readonly Line[] = counts
      ? [
          ...parts.map(({ id, colour, of }) => ({
            id,
            colour,
            name: t(`charts.parts.${id}`),
            value: number(of(counts)),
          })),
          ...(parts.length > 1 ? [{ id: 'total', name: t('charts.total'), value: number(total(counts)) }] : []),
        ]
      : [{ id: 'state', name: t(state === 'future' ? 'charts.notYet' : 'charts.unknown'), value: '' }]
    if (!isCompared || !previous) return known
    return [
      ...known,
      { id: 'previous', name: t('charts.previous'), value: number(total(previous)), colour: 'var(--chart-previous)' },
    ]
  }
}

/** A bar in one sentence, for a screen reader. */
export function useTipText({ measure, step, isCompared }: Shown): (point: Point | undefined) => string {
  const lines = useLines({ measure, isCompared })
  const words = useAxisWords()
  return (point) =>
    point === undefined
      ? ''
      : [words.inFull(step, point), ...lines(point).map(({ name, value }) => `${name} ${value}`.trim())].join(', ')
}

interface TipProps extends Shown {
  readonly point: Point
  /** The middle of its bar and the width of the chart, in px. */
  readonly middle: number
  readonly width: number
  readonly canOpen: boolean
}

/** The exact figures of the bar under the pointer, beside it. */
export function ChartTip({ measure, step, isCompared, point, middle, width, canOpen }: TipProps) {
  const { t } = useTranslation('usage')
  const lines = useLines({ measure, isCompared })
  const words = useAxisWords()
  const isRight = middle < width / 2
  return (
    <div className={styles.tip} style={isRight ? { left: middle + 14 } : { right: width - middle + 14 }}>
      <p className={styles.tipHead}>{words.inFull(step, point)}</p>
      {lines(point).map(({ id, name, value, colour }) => (
        <p key={id} className={styles.tipLine}>
          <span className={styles.swatch} style={{ background: colour ?? 'transparent' }} />
          <span className={styles.tipName}>{name}</span>
          <b>{value}</b>
        </p>
      ))}
      {canOpen ? <p className={styles.tipHint}>{t('charts.press')}</p> : null}
    </div>
  )
}
