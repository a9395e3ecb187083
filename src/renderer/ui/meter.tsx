import { joinClassNames } from './cn'
export interface ExpectedRange {
  readonly low: number
  readonly high: number
}

export interface MeterProps {
  /** Measured quantity, for example "Tokens of Aurora Large". */
  readonly label: string
  /** Fill level from 0 to 1. */
  readonly value: number
  /** Value for screen readers. */
  readonly text: string
  readonly tone?: 'neutral' | 'warning' | 'danger'
  /** Reference tick from 0 to 1. `text` must explain it. */
  readonly mark?: number | undefined
  /** Forecast range, drawn lighter after the fill. `text` must explain it. */
  readonly expected?: ExpectedRange | undefined
  readonly size?: 'sm' | 'md'
}

const tones = {
  neutral: 'text-meter',
  warning: 'text-meter-warning',
  danger: 'text-meter-danger',
} as const

const percent = (share: number): number => Math.min(100, Math.max(0, share * 100))

/** Light fill up to the low forecast, and hatched up to the high one. */
function ExpectedFill({ expected, tone }: { readonly expected: ExpectedRange; readonly tone: string }) {
  const lowPercent = percent(expected.low)
  const highPercent = percent(expected.high)
  return (
    <>
      <div
        className={joinClassNames('absolute top-0 left-0 h-full bg-current/42', tone)}
        style={{ width: `${lowPercent}%` }}
      />
      <div
        className={joinClassNames('absolute top-0 h-full bg-hatched', tone)}
        style={{ left: `${lowPercent}%`, width: `${Math.max(0, highPercent - lowPercent)}%` }}
      />
    </>
  )
}

/** Fill level. A nonzero value always shows a visible fill. */
export function Meter({ label, value, text, tone = 'neutral', mark, expected, size = 'md' }: MeterProps) {
  const filledPercent = percent(value)
  const isSmall = size === 'sm'
  return (
    <div className="relative min-w-0 flex-1">
      <meter
        className="sr-only"
        aria-label={label}
        min={0}
        max={100}
        value={Math.round(filledPercent)}
        aria-valuetext={text}
      />
      <div
        className={joinClassNames(
          'relative overflow-hidden rounded-full bg-[light-dark(#e3e6ed,#2c3038)]',
          isSmall ? 'h-1' : 'h-2',
        )}
        aria-hidden="true"
      >
        {expected ? <ExpectedFill expected={expected} tone={tones[tone]} /> : null}
        <div
          className={joinClassNames(
            'relative h-full rounded-[inherit] bg-current transition-[width] duration-medium',
            tones[tone],
          )}
          style={{ width: `${filledPercent > 0 ? Math.max(filledPercent, 1.5) : 0}%` }}
        />
      </div>
      {mark === undefined ? null : (
        <div
          className={joinClassNames(
            '-ml-px absolute w-0.5 rounded-[1px] bg-text shadow-[0_0_0_1.5px_var(--color-surface)]',
            isSmall ? '-top-0.5 h-2' : '-top-0.75 h-3.5',
          )}
          style={{ left: `${percent(mark)}%` }}
          aria-hidden="true"
        />
      )}
    </div>
  )
}
