import type { ReactNode } from 'react'
import styles from './mark.module.css'

/** The app's sign: two ends that fit. */
function Sign({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path
        d="M6.2 2.8H5A3.2 3.2 0 0 0 1.8 6v4A3.2 3.2 0 0 0 5 13.2h1.2"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
      <path
        d="M9.8 2.8H11A3.2 3.2 0 0 1 14.2 6v4a3.2 3.2 0 0 1-3.2 3.2H9.8"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
      <path d="M5.4 8h5.2" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />
    </svg>
  )
}

/** A tile of the accent with the app's sign on it, or with what is given. */
export function Mark({ size = 26, children }: { readonly size?: number; readonly children?: ReactNode }) {
  return (
    <span className={styles.mark} style={{ width: size, height: size, borderRadius: size * 0.27 }} aria-hidden="true">
      {children ?? <Sign size={size * 0.62} />}
    </span>
  )
}
