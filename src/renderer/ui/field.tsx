import clsx from 'clsx'
import { CircleAlert } from 'lucide-react'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './field.module.css'

interface Wiring {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

const FieldContext = createContext<Wiring | undefined>(undefined)

/** The id and aria attributes of the `Field` around a control, to spread on the element that takes the focus. */
export const useFieldWiring = (): Partial<Wiring> => useContext(FieldContext) ?? {}

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  /** Shows "optional" beside the label. */
  readonly optional?: boolean
  readonly required?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** A label above one control, a hint below it and, when there is one, what is wrong with it; all wired for screen readers. */
export function Field({ label, hint, error, optional, required, className, children }: FieldProps) {
  const { t } = useTranslation('common')
  const id = useId()
  const describedBy = clsx(error && `${id}-error`, hint && `${id}-hint`)
  const wiring: Wiring = {
    id,
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': error ? true : undefined,
    'aria-required': required ? true : undefined,
  }
  return (
    <div className={clsx(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional ? <span className={styles.optional}>{t('optional')}</span> : null}
      </label>
      <FieldContext value={wiring}>{children}</FieldContext>
      {error ? (
        <p id={`${id}-error`} className={styles.error} role="alert">
          <CircleAlert size={13} aria-hidden="true" />
          <span>{error}</span>
        </p>
      ) : null}
      {hint ? (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

interface TextInputProps extends ComponentProps<'input'> {
  /** A monospaced face, for addresses and codes. */
  readonly mono?: boolean
  readonly leading?: ReactNode
  readonly trailing?: ReactNode
}

/** A one-line text control. Inside a `Field` it takes its label and messages from it. */
export function TextInput({ mono, leading, trailing, className, ...rest }: TextInputProps) {
  const wiring = useFieldWiring()
  return (
    <span className={clsx(styles.control, wiring['aria-invalid'] && styles.invalid, className)}>
      {leading ? <span className={styles.edge}>{leading}</span> : null}
      <input
        type="text"
        spellCheck={false}
        autoComplete="off"
        {...wiring}
        {...rest}
        className={clsx(styles.input, mono && styles.mono)}
      />
      {trailing ? <span className={styles.edge}>{trailing}</span> : null}
    </span>
  )
}

/** Fields below each other, 16 px apart. */
export function FieldGroup({ children }: { readonly children: ReactNode }) {
  return <div className={styles.group}>{children}</div>
}

/** A control for several lines of text. Inside a `Field` it takes its label and messages from it. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  const wiring = useFieldWiring()
  return (
    <textarea
      spellCheck={false}
      autoComplete="off"
      {...wiring}
      {...rest}
      className={clsx(styles.control, styles.area, wiring['aria-invalid'] && styles.invalid, className)}
    />
  )
}
