import { Switch as Radix } from 'radix-ui'
import styles from './switch.module.css'

/** A switch without words of its own, for a cell whose column names it. `label` says to a screen reader what it is a switch of. */
export function CompactSwitch({
  checked,
  onCheckedChange,
  label,
  tabIndex,
  disabled = false,
}: {
  readonly checked: boolean
  readonly onCheckedChange: (checked: boolean) => void
  readonly label: string
  readonly tabIndex?: number
  readonly disabled?: boolean
}) {
  return (
    <Radix.Root
      className={styles.track}
      checked={checked}
      onCheckedChange={onCheckedChange}
      disabled={disabled}
      aria-label={label}
      tabIndex={tabIndex}
    >
      <Radix.Thumb className={styles.thumb} />
    </Radix.Root>
  )
}
