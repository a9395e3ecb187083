import type { LucideIcon } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import { joinClassNames } from './cn'
import { ControlRow } from './rows'
import { passChoice } from './select'

interface RadioCard<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: ReactNode
  readonly badge?: ReactNode
  readonly disabled?: boolean
}

interface RadioCardsProps<Value extends string> {
  /** Chosen value. Empty while none is chosen. */
  readonly value: Value | ''
  readonly onValueChange: (value: Value) => void
  readonly options: readonly RadioCard<Value>[]
  /** Accessible name of the group: the question that the options answer. */
  readonly label: string
  readonly columns?: 1 | 2 | 3
}

/** Option with an explanation, within a `RadioGroup.Root`. */
export function RadioOption(props: { readonly option: RadioCard<string>; readonly className: string }) {
  const {
    option: { value, label, hint, badge, disabled },
    className,
  } = props
  const id = useId()
  return (
    <label
      className={joinClassNames(
        'flex gap-2.5 transition-colors has-data-[state=checked]:bg-accent-soft',
        className,
        disabled && 'opacity-55',
      )}
      htmlFor={id}
    >
      <RadioGroup.Item
        id={id}
        value={value}
        disabled={disabled ?? false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={joinClassNames(
          'mt-0.5 inline-flex size-4 flex-none items-center justify-center rounded-full border border-faint bg-surface',
          'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        )}
      >
        <RadioGroup.Indicator className="size-1.5 rounded-full bg-white" />
      </RadioGroup.Item>
      <span className="flex min-w-0 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {label}
          {badge}
        </span>
        {hint ? (
          <span id={`${id}-hint`} className="text-muted text-sm">
            {hint}
          </span>
        ) : null}
      </span>
    </label>
  )
}

export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { value, onValueChange, options, label, columns = 1 } = props
  return (
    <RadioGroup.Root
      value={value}
      onValueChange={(chosen) => passChoice(chosen, options, onValueChange)}
      aria-label={label}
      className="grid gap-2"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {options.map((option) => (
        <RadioOption
          key={option.value}
          option={option}
          className={joinClassNames(
            'rounded-md border bg-surface px-3 py-2.5 hover:border-border-strong',
            'has-data-[state=checked]:border-accent',
          )}
        />
      ))}
    </RadioGroup.Root>
  )
}

interface SegmentedControlProps<Value extends string> {
  readonly value: Value
  readonly onValueChange: (value: Value) => void
  readonly segments: readonly { readonly value: Value; readonly label: string; readonly icon?: LucideIcon }[]
  readonly label: string
}

/** Single choice of two to four short options. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { value, onValueChange, segments, label } = props
  return (
    <RadioGroup.Root
      value={value}
      onValueChange={(chosen) => passChoice(chosen, segments, onValueChange)}
      aria-label={label}
      orientation="horizontal"
      className={joinClassNames(
        'inline-flex gap-0.5 rounded-[7px] border border-[light-dark(transparent,var(--color-border))]',
        'bg-[light-dark(#e9ebf0,#101115)] p-0.5',
      )}
    >
      {segments.map(({ value: segmentValue, label: word, icon: Icon }) => (
        <RadioGroup.Item
          key={segmentValue}
          value={segmentValue}
          className={joinClassNames(
            'inline-flex h-6.5 items-center gap-1.5 whitespace-nowrap rounded-[5px] px-3 font-medium',
            'text-muted text-sm hover:text-text data-[state=checked]:bg-[light-dark(#ffffff,#2c3038)]',
            'data-[state=checked]:text-text data-[state=checked]:shadow-[0_1px_2px_rgb(0_0_0/0.12)]',
          )}
        >
          {Icon ? <Icon size={14} strokeWidth={1.8} /> : null}
          {word}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

/** Labeled single choice of short options, with fields of the chosen option below. */
export function SegmentedField<Value extends string>(
  props: SegmentedControlProps<Value> & { readonly children?: ReactNode },
) {
  const { children, ...control } = props
  return (
    <div className="flex flex-col items-start gap-1.5">
      <p className="font-medium">{control.label}</p>
      <SegmentedControl {...control} />
      {children}
    </div>
  )
}

/** A setting with a single choice of short options. */
export function SegmentedRow<Value extends string>(
  props: SegmentedControlProps<Value> & { readonly hint?: ReactNode },
) {
  const { hint, ...control } = props
  return <ControlRow label={control.label} hint={hint} control={<SegmentedControl {...control} />} />
}
