import clsx from 'clsx'
import styles from './meter.module.css'

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
  readonly size?: 'sm' | 'md'
}

const percent = (share: number): number => Math.min(100, Math.max(0, share * 100))

/** How full something is. A share above nothing is never drawn as nothing. */
export function Meter({ label, value, text, tone = 'neutral', mark, size = 'md' }: MeterProps) {
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
