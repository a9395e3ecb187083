import { CopyText } from '../../copy-text'
import styles from './registry.module.css'

/** One line for a terminal, with what it does and copy. */
export function CommandLine({ label, line }: { readonly label: string; readonly line: string }) {
  return (
    <li className={styles.command}>
      <span className={styles.does}>{label}</span>
      <code className={styles.line}>{line}</code>
      <CopyText text={line} label={label} />
    </li>
  )
}
