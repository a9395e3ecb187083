import i18next from 'i18next'
import { CircleAlert } from 'lucide-react'
import { type ComponentProps, createContext, type FormEvent, type ReactNode, useContext, useId } from 'react'
import { getLocale } from '../format'
import { joinClassNames } from './cn'
import { Hint } from './text'

const t = i18next.getFixedT(null, 'common')

interface FieldAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

const FieldContext = createContext<FieldAttributes | undefined>(undefined)

/** Id and aria attributes from the enclosing `Field`, to spread on the focusable element. */
export const useFieldAttributes = (): Partial<FieldAttributes> => useContext(FieldContext) ?? {}

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  /** Whether to append "optional" to the label. */
  readonly optional?: boolean | undefined
  readonly required?: boolean | undefined
  readonly className?: string | undefined
  readonly children: ReactNode
}

export function Field({ label, hint, error, optional, required, className, children }: FieldProps) {
  const id = useId()
  const describedBy = joinClassNames(error && `${id}-error`, hint && `${id}-hint`)
  const fieldAttributes: FieldAttributes = {
    id,
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': error ? true : undefined,
    'aria-required': required ? true : undefined,
  }
  return (
    <div className={joinClassNames('flex min-w-0 flex-col gap-1.5', className)}>
      <label className="flex items-baseline gap-2 font-medium" htmlFor={id}>
        {label}
        {optional ? <span className="font-normal text-faint text-sm">{t('optional')}</span> : null}
      </label>
      <FieldContext value={fieldAttributes}>{children}</FieldContext>
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : null}
      {hint ? <Hint id={`${id}-hint`}>{hint}</Hint> : null}
    </div>
  )
}

export function FieldError({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <p id={id} className="flex gap-1.5 text-danger text-sm" role="alert">
      <CircleAlert size={13} className="mt-0.75" />
      <span>{children}</span>
    </p>
  )
}

const controlClass = joinClassNames(
  'flex min-h-control w-full items-center rounded-md border border-border-control bg-surface transition-colors',
  'focus-within:border-focus focus-within:outline focus-within:outline-focus focus-within:outline-offset-0',
  'not-focus-within:hover:border-faint',
)
const invalidClass = 'border-danger not-focus-within:hover:border-danger'

interface TextInputProps extends ComponentProps<'input'> {
  readonly mono?: boolean
  readonly leading?: ReactNode
  readonly trailing?: ReactNode
  /** Values that the browser offers while the user types. */
  readonly suggestions?: readonly string[] | undefined
}

/** A text input. Gets its label and messages from an enclosing `Field`. */
export function TextInput({ mono, leading, trailing, suggestions, className, ...rest }: TextInputProps) {
  const fieldAttributes = useFieldAttributes()
  const listId = useId()
  return (
    <span className={joinClassNames(controlClass, fieldAttributes['aria-invalid'] && invalidClass, className)}>
      {leading ? <span className="inline-flex items-center gap-0.5 px-1 text-faint">{leading}</span> : null}
      <input
        type="text"
        spellCheck={false}
        autoComplete="off"
        // Remount on a language change: a date input keeps the language of its first render.
        key={rest.type === 'date' ? getLocale() : undefined}
        lang={rest.type === 'date' ? getLocale() : undefined}
        list={suggestions && listId}
        {...fieldAttributes}
        {...rest}
        className={joinClassNames(
          'h-7.5 min-w-0 flex-1 rounded-[inherit] px-2.5 outline-none disabled:text-faint',
          mono && 'font-mono text-sm tracking-normal',
        )}
      />
      {trailing ? <span className="inline-flex items-center gap-0.5 px-1 text-faint">{trailing}</span> : null}
      {suggestions ? (
        <datalist id={listId}>
          {[...new Set(suggestions)].map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ) : null}
    </span>
  )
}

/** A form that handles its submission itself. */
export function Form({
  onSubmit,
  ...rest
}: Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly onSubmit: () => void }) {
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // React would bubble the submit event to a form around the button that opened the form's dialog.
    event.stopPropagation()
    onSubmit()
  }
  return <form {...rest} onSubmit={submit} noValidate />
}

export function FieldGroup({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col gap-4">{children}</div>
}

interface TextAreaProps extends ComponentProps<'textarea'> {
  readonly mono?: boolean
}

export function TextArea({ mono, className, ...rest }: TextAreaProps) {
  const fieldAttributes = useFieldAttributes()
  return (
    <textarea
      spellCheck={false}
      autoComplete="off"
      {...fieldAttributes}
      {...rest}
      className={joinClassNames(
        controlClass,
        'block min-h-24 px-2.5 py-1.75 leading-5',
        fieldAttributes['aria-invalid'] && invalidClass,
        mono && 'font-mono text-sm',
        className,
      )}
    />
  )
}

type TextFieldProps<Control> = Omit<FieldProps, 'children'> &
  Omit<Control, keyof FieldProps | 'onChange'> & { readonly onChange: (text: string) => void }

export function TextField(props: TextFieldProps<TextInputProps>) {
  const { label, hint, error, optional, required, className, onChange, ...input } = props
  return (
    <Field {...{ label, hint, error, optional, required, className }}>
      <TextInput {...input} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

/** Labeled text area. `className` is for the text area. */
export function TextAreaField(props: TextFieldProps<TextAreaProps>) {
  const { label, hint, error, optional, required, onChange, ...area } = props
  return (
    <Field {...{ label, hint, error, optional, required }}>
      <TextArea {...area} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}
