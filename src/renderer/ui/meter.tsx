import clsx from 'clsx'
import styles from './meter.module.css'

/** What is expected to fill it in the end, from 0 to 1: at least `low`, at most `high`. */
export interface Expected {
  readonly low: number
  readonly high: number
}

export interface MeterProps {
  /** What is measured: "Tokens of Aurora Large". */
  readonly label: string
  /** The filled share, from 0 to 1. */
  readonly value: number
  /** The measure in words, for a screen reader. */
  readonly text: string
  readonly tone?: 'neutral' | 'warning' | 'danger'
  /** A tick to compare the fill with, from 0 to 1; `text` has to say what it stands for. */
  readonly mark?: number | undefined
  /** Drawn lighter behind the fill; `text` has to say what it stands for. */
  readonly expected?: Expected | undefined
  readonly size?: 'sm' | 'md'
}

const percent = (share: number): number => Math.min(100, Math.max(0, share * 100))

/** The lighter stretch up to what is certain to come, and the hatched one up to what may. */
function ExpectedFill({ expected, tone }: { readonly expected: Expected; readonly tone: string | undefined }) {
  const low = percent(expected.low)
  const high = percent(expected.high)
  return (
    <>
      <div className={clsx(styles.expected, tone)} style={{ width: `${low}%` }} />
      <div className={clsx(styles.band, tone)} style={{ left: `${low}%`, width: `${Math.max(0, high - low)}%` }} />
    </>
  )
}

/** How full something is. A share above nothing is never drawn as nothing. */
export function Meter({ label, value, text, tone = 'neutral', mark, expected, size = 'md' }: MeterProps) {
  const filled = percent(value)
  return (
    <div className={clsx(styles.meter, styles[size])}>
      <meter
        className="sr-only"
        aria-label={label}
        min={0}
        max={100}
        value={Math.round(filled)}
        aria-valuetext={text}
      />
      <div className={styles.track} aria-hidden="true">
        {expected ? <ExpectedFill expected={expected} tone={styles[tone]} /> : null}
        <div
          className={clsx(styles.fill, styles[tone])}
          style={{ width: `${filled > 0 ? Math.max(filled, 1.5) : 0}%` }}
        />
      </div>
      {mark === undefined ? null : (
        <div className={styles.mark} style={{ left: `${percent(mark)}%` }} aria-hidden="true" />
      )}
    </div>
  )
}
