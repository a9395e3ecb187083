import styles from './kbd.module.css'

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
