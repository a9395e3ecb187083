import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import styles from './checkbox.module.css'

export interface CheckboxProps {
  /** `indeterminate`: some of what it stands for, not all. */
  readonly checked: boolean | 'indeterminate'
  readonly onCheckedChange: (checked: boolean) => void
  /** Its name for a screen reader; words on the screen stand beside it. */
  readonly label: string
  readonly tabIndex?: number
  readonly id?: string
}

/** A square that is on or off; the press target is 24 px. */
export function Checkbox({ checked, onCheckedChange, label, tabIndex, id }: CheckboxProps) {
  const Icon = checked === 'indeterminate' ? Minus : Check
  return (
    <Radix.Root
      id={id}
      className={styles.target}
      checked={checked}
      onCheckedChange={(next) => onCheckedChange(next === true)}
      aria-label={label}
      tabIndex={tabIndex}
    >
      <span className={styles.box}>
        <Radix.Indicator className={styles.mark}>
          <Icon size={12} strokeWidth={3} aria-hidden="true" />
        </Radix.Indicator>
      </span>
    </Radix.Root>
  )
}
