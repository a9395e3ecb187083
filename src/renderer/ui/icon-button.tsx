import { Check, Copy, type LucideIcon } from 'lucide-react'
import { type ComponentProps, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { joinClassNames } from './cn'
import { Spinner } from './skeleton'
import { Tooltip } from './tooltip'

/** Classes of an icon button, to combine with `size-control` or `size-6`. */
export const iconButton = joinClassNames(
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
  readonly tooltipSide?: 'top' | 'right' | 'bottom' | 'left'
}

/** Square icon button with a tooltip. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, size = 'md', variant = 'ghost', busy = false, ...otherProps } = props
  const { tooltipSide = 'top', className, ...rest } = otherProps
  return (
    <Tooltip content={label} side={tooltipSide}>
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
        {busy ? <Spinner /> : <Icon size={size === 'sm' ? 14 : 16} strokeWidth={1.8} aria-hidden="true" />}
      </button>
    </Tooltip>
  )
}

const confirmationMs = 1_600

/** Whether an action was just confirmed, and a function that confirms it. */
export function useConfirmation(): readonly [isConfirmed: boolean, confirm: () => void] {
  const [isConfirmed, setIsConfirmed] = useState(false)
  useEffect(() => {
    if (!isConfirmed) return
    const timer = setTimeout(() => setIsConfirmed(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isConfirmed])
  return [isConfirmed, () => setIsConfirmed(true)]
}

/** Button that calls `copy`, which writes the clipboard in main, and then confirms briefly. */
export function CopyButton(props: {
  /** Accessible name with the copied item: "Copy gateway address". */
  readonly label: string
  readonly copy: () => Promise<unknown>
  readonly onFailed?: (error: unknown) => void
  readonly size?: 'sm' | 'md'
}) {
  const { label, copy, onFailed, size = 'sm' } = props
  const { t } = useTranslation('common')
  const [copied, confirmCopy] = useConfirmation()
  const handleClick = (): void => void copy().then(confirmCopy, (error: unknown) => onFailed?.(error))
  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={copied ? t('copied') : label} size={size} onClick={handleClick} />
      <span className="sr-only" role="status">
        {copied ? t('copied') : ''}
      </span>
    </>
  )
}
