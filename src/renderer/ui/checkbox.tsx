import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { joinClassNames } from './cn'

interface CheckboxProps {
  /** State of the checkbox. `indeterminate` means that some of the items are checked. */
  readonly checked: boolean | 'indeterminate'
  readonly onCheckedChange: (checked: boolean) => void
  /** Accessible name. The visible label is separate. */
  readonly label: string
  readonly tabIndex?: number
  readonly id?: string
}

/** Checkbox with a click target of 24 px. */
export function Checkbox({ checked, onCheckedChange, label, tabIndex, id }: CheckboxProps) {
  const Icon = checked === 'indeterminate' ? Minus : Check
  return (
    <Radix.Root
      id={id}
      className="group/box inline-flex size-6 flex-none items-center justify-center rounded-[5px]"
      checked={checked}
      onCheckedChange={(checkedState) => onCheckedChange(checkedState === true)}
      aria-label={label}
      tabIndex={tabIndex}
    >
      <span
        className={joinClassNames(
          'inline-flex size-4 items-center justify-center rounded-sm border border-faint bg-surface',
          'transition-colors group-hover/box:border-muted group-data-[state=checked]/box:border-accent',
          'group-data-[state=checked]/box:bg-accent group-data-[state=indeterminate]/box:border-accent',
          'group-data-[state=indeterminate]/box:bg-accent',
        )}
      >
        <Radix.Indicator className="text-on-accent">
          <Icon size={12} strokeWidth={3} />
        </Radix.Indicator>
      </span>
    </Radix.Root>
  )
}
