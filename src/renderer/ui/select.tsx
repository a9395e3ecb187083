import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { useState } from 'react'
import { useFieldWiring } from './field'
import styles from './select.module.css'

export interface SelectOption {
  readonly value: string
  readonly label: string
  readonly hint?: string | undefined
  readonly disabled?: boolean | undefined
}

export interface SelectProps {
  readonly value: string | undefined
  readonly onValueChange: (value: string) => void
  readonly options: readonly SelectOption[]
  readonly placeholder?: string
  /** Needed outside a `Field`. */
  readonly 'aria-label'?: string
  readonly disabled?: boolean
  readonly className?: string
}

function Option({ value, label, hint, disabled }: SelectOption) {
  return (
    <Radix.Item value={value} disabled={disabled ?? false} className={styles.option}>
      <span className={styles.check}>
        <Radix.ItemIndicator>
          <Check size={14} aria-hidden="true" />
        </Radix.ItemIndicator>
      </span>
      <span className={styles.words}>
        <Radix.ItemText>{label}</Radix.ItemText>
        {hint ? <span className={styles.hint}>{hint}</span> : null}
      </span>
    </Radix.Item>
  )
}

/** The library makes the options of a closed list as well, so that letters choose among them; of more than so many that takes too long. */
const manyOptions = 50

/** One of a few values. Values must not be empty strings. */
export function Select({ value, onValueChange, options, placeholder, disabled, className, ...rest }: SelectProps) {
  const wiring = useFieldWiring()
  const [isOpen, setOpen] = useState(false)
  const chosen = options.find((option) => option.value === value)
  return (
    <Radix.Root
      value={value ?? ''}
      onValueChange={onValueChange}
      disabled={disabled ?? false}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Radix.Trigger {...wiring} aria-label={rest['aria-label']} className={`${styles.trigger} ${className ?? ''}`}>
        <span className={styles.value}>
          <Radix.Value placeholder={placeholder}>{chosen?.label}</Radix.Value>
        </span>
        <Radix.Icon className={styles.chevron}>
          <ChevronDown size={14} aria-hidden="true" />
        </Radix.Icon>
      </Radix.Trigger>
      {isOpen || options.length <= manyOptions ? (
        <Radix.Portal>
          <Radix.Content className={styles.content} position="popper" sideOffset={4} collisionPadding={8}>
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
