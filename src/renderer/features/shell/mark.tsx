import styles from './mark.module.css'

/** The app's sign: two ends that fit, on the accent. */
export function Mark({ size = 26 }: { readonly size?: number }) {
  return (
    <span className={styles.mark} style={{ width: size, height: size, borderRadius: size * 0.27 }} aria-hidden="true">
      <svg width={size * 0.62} height={size * 0.62} viewBox="0 0 16 16" fill="none" aria-hidden="true">
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
    </span>
  )
}
