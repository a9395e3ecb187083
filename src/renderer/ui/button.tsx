import { Ellipsis, type LucideIcon } from 'lucide-react'
import { type ComponentProps, isValidElement, type MouseEvent, type ReactElement, type ReactNode } from 'react'
import { Link } from 'react-router'
import { joinClassNames } from './cn'
import { IconButton } from './icon-button'
import { Spinner } from './skeleton'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

interface ButtonAppearance {
  readonly variant?: ButtonVariant
  /** Button height: 32 px (`md`), or 28 px (`sm`) inside rows and callouts. */
  readonly size?: 'md' | 'sm'
  readonly icon?: LucideIcon
  readonly children?: ReactNode
}

interface ButtonProps extends ButtonAppearance, Omit<ComponentProps<'button'>, 'children'> {
  /** Ignores clicks but keeps the focus while an action is running. */
  readonly busy?: boolean | undefined
}

const button = joinClassNames(
  'relative inline-flex h-control items-center justify-center gap-1.5 overflow-hidden whitespace-nowrap rounded-md',
  'border border-transparent px-3 font-medium leading-none no-underline select-none transition-colors',
  'hover:no-underline focus-visible:overflow-visible disabled:opacity-50 aria-busy:cursor-progress',
)

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent shadow-[inset_0_1px_0_rgb(255_255_255/0.12)] hover:bg-accent-hover',
  secondary: joinClassNames(
    'border-border-control bg-raised text-text',
    'hover:bg-[light-dark(#f6f7fa,#282c34)] active:bg-[light-dark(#eef0f4,#2d313a)]',
  ),
  ghost: 'text-muted hover:bg-hover hover:text-text active:bg-pressed',
  danger: 'bg-danger-fill text-white hover:bg-danger-fill-hover',
}

const getButtonClass = (variant: ButtonVariant, size: 'md' | 'sm', className: string | undefined): string =>
  joinClassNames(button, variants[variant], size === 'sm' && 'h-control-sm px-2.5 text-sm', className)

/** `busy` replaces the icon by a spinner. */
export function Button(props: ButtonProps) {
  const { variant = 'secondary', size = 'md', icon: Icon, busy = false, type = 'button', ...otherProps } = props
  const { children, className, onClick, ...rest } = otherProps
  const handleClick = (event: MouseEvent<HTMLButtonElement>): void => {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...rest}
      type={type}
      className={getButtonClass(variant, size, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={handleClick}
    >
      {busy ? <Spinner /> : Icon ? <Icon size={size === 'sm' ? 14 : 15} strokeWidth={1.8} /> : null}
      {children}
    </button>
  )
}

/** A link styled as a button, for presses that only navigate. */
export function ButtonLink(props: ButtonAppearance & Omit<ComponentProps<typeof Link>, 'children'>) {
  const { variant = 'secondary', size = 'md', icon: Icon, children, className, ...rest } = props
  return (
    <Link {...rest} className={getButtonClass(variant, size, className)}>
      {Icon ? <Icon size={size === 'sm' ? 14 : 15} strokeWidth={1.8} /> : null}
      {children}
    </Link>
  )
}

/** A button as data, or a link if it has `to`. `about` names its object for screen readers, as in "Open Codex CLI". */
export type Action = { readonly label: string; readonly about?: string } & (
  | (Omit<ComponentProps<typeof Button>, 'children'> & { readonly to?: never })
  | Omit<ComponentProps<typeof ButtonLink>, 'children'>
)

/** Buttons as data and other elements, in which empty items are skipped, or any other content. */
export type Actions = ReactNode | readonly (Action | ReactElement | false | undefined | null)[]

const isActionList = (actions: Actions): actions is Exclude<Actions, ReactNode> => Array.isArray(actions)

/** Renders actions. Returns null without any. `size` is the default height of the buttons. */
export function renderActions(actions: Actions, size: 'md' | 'sm'): ReactNode {
  if (!isActionList(actions)) return actions
  if (!actions.some(Boolean)) return null
  return actions.map((action, index) => {
    if (!action || isValidElement(action)) return action
    const { label, about, ...props } = action
    const content = about === undefined ? label : [label, <span key="about" className="sr-only">{` ${about}`}</span>]
    // A key by position keeps the focus when the label changes.
    const key = `action-${String(index)}`
    return props.to === undefined ? (
      <Button key={key} size={size} {...props}>
        {content}
      </Button>
    ) : (
      <ButtonLink key={key} size={size} {...props}>
        {content}
      </ButtonLink>
    )
  })
}

/** An icon button for long lists. Uses `title` because hundreds of tooltips are too slow. Default icon: three dots. */
export function RowButton(
  props: Partial<Omit<ComponentProps<typeof IconButton>, 'onClick'>> & {
    readonly label: string
    readonly hasMenu?: boolean
    readonly onPress: (button: HTMLElement) => void
  },
) {
  const { icon = Ellipsis, hasMenu, onPress, ...rest } = props
  return (
    <IconButton
      {...rest}
      icon={icon}
      size="sm"
      hasTooltip={false}
      title={rest.label}
      aria-haspopup={hasMenu ? 'menu' : undefined}
      onClick={({ currentTarget }) => onPress(currentTarget)}
    />
  )
}
