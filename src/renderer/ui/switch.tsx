import { Switch as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import styles from './switch.module.css'

interface SwitchProps {
  readonly checked: boolean
  readonly onCheckedChange: (checked: boolean) => void
  readonly label: string
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

/** A setting that is on or off at once, with its words at the left. */
export function Switch({ checked, onCheckedChange, label, hint, disabled }: SwitchProps) {
  const id = useId()
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <p id={`${id}-hint`} className={styles.hint}>
            {hint}
          </p>
        ) : null}
      </div>
      <Radix.Root
        id={id}
        className={styles.track}
        checked={checked}
        onCheckedChange={onCheckedChange}
        disabled={disabled ?? false}
        aria-describedby={hint ? `${id}-hint` : undefined}
      >
        <Radix.Thumb className={styles.thumb} />
      </Radix.Root>
    </div>
  )
}

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
