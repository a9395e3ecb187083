import type { ReactNode } from 'react'
import styles from './key-value.module.css'

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
          <dt className={styles.label}>{label}</dt>
          <dd className={styles.value}>
            <span className={styles.text}>{value}</span>
            {action}
          </dd>
        </div>
      ))}
    </dl>
  )
}
