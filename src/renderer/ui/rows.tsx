import { ChevronDown, type LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'react-router'
import { type Actions, Button, renderActions } from './button'
import { joinClassNames } from './cn'
import { Hint } from './text'

export function Rows({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  return (
    <ul className="rounded-lg border bg-surface empty:hidden" aria-label={label}>
      {children}
    </ul>
  )
}

interface RowProps {
  /** Icon or mark of 28 px. */
  readonly leading?: ReactNode
  readonly title: ReactNode
  /** Badge or status after the title. */
  readonly badge?: ReactNode
  /** Second line. A list is shown as `InlineDetails`. */
  readonly description?: ReactNode
  /** Error below the second line. */
  readonly problem?: ReactNode
  /** Status and buttons at the right, separate from the row's link. */
  readonly trailing?: Actions
  readonly to?: string
  readonly place?: RowPosition
}

export interface RowPosition {
  readonly index: number
  readonly count: number
  /** Offset from the top of the list in px. */
  readonly top: number
  /** Ref callback that measures the row. */
  readonly measure: (element: HTMLLIElement | null) => void
}

/** Attributes of a row in a virtual list, which must have the position `absolute`. */
export const toRowAttributes = ({ index, count, top, measure }: RowPosition) => ({
  ref: measure,
  'data-index': index,
  'aria-setsize': count,
  'aria-posinset': index + 1,
  style: { transform: `translateY(${top}px)` },
})

export function Row({ leading, title, badge, description, problem, trailing, to, place }: RowProps) {
  const trailingContent = renderActions(trailing, 'sm')
  return (
    <li
      className={joinClassNames(
        'relative flex min-h-14 items-center gap-3 border-t py-2.25 pr-3 pl-4 first:rounded-t-[7px]',
        'first:border-t-0 last:rounded-b-[7px] max-sm:flex-wrap',
        to && 'hover:bg-hover',
        place && 'absolute inset-x-0 top-0',
      )}
      {...(place && toRowAttributes(place))}
    >
      {leading ? <span className="flex-none">{leading}</span> : null}
      <div className="min-w-0 flex-1 max-sm:basis-50">
        <div className="flex min-w-0 items-center gap-2">
          {to ? (
            <Link
              to={to}
              className={joinClassNames(
                'truncate font-strong text-text after:absolute after:inset-0 after:rounded-[inherit]',
                'hover:no-underline focus-visible:outline-none focus-visible:after:outline-2',
                'focus-visible:after:outline-focus focus-visible:after:-outline-offset-2',
              )}
            >
              {title}
            </Link>
          ) : (
            <span className="truncate font-strong">{title}</span>
          )}
          {badge}
        </div>
        {description ? (
          <div className="min-w-0 text-muted text-sm">
            {renderDetails(description)}
            {problem ? <p className="text-danger">{problem}</p> : null}
          </div>
        ) : null}
      </div>
      {trailingContent ? (
        <div className="relative flex flex-none items-center gap-2 max-sm:ml-auto max-sm:flex-initial max-sm:flex-wrap">
          {trailingContent}
        </div>
      ) : null}
    </li>
  )
}

/** Short texts in one line, separated by middle dots. Skips empty items. */
export function InlineDetails({ items }: { readonly items: readonly (ReactNode | false | undefined | null)[] }) {
  const visibleItems = items.filter((item) => item !== false && item !== undefined && item !== null && item !== '')
  return (
    <span className="block min-w-0 overflow-x-clip">
      {/* Each item has a leading dot in its padding. The negative margin clips dots at line starts. */}
      <span className="-ml-4 flex min-w-0 flex-wrap">
        {visibleItems.map((item, index) => (
          <span
            key={`fact-${String(index)}`}
            className={joinClassNames(
              'min-w-0 truncate pl-4 before:-ml-4 before:inline-block before:w-4 before:text-center',
              "before:text-faint before:content-['·']",
            )}
          >
            {item}
          </span>
        ))}
      </span>
    </span>
  )
}

/** Renders a list of short texts as `InlineDetails`, and other content unchanged. */
export const renderDetails = (content: ReactNode): ReactNode =>
  Array.isArray(content) ? <InlineDetails items={content} /> : content

export function RowIcon({ icon: Icon, children }: { readonly icon?: LucideIcon; readonly children?: ReactNode }) {
  return (
    <span
      className={joinClassNames(
        'inline-flex size-7 flex-none items-center justify-center rounded-[7px] border bg-well',
        'font-semibold text-muted text-sm',
      )}
      aria-hidden="true"
    >
      {Icon ? <Icon size={14} strokeWidth={1.8} /> : children}
    </span>
  )
}

/** A setting: label and hint at the left, control at the right, details below. */
export function ControlRow(props: {
  readonly label: string
  readonly hint?: ReactNode
  readonly control?: Actions
  readonly children?: ReactNode
}) {
  const { label, hint, control, children } = props
  const controlContent = renderActions(control, 'sm')
  return (
    <div
      className={joinClassNames(
        'flex min-h-13 flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t py-2.5 pr-3 pl-4',
        'first:border-t-0',
      )}
    >
      <div className="min-w-0 flex-[1_1_240px]">
        <p className="font-medium">{label}</p>
        {hint ? <Hint>{hint}</Hint> : null}
      </div>
      {controlContent ? <div className="flex flex-none items-center gap-2">{controlContent}</div> : null}
      {children ? <div className="min-w-0 basis-full empty:hidden">{children}</div> : null}
    </div>
  )
}

export interface KeyValueItem {
  readonly label: string
  readonly value: ReactNode
  /** A button after the value, such as a `CopyText`. */
  readonly action?: ReactNode
}

/** List of labeled values, with the labels on the left. Skips empty items. */
export function KeyValue({ items }: { readonly items: readonly (KeyValueItem | false | undefined)[] }) {
  return (
    <dl className="flex flex-col">
      {items.map((item) =>
        item ? (
          <div
            key={item.label}
            className={joinClassNames(
              'grid min-h-8 grid-cols-[minmax(120px,168px)_minmax(0,1fr)] items-baseline gap-3 border-t py-1.25',
              'first:border-t-0',
            )}
          >
            <dt className="text-muted">{item.label}</dt>
            <dd className="flex min-h-5.5 min-w-0 items-center gap-1">
              <span className="min-w-0 wrap-anywhere">{item.value}</span>
              {item.action}
            </dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

/** Stacked lines of a table cell, truncated with an ellipsis. */
export function Stack({ children, title }: { readonly children: ReactNode; readonly title?: string | undefined }) {
  return (
    <span className="flex min-w-0 flex-col items-start leading-4.5 *:max-w-full *:truncate" title={title}>
      {children}
    </span>
  )
}

/** Bordered rows with aligned cells. `columns` is the grid template. */
export function GridRows(props: {
  readonly as?: 'ul' | 'ol'
  readonly columns: string
  readonly label: string
  readonly children: ReactNode
}) {
  const { as: Tag = 'ul', columns, label, children } = props
  return (
    <Tag
      className="grid gap-x-3 rounded-lg border bg-surface"
      style={{ gridTemplateColumns: columns }}
      aria-label={label}
    >
      {children}
    </Tag>
  )
}

/** A row. Expanded content below its cells uses `col-[2/-1]`. */
export function GridRow({ className, ...rest }: ComponentProps<'li'>) {
  return (
    <li
      className={joinClassNames(
        'col-span-full grid min-h-14 grid-cols-subgrid items-center border-t py-2.25 pr-3 pl-4 first:border-t-0',
        className,
      )}
      {...rest}
    />
  )
}

export function ExpandButton(props: Omit<ComponentProps<typeof Button>, 'size' | 'variant' | 'icon' | 'className'>) {
  return <Button size="sm" variant="ghost" icon={ChevronDown} className="aria-expanded:[&_svg]:rotate-180" {...props} />
}
