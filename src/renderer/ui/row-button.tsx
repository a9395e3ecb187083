import type { LucideIcon } from 'lucide-react'
import type { MouseEvent } from 'react'
import { cn } from './cn'
import { iconButton } from './icon-button'

/** A small icon button for rows that are drawn by the hundred: its name is its title, in place of a tooltip that each would have to carry. */
export function RowButton({
  icon: Icon,
  label,
  tabIndex,
  hasMenu = false,
  onPress,
}: {
  readonly icon: LucideIcon
  readonly label: string
  readonly tabIndex: number
  /** It opens a menu. */
  readonly hasMenu?: boolean
  readonly onPress: (button: HTMLElement) => void
}) {
  return (
    <button
      type="button"
      className={cn(iconButton, 'size-6 rounded-[5px]')}
      aria-label={label}
      aria-haspopup={hasMenu ? 'menu' : undefined}
      title={label}
      tabIndex={tabIndex}
      onClick={(event: MouseEvent<HTMLElement>) => onPress(event.currentTarget)}
    >
      <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
    </button>
  )
}
