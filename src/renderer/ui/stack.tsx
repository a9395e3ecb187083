import type { ReactNode } from 'react'
import styles from './stack.module.css'

/** Lines of one cell beneath each other; what is too wide gives way to dots. */
export function Stack({ children, title }: { readonly children: ReactNode; readonly title?: string | undefined }) {
  return (
    <span className={styles.stack} title={title}>
      {children}
    </span>
  )
}
