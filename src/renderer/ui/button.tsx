import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'
import { ProgressBar, Spinner } from './skeleton'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

interface Look {
  readonly variant?: ButtonVariant
  /** 32 px, or 28 px inside rows and callouts. */
  readonly size?: 'md' | 'sm'
  readonly icon?: LucideIcon
  readonly children?: ReactNode
}

export interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'children'> {
  /** Something is under way: clicks are ignored, focus stays. */
  readonly busy?: boolean | undefined
  /** How far it is, from 0 to 1, when that is known. */
  readonly progress?: number | undefined
}

const look = (variant: ButtonVariant, size: 'md' | 'sm', className: string | undefined): string =>
  clsx(styles.button, styles[variant], size === 'sm' && styles.small, className)

/** A button. `busy` shows a spinner in place of the icon and, with `progress`, how far it is. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon: Icon,
  busy = false,
  progress,
  children,
  className,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...rest}
      type={type}
      className={look(variant, size, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={press}
    >
      {busy ? <Spinner /> : Icon ? <Icon size={size === 'sm' ? 14 : 15} strokeWidth={1.8} aria-hidden="true" /> : null}
      {children}
      {busy && progress !== undefined ? (
        <span className={styles.progress}>
          <ProgressBar value={progress} label={typeof children === 'string' ? children : ''} />
        </span>
      ) : null}
    </button>
  )
}

/** A link that looks like a button: use it whenever the press only goes somewhere. */
export function ButtonLink({
  variant = 'secondary',
  size = 'md',
  icon: Icon,
  children,
  className,
  ...rest
}: Look & Omit<ComponentProps<typeof Link>, 'children'>) {
  return (
    <Link {...rest} className={look(variant, size, className)}>
      {Icon ? <Icon size={size === 'sm' ? 14 : 15} strokeWidth={1.8} aria-hidden="true" /> : null}
      {children}
    </Link>
  )
}
