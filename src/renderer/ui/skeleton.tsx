import i18next from 'i18next'
import { joinClassNames } from './cn'

const t = i18next.getFixedT(null, 'common')

/** Loading placeholder. Announce "loading" once around it. */
export function Skeleton(props: { readonly width?: number | string; readonly height?: number }) {
  const { width = '100%', height = 12 } = props
  return (
    <span
      className="block flex-none animate-pulse rounded-sm bg-pressed motion-reduce:animate-none"
      style={{ width, height }}
      aria-hidden="true"
    />
  )
}

export function SkeletonRows({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div className="rounded-lg border bg-surface" role="status">
      <span className="sr-only">{t('loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={`row-${String(row)}`}
          className="flex min-h-14 items-center gap-3 border-t px-4 py-2.5 first-of-type:border-t-0"
        >
          <Skeleton width={28} height={28} />
          <span className="flex flex-1 flex-col gap-2">
            <Skeleton width={`${34 - (row % 3) * 6}%`} />
            <Skeleton width={`${58 - (row % 2) * 14}%`} height={10} />
          </span>
        </div>
      ))}
    </div>
  )
}

/** Loading placeholder of text lines with these widths in percent. */
export function SkeletonLines(props: {
  readonly widths: readonly number[]
  readonly className: string
  /** Text for screen readers. Default: loading. */
  readonly label?: string
}) {
  const { widths, className, label } = props
  return (
    <div className={joinClassNames('flex flex-col gap-2.5', className)} role="status">
      <span className="sr-only">{label ?? t('loading')}</span>
      {widths.map((width) => (
        <Skeleton key={width} width={`${width}%`} height={14} />
      ))}
    </div>
  )
}

/** Loading spinner in the text color. */
export function Spinner({ size = 14 }: { readonly size?: number }) {
  return (
    <span className="inline-flex">
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        aria-hidden="true"
        className="animate-spin motion-reduce:[animation-duration:2.4s]"
      >
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.22" />
        <path d="M14 8a6 6 0 0 0-6-6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </svg>
    </span>
  )
}

/** Progress bar. `value` is from 0 to 1, and without it the bar is indeterminate. */
export function ProgressBar({ value, label }: { readonly value?: number; readonly label: string }) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      className="h-0.75 shrink-0 overflow-hidden rounded-full bg-pressed"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div
        className={joinClassNames(
          'h-full rounded-[inherit] bg-accent transition-[width] duration-medium',
          percent === undefined &&
            'w-[36%] animate-slide motion-reduce:w-full motion-reduce:animate-none motion-reduce:opacity-50',
        )}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}
