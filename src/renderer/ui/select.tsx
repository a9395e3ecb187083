import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { useState } from 'react'
import { joinClassNames } from './cn'
import { Field, type FieldProps, useFieldAttributes } from './field'
import { floatingClass } from './menu'

export interface SelectOption<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string | undefined
  readonly disabled?: boolean | undefined
}

interface SelectProps<Value extends string> {
  readonly value: Value | undefined
  readonly onValueChange: (value: Value) => void
  readonly options: readonly SelectOption<Value>[]
  readonly placeholder?: string
  /** Accessible name, needed outside a `Field`. */
  readonly 'aria-label'?: string
  readonly disabled?: boolean
  readonly className?: string
}

const trigger = joinClassNames(
  'inline-flex h-control w-full items-center justify-between gap-2 rounded-md border border-border-control bg-surface',
  'pr-2 pl-2.5 text-left transition-colors hover:border-faint disabled:opacity-50',
  'aria-invalid:border-danger data-placeholder:text-faint',
)

function Option({ value, label, hint, disabled }: SelectOption) {
  return (
    <Radix.Item
      value={value}
      disabled={disabled ?? false}
      className={joinClassNames(
        'flex min-h-7.5 gap-1.5 rounded-[5px] py-1.25 pr-2.5 pl-1.5 outline-none data-disabled:text-faint',
        'data-highlighted:bg-hover',
      )}
    >
      <span className="w-3.5 pt-0.75 text-accent-text">
        <Radix.ItemIndicator>
          <Check size={14} />
        </Radix.ItemIndicator>
      </span>
      <span className="flex min-w-0 flex-col">
        <Radix.ItemText>{label}</Radix.ItemText>
        {hint ? <span className="text-muted text-sm">{hint}</span> : null}
      </span>
    </Radix.Item>
  )
}

/** Radix renders the options of closed lists too, for type-ahead. Above this number of options that is too slow. */
const manyOptions = 50

/** Calls a function with the option that has this value. */
export function passChoice<Value extends string>(
  value: string,
  options: readonly { readonly value: Value }[],
  onChoose: (value: Value) => void,
): void {
  const option = options.find((candidate) => candidate.value === value)
  if (option) onChoose(option.value)
}

/** Drop-down list of options. Option values must not be empty strings. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, onValueChange, options, placeholder, disabled, className } = props
  const fieldAttributes = useFieldAttributes()
  const [isOpen, setOpen] = useState(false)
  const chosenOption = options.find((option) => option.value === value)
  return (
    <Radix.Root
      value={value ?? ''}
      onValueChange={(chosen) => passChoice(chosen, options, onValueChange)}
      disabled={disabled ?? false}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Radix.Trigger
        {...fieldAttributes}
        aria-label={props['aria-label']}
        className={joinClassNames(trigger, className)}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder}>{chosenOption?.label}</Radix.Value>
        </span>
        <Radix.Icon className="text-faint">
          <ChevronDown size={14} />
        </Radix.Icon>
      </Radix.Trigger>
      {isOpen || options.length <= manyOptions ? (
        <Radix.Portal>
          <Radix.Content
            className={joinClassNames(
              floatingClass,
              'max-h-[min(360px,var(--radix-select-content-available-height))] min-w-(--radix-select-trigger-width) max-w-105',
            )}
            position="popper"
            sideOffset={4}
            collisionPadding={8}
          >
            <Radix.Viewport>
              {options.map((option) => (
                <Option key={option.value} {...option} />
              ))}
            </Radix.Viewport>
          </Radix.Content>
        </Radix.Portal>
      ) : null}
    </Radix.Root>
  )
}

type SelectFieldProps<Value extends string> = Omit<SelectProps<Value>, 'aria-label'> &
  Omit<FieldProps, 'optional' | 'children'>

/** Labeled drop-down list. `className` is for the field. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, error, required, className, ...select } = props
  return (
    <Field {...{ label, hint, error, required, className }}>
      <Select {...select} />
    </Field>
  )
}

/** Drop-down list of a toolbar, as wide as its text. */
export const FilterSelect = <Value extends string>(props: Omit<SelectProps<Value>, 'className'>) => (
  <Select {...props} className="w-auto min-w-32 flex-initial" />
)
