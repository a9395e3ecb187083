import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { joinClassNames } from './cn'
import { Spinner } from './skeleton'
import { Tooltip } from './tooltip'

const iconButton = joinClassNames(
  'inline-flex flex-none items-center justify-center rounded-md border border-transparent text-muted transition-colors',
  'hover:bg-hover hover:text-text active:bg-pressed disabled:opacity-45',
  'data-[state=open]:bg-hover data-[state=open]:text-text',
)

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon
  /** Accessible name and tooltip. */
  readonly label: string
  readonly size?: 'md' | 'sm'
  readonly variant?: 'ghost' | 'secondary'
  readonly busy?: boolean
  readonly hasTooltip?: boolean
  readonly tooltipSide?: 'top' | 'right' | 'bottom' | 'left'
}

/** Square icon button with a tooltip. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, size = 'md', variant = 'ghost', busy = false, ...otherProps } = props
  const { hasTooltip = true, tooltipSide = 'top', className, ...rest } = otherProps
  return (
    <Tooltip content={label} side={tooltipSide} disabled={!hasTooltip}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-busy={busy || undefined}
        className={joinClassNames(
          iconButton,
          size === 'sm' ? 'size-6 rounded-[5px]' : 'size-control',
          variant === 'secondary' && 'border-border-control bg-raised',
          className,
        )}
      >
        {busy ? <Spinner /> : <Icon size={size === 'sm' ? 14 : 16} strokeWidth={1.8} />}
      </button>
    </Tooltip>
  )
}
