import i18next from 'i18next'
import { type LucideIcon, X } from 'lucide-react'
import { AlertDialog, Dialog as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { ExplainedFailure } from '../failures/explained-failure'
import type { CallError } from '../ipc'
import { type Actions, Button, renderActions } from './button'
import { joinClassNames } from './cn'
import { Field, FieldGroup, Form, TextInput } from './field'

const t = i18next.getFixedT(null, 'common')

interface DialogCall {
  /** The call that the dialog's button runs. The dialog is busy while it runs, and shows its failure. */
  readonly mutation?: { readonly isPending: boolean; readonly error: CallError | null; readonly reset: () => void }
  /** Values for the text of the failure. */
  readonly context?: ComponentProps<typeof ExplainedFailure>['context']
}

interface DialogProps extends DialogCall {
  /** Whether the dialog is open. Default: open while mounted. */
  readonly open?: boolean
  readonly onClose: () => void
  /** Whether an action is running, during which only Cancel closes the dialog. */
  readonly busy?: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Right-aligned buttons in the footer, the primary one last. */
  readonly footer?: Actions
  /** Makes the dialog a form, which Enter and buttons of type `submit` in `footer` submit. */
  readonly onSubmit?: (() => void) | undefined
  /** Replaces `footer` with Cancel and an action button, which submits the form if there is an `onSubmit`. */
  readonly action?: {
    readonly label: string
    readonly disabled?: boolean
    readonly onClick?: () => void
    readonly onSubmit?: () => void
  }
  /** Dialog width: 440, 560 or 760 px. */
  readonly size?: 'sm' | 'md' | 'lg'
}

function findOpener(): HTMLElement | undefined {
  const focused = document.activeElement
  const menu = focused?.closest('[role="menu"]')
  if (!menu) return focused instanceof HTMLElement && focused !== document.body ? focused : undefined
  const label = CSS.escape(menu.getAttribute('aria-label') ?? '')
  const button = label === '' ? null : document.querySelector<HTMLElement>(`button[aria-label="${label}"]`)
  return document.getElementById(menu.getAttribute('aria-labelledby') ?? '') ?? button ?? undefined
}

/** Returns focus on close to the element that opened the dialog, or to the page title if that is gone. */
export function useFocusReturn(isOpen: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement>(undefined)
  const wasOpen = useRef(false)
  if (wasOpen.current !== isOpen) {
    wasOpen.current = isOpen
    if (isOpen) opener.current = findOpener()
  }
  return (event) => {
    event.preventDefault()
    const focusedElement = document.activeElement
    // Skip if another element has taken the focus, such as the title of a new page.
    if (focusedElement && !focusedElement.matches('body, [role="dialog"], [role="alertdialog"]')) return
    const title = document.querySelector<HTMLElement>('[data-page-title]')
    const focusTarget = opener.current?.isConnected ? opener.current : title
    focusTarget?.focus({ preventScroll: true })
  }
}

const noAction: NonNullable<DialogProps['action']> = { label: '' }

function DialogFrame(props: DialogProps & { readonly className: string | undefined }) {
  const { open = true, onClose, mutation, busy = mutation?.isPending, title, description, action, className } = props
  const { onSubmit = props.onSubmit, ...button } = action ?? noAction
  const actionButtons: Actions = [
    { label: t('cancel'), onClick: onClose },
    { ...button, busy, variant: 'primary', type: onSubmit ? 'submit' : 'button' },
  ]
  const footer = renderActions(action ? actionButtons : props.footer, 'md')
  const body = (
    <>
      <div className="min-h-0 flex-1 overflow-auto px-5 pt-1 pb-5">
        <FieldGroup>
          {props.children}
          <ExplainedFailure failure={mutation?.error?.failure} context={props.context} />
        </FieldGroup>
      </div>
      {footer ? (
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3">{footer}</footer>
      ) : null}
    </>
  )
  const content = useRef<HTMLDivElement>(null)
  const returnFocus = useFocusReturn(open)
  // If no field has autofocus, focuses the dialog instead of its close button.
  const focusContent = (event: Event): void => {
    event.preventDefault()
    content.current?.focus()
  }
  return (
    <Radix.Root open={open} onOpenChange={() => (busy ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          ref={content}
          onOpenAutoFocus={focusContent}
          onCloseAutoFocus={returnFocus}
          className={className}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-4 pt-3.5 pr-3 pb-3 pl-5">
            <div className="pt-1">
              <Radix.Title className="font-semibold text-lg leading-snug">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="mt-1 select-text text-muted">{description}</Radix.Description>
              ) : null}
            </div>
            <Radix.Close
              className={joinClassNames(
                'inline-flex size-control flex-none items-center justify-center rounded-md text-muted',
                'hover:bg-hover hover:text-text',
              )}
              aria-label={t('close')}
            >
              <X size={16} strokeWidth={1.8} />
            </Radix.Close>
          </header>
          {onSubmit ? (
            <Form className="contents" onSubmit={onSubmit}>
              {body}
            </Form>
          ) : (
            body
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const dialog = joinClassNames(
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100vh-64px)] w-[calc(100vw-48px)] -translate-1/2 animate-pop flex-col',
  'rounded-xl border bg-surface shadow-float focus-visible:outline-none',
)
const sizes = { sm: 'max-w-110', md: 'max-w-140', lg: 'max-w-190' } as const

export function Dialog({ size = 'md', ...props }: DialogProps) {
  return <DialogFrame {...props} className={joinClassNames(dialog, sizes[size])} />
}

export function Sheet(props: Omit<DialogProps, 'size'>) {
  return (
    <DialogFrame
      {...props}
      className={joinClassNames(
        'fixed inset-y-2 right-2 z-40 flex w-[min(480px,calc(100vw-64px))] animate-slide-in flex-col',
        'rounded-xl border bg-surface shadow-float focus-visible:outline-none',
      )}
    />
  )
}

/** A searchable list near the top of the window. Only screen readers read `title`. */
export function FinderDialog(
  props: Pick<DialogProps, 'title' | 'onClose' | 'children'> & { readonly onCloseAutoFocus?: (event: Event) => void },
) {
  const { title, onClose, onCloseAutoFocus, children } = props
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-[light-dark(rgb(18_20_28/0.2),rgb(0_0_0/0.44))]" />
        <Radix.Content
          className={joinClassNames(
            'fixed top-[14vh] left-1/2 z-40 w-[min(600px,calc(100vw-48px))] -translate-x-1/2 animate-fade',
            'overflow-hidden rounded-[12px] border bg-raised shadow-float',
          )}
          aria-describedby={undefined}
          {...(onCloseAutoFocus && { onCloseAutoFocus })}
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmDialogProps extends DialogCall {
  readonly open?: boolean
  readonly onClose: () => void
  readonly title: string
  /** Consequences of the action, with the names of affected items. */
  readonly description: ReactNode
  readonly children?: ReactNode
  readonly confirmLabel: string
  readonly danger?: boolean
  /** Name to type for an irreversible action. */
  readonly typeToConfirm?: string
  readonly busy?: boolean
  readonly onConfirm: () => void
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const [typed, setTyped] = useState(false)
  const { open = true, mutation, busy = mutation?.isPending } = props
  const returnFocus = useFocusReturn(open)
  const isLocked = props.typeToConfirm !== undefined && !typed
  const close = (): void => {
    setTyped(false)
    props.onClose()
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={close}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <AlertDialog.Content className={joinClassNames(dialog, sizes.sm)} onCloseAutoFocus={returnFocus}>
          <div className="flex flex-col gap-3 overflow-auto p-5">
            <AlertDialog.Title className="font-semibold text-lg leading-snug">{props.title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="-mt-1.5 select-text text-muted">{props.description}</div>
            </AlertDialog.Description>
            {props.children}
            <ExplainedFailure failure={mutation?.error?.failure} context={props.context} />
            {props.typeToConfirm === undefined ? null : (
              <Field label={t('typeToConfirm', { name: props.typeToConfirm })}>
                <TextInput
                  mono
                  autoFocus
                  onChange={(event) => setTyped(event.target.value.trim() === props.typeToConfirm)}
                />
              </Field>
            )}
          </div>
          <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3">
            <AlertDialog.Cancel asChild>
              <Button>{t('cancel')}</Button>
            </AlertDialog.Cancel>
            <Button
              variant={props.danger ? 'danger' : 'primary'}
              disabled={isLocked}
              busy={busy}
              onClick={props.onConfirm}
            >
              {props.confirmLabel}
            </Button>
          </footer>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'open' | 'onClose' | 'onConfirm'> {
  readonly icon?: LucideIcon
  readonly size?: 'md' | 'sm'
  readonly label: string
  /** Accessible name if several buttons have the same label. */
  readonly ariaLabel?: string
  /** Whether the action needs confirmation. Default: true. */
  readonly asks?: boolean
  readonly onConfirm: (close: () => void) => void
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { icon, size = 'md', label, ariaLabel, asks = true, onConfirm, ...question } = props
  const { mutation, busy = mutation?.isPending === true } = question
  const [isAsking, setIsAsking] = useState(false)
  const setOpen = (open: boolean): void => {
    // Forget the failure of an earlier attempt.
    if (open) mutation?.reset()
    setIsAsking(open)
  }
  const confirm = (): void => onConfirm(() => setIsAsking(false))
  return (
    <>
      <Button
        {...(icon && { icon })}
        size={size}
        aria-label={ariaLabel}
        busy={busy && !isAsking}
        onClick={() => (asks ? setOpen(true) : confirm())}
      >
        {label}
      </Button>
      <ConfirmDialog {...question} open={isAsking} onClose={() => setOpen(false)} onConfirm={confirm} />
    </>
  )
}
