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

const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.platform)
const shown: Record<string, string> = isMac
  ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↵' }
  : { Mod: 'Ctrl', Enter: '↵' }

/** A key combination, such as `['Mod', 'K']`; `Mod` is Command on a Mac and Ctrl elsewhere. */
export function Kbd({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className={styles.keys}>
      {keys.map((key) => (
        <kbd key={key} className={styles.key}>
          {shown[key] ?? key}
        </kbd>
      ))}
    </span>
  )
}
