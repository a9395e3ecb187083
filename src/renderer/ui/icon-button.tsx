import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import styles from './icon-button.module.css'
import { Spinner } from './spinner'
import { Tooltip } from './tooltip'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon
  /** Its name for a screen reader, and its tooltip. */
  readonly label: string
  readonly size?: 'md' | 'sm'
  readonly variant?: 'ghost' | 'secondary'
  readonly busy?: boolean
  readonly tooltipSide?: 'top' | 'right' | 'bottom' | 'left'
}

/** A square button with an icon, named by its tooltip. */
export function IconButton({
  icon: Icon,
  label,
  size = 'md',
  variant = 'ghost',
  busy = false,
  tooltipSide = 'top',
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={label} side={tooltipSide}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-busy={busy || undefined}
        className={clsx(styles.button, styles[size], styles[variant], className)}
      >
        {busy ? <Spinner /> : <Icon size={size === 'sm' ? 14 : 16} strokeWidth={1.8} aria-hidden="true" />}
      </button>
    </Tooltip>
  )
}
