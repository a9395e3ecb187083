import clsx from 'clsx'
import { X } from 'lucide-react'
import { AlertDialog, Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button'
import styles from './dialog.module.css'
import { Field, TextInput } from './field'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons at the foot, right-aligned; the primary one last. */
  readonly footer?: ReactNode
  /** 440, 560 or 760 px. */
  readonly size?: 'sm' | 'md' | 'lg'
}

function Frame(props: DialogProps & { readonly className: string | undefined }) {
  const { t } = useTranslation('common')
  const { open, onOpenChange, title, description, children, footer, className } = props
  const content = useRef<HTMLDivElement>(null)
  // Called when no field inside has taken the focus: then the dialog itself does, not its close button.
  const focusContent = (event: Event): void => {
    event.preventDefault()
    content.current?.focus()
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} />
        <Radix.Content
          ref={content}
          onOpenAutoFocus={focusContent}
          className={className}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className={styles.head}>
            <div>
              <Radix.Title className={styles.title}>{title}</Radix.Title>
              {description ? <Radix.Description className={styles.description}>{description}</Radix.Description> : null}
            </div>
            <Radix.Close className={styles.close} aria-label={t('close')}>
              <X size={16} strokeWidth={1.8} aria-hidden="true" />
            </Radix.Close>
          </header>
          <div className={styles.body}>{children}</div>
          {footer ? <footer className={styles.foot}>{footer}</footer> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A question or a small task in the middle of the window. */
export function Dialog({ size = 'md', ...props }: DialogProps) {
  return <Frame {...props} className={clsx(styles.dialog, styles[size])} />
}

/** A short edit, from the right edge of the window. */
export function Sheet(props: Omit<DialogProps, 'size'>) {
  return <Frame {...props} className={styles.sheet} />
}

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** What it will do and what it will break, by name. */
  readonly description: ReactNode
  readonly children?: ReactNode
  readonly confirmLabel: string
  readonly danger?: boolean
  /** The name to type first, for what cannot be undone. */
  readonly typeToConfirm?: string
  readonly busy?: boolean
  readonly onConfirm: () => void
}

function TypedName({ name, onMatch }: { readonly name: string; readonly onMatch: (matches: boolean) => void }) {
  const { t } = useTranslation('common')
  return (
    <Field label={t('typeToConfirm', { name })}>
      <TextInput mono autoFocus onChange={(event) => onMatch(event.target.value.trim() === name)} />
    </Field>
  )
}

/** Asks before something that cannot be taken back, or that breaks something else. Does not close by itself on confirm. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useTranslation('common')
  const [typed, setTyped] = useState(false)
  const locked = props.typeToConfirm !== undefined && !typed
  const change = (open: boolean): void => {
    setTyped(false)
    props.onOpenChange(open)
  }
  return (
    <AlertDialog.Root open={props.open} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content className={clsx(styles.dialog, styles.sm)}>
          <div className={styles.question}>
            <AlertDialog.Title className={styles.title}>{props.title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className={styles.description}>{props.description}</div>
            </AlertDialog.Description>
            {props.children}
            {props.typeToConfirm === undefined ? null : <TypedName name={props.typeToConfirm} onMatch={setTyped} />}
          </div>
          <footer className={styles.foot}>
            <AlertDialog.Cancel asChild>
              <Button>{t('cancel')}</Button>
            </AlertDialog.Cancel>
            <Button
              variant={props.danger ? 'danger' : 'primary'}
              disabled={locked}
              busy={props.busy}
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
