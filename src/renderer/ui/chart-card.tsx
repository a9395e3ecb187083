import type { ComponentProps, ReactNode } from 'react'
import { joinClassNames } from './cn'

/** Width of the value axis of a chart in px. */
export const axisWidth = 56

const tick = { fill: 'var(--color-faint)', fontSize: 11 }

export const timeAxis = {
  tick,
  tickLine: false,
  axisLine: { stroke: 'var(--color-border-strong)' },
  height: 24,
} as const
export const valueAxis = { tick, tickLine: false, axisLine: false, width: axisWidth } as const

export function ChartCard({ label, children }: { readonly label?: string; readonly children: ReactNode }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1.5 rounded-lg border bg-surface px-3.5 pt-3 pb-2" aria-label={label}>
      {children}
    </figure>
  )
}

interface ChartHeadProps {
  readonly title: string
  readonly heading?: 'h2' | 'h3'
  /** Legend or other text after the title. */
  readonly legend?: ReactNode
  readonly children?: ReactNode
}

export function ChartHead({ title, heading: Heading = 'h3', legend, children }: ChartHeadProps) {
  return (
    <div className="flex items-start gap-x-4">
      <div className="flex min-h-6 min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-0.5">
        <Heading className="font-semibold">{title}</Heading>
        {legend}
      </div>
      <div className="flex min-h-6 flex-none items-center gap-0.5">{children}</div>
    </div>
  )
}

export function Swatch({ className, ...rest }: Omit<ComponentProps<'span'>, 'children'>) {
  return (
    <span className={joinClassNames('size-2.25 flex-none rounded-[2.5px]', className)} aria-hidden="true" {...rest} />
  )
}

interface LegendItem {
  readonly name: string
  /** Line color. Undefined for a dashed line. */
  readonly colour?: string
  /** Whether to draw the series half transparent, for forecasts. */
  readonly isFaint?: boolean
}

/** Legend of a chart. Hidden from screen readers, which read the chart's table. */
export function ChartLegend({ items }: { readonly items: readonly LegendItem[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-muted text-sm" aria-hidden="true">
      {items.map(({ name, colour, isFaint }) => (
        <li key={name} className="inline-flex items-center gap-1.5">
          {colour === undefined ? (
            <span className="w-3.5 border-chart-previous border-t-2 border-dashed" />
          ) : (
            <Swatch className={joinClassNames(isFaint && 'opacity-35')} style={{ background: colour }} />
          )}
          {name}
        </li>
      ))}
    </ul>
  )
}
