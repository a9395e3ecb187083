import { Check, Minus } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { cn } from './cn'

interface CheckboxProps {
  /** `indeterminate`: some of what it stands for, not all. */
  readonly checked: boolean | 'indeterminate'
  readonly onCheckedChange: (checked: boolean) => void
  /** Its name for a screen reader; words on the screen stand beside it. */
  readonly label: string
  readonly tabIndex?: number
  readonly id?: string
}

const box = cn(
  'inline-flex size-4 items-center justify-center rounded-sm border border-faint bg-surface text-on-accent',
  'transition-colors group-hover/box:border-muted group-data-[state=checked]/box:border-accent',
  'group-data-[state=checked]/box:bg-accent group-data-[state=indeterminate]/box:border-accent',
  'group-data-[state=indeterminate]/box:bg-accent',
)

/** A box is ticked by Space, as everywhere. */
function leaveEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault()
}

/** A square that is on or off; the press target is 24 px. A plain button: a list draws dozens of them at once. */
export function Checkbox({ checked, onCheckedChange, label, tabIndex, id }: CheckboxProps) {
  const Icon = checked === 'indeterminate' ? Minus : Check
  return (
    // biome-ignore lint/a11y/useSemanticElements: an input would keep the keys of the window and of tables to itself
    <button
      type="button"
      role="checkbox"
      id={id}
      className="group/box inline-flex size-6 flex-none items-center justify-center rounded-[5px]"
      aria-checked={checked === 'indeterminate' ? 'mixed' : checked}
      aria-label={label}
      data-state={checked === 'indeterminate' ? checked : checked ? 'checked' : 'unchecked'}
      tabIndex={tabIndex}
      onClick={() => onCheckedChange(checked !== true)}
      onKeyDown={leaveEnter}
    >
      <span className={box}>{checked ? <Icon size={12} strokeWidth={3} aria-hidden="true" /> : null}</span>
    </button>
  )
}
