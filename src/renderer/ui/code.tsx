import clsx from 'clsx'
import type { ReactNode } from 'react'
import styles from './code.module.css'

/** An address, a code, a path, in a monospaced face. `quiet` has no background; `wrap` breaks anywhere instead of ending in an ellipsis. */
export function Code({
  children,
  quiet = false,
  wrap = false,
  title,
}: {
  readonly children: ReactNode
  readonly quiet?: boolean
  readonly wrap?: boolean
  readonly title?: string
}) {
  return (
    <code className={clsx(styles.code, quiet && styles.quiet, wrap && styles.wrap)} title={title}>
      {children}
    </code>
  )
}
