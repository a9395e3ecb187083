import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './rows.module.css'

/** A framed list of `Row`s, divided by hairlines. */
export function Rows({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  )
}

interface RowProps {
  /** An icon or a mark at the left, 28 px. */
  readonly leading?: ReactNode
  readonly title: ReactNode
  /** A badge or a state beside the title. */
  readonly badge?: ReactNode
  /** One or two lines of facts. */
  readonly description?: ReactNode
  /** State and buttons at the right; they work apart from the row's own link. */
  readonly trailing?: ReactNode
  /** Where a press on the row leads. */
  readonly to?: string
  /** In a list of which a part is drawn: where the row stands. */
  readonly place?: RowPlace
}

/** Where a row stands in a list of which a part is drawn. */
export interface RowPlace {
  readonly index: number
  readonly count: number
  /** From the top of the list, in px. */
  readonly top: number
  /** Hears of the row's element, to measure it. */
  readonly measure: (element: HTMLLIElement | null) => void
}

/** One thing of a list: what it is, what matters about it, and what can be done. */
export function Row({ leading, title, badge, description, trailing, to, place }: RowProps) {
  const at = place && {
    ref: place.measure,
    'data-index': place.index,
    'aria-setsize': place.count,
    'aria-posinset': place.index + 1,
    style: { transform: `translateY(${place.top}px)` },
  }
  return (
    <li className={clsx(styles.row, to && styles.link, place && styles.placed)} {...at}>
      {leading ? <span className={styles.leading}>{leading}</span> : null}
      <div className={styles.words}>
        <div className={styles.title}>
          {to ? (
            <Link to={to} className={styles.target}>
              {title}
            </Link>
          ) : (
            <span className={styles.name}>{title}</span>
          )}
          {badge}
        </div>
        {description ? <div className={styles.description}>{description}</div> : null}
      </div>
      {trailing ? <div className={styles.trailing}>{trailing}</div> : null}
    </li>
  )
}

/** Facts in one line, divided by middle dots; empty ones are left out. */
export function Facts({ items }: { readonly items: readonly (ReactNode | false | undefined | null)[] }) {
  const there = items.filter((item) => item !== false && item !== undefined && item !== null && item !== '')
  return (
    <span className={styles.facts}>
      <span className={styles.line}>
        {there.map((item, at) => (
          <span key={`fact-${String(at)}`} className={styles.fact}>
            {item}
          </span>
        ))}
      </span>
    </span>
  )
}

/** A framed square for an icon or initials at the head of a row. */
export function RowMark({ icon: Icon, children }: { readonly icon?: LucideIcon; readonly children?: ReactNode }) {
  return (
    <span className={styles.mark} aria-hidden="true">
      {Icon ? <Icon size={14} strokeWidth={1.8} /> : children}
    </span>
  )
}

/** One thing that can be changed: its name and what it means at the left, the control at the right, more of it below. */
export function ControlRow({
  label,
  hint,
  control,
  children,
}: {
  readonly label: string
  readonly hint: ReactNode
  readonly control: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className={styles.controlRow}>
      <div className={styles.controlRowWords}>
        <p className={styles.label}>{label}</p>
        <p className={styles.hint}>{hint}</p>
      </div>
      <div className={styles.control}>{control}</div>
      {children ? <div className={styles.below}>{children}</div> : null}
    </div>
  )
}

export interface KeyValueItem {
  readonly label: string
  readonly value: ReactNode
  /** A button after the value, such as a `CopyButton`. */
  readonly action?: ReactNode
}

/** Facts of one thing, each with its name at the left. */
export function KeyValue({ items }: { readonly items: readonly KeyValueItem[] }) {
  return (
    <dl className={styles.list}>
      {items.map(({ label, value, action }) => (
        <div key={label} className={styles.item}>
          <dt className={styles.keyValueLabel}>{label}</dt>
          <dd className={styles.value}>
            <span className={styles.text}>{value}</span>
            {action}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Lines of one cell beneath each other; what is too wide gives way to dots. */
export function Stack({ children, title }: { readonly children: ReactNode; readonly title?: string | undefined }) {
  return (
    <span className={styles.stack} title={title}>
      {children}
    </span>
  )
}
