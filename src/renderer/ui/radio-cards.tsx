import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import styles from './radio-cards.module.css'

export interface RadioCard {
  readonly value: string
  readonly label: string
  readonly hint?: ReactNode
  readonly badge?: ReactNode
  readonly disabled?: boolean
}

export interface RadioCardsProps {
  readonly value: string
  readonly onValueChange: (value: string) => void
  readonly options: readonly RadioCard[]
  /** The question, for a screen reader. */
  readonly label: string
  readonly columns?: 1 | 2 | 3
}

function Card({ option, id }: { readonly option: RadioCard; readonly id: string }) {
  const { value, label, hint, badge, disabled } = option
  return (
    <label className={clsx(styles.card, disabled && styles.disabled)} htmlFor={id}>
      <RadioGroup.Item
        id={id}
        value={value}
        disabled={disabled ?? false}
        className={styles.dot}
        aria-describedby={hint ? `${id}-hint` : undefined}
      >
        <RadioGroup.Indicator className={styles.mark} />
      </RadioGroup.Item>
      <span className={styles.words}>
        <span className={styles.label}>
          {label}
          {badge}
        </span>
        {hint ? (
          <span id={`${id}-hint`} className={styles.hint}>
            {hint}
          </span>
        ) : null}
      </span>
    </label>
  )
}

/** One of a few ways, each with a sentence that says what it means. */
export function RadioCards({ value, onValueChange, options, label, columns = 1 }: RadioCardsProps) {
  const id = useId()
  return (
    <RadioGroup.Root
      value={value}
      onValueChange={onValueChange}
      aria-label={label}
      className={styles.grid}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {options.map((option) => (
        <Card key={option.value} option={option} id={`${id}-${option.value}`} />
      ))}
    </RadioGroup.Root>
  )
}

export interface Segment {
  readonly value: string
  readonly label: string
  readonly icon?: LucideIcon
}

/** One of two to four short values, side by side. */
export function Segmented({
  value,
  onValueChange,
  segments,
  label,
}: {
  readonly value: string
  readonly onValueChange: (value: string) => void
  readonly segments: readonly Segment[]
  readonly label: string
}) {
  return (
    <RadioGroup.Root
      value={value}
      onValueChange={onValueChange}
      aria-label={label}
      orientation="horizontal"
      className={styles.segments}
    >
      {segments.map(({ value: of, label: word, icon: Icon }) => (
        <RadioGroup.Item key={of} value={of} className={styles.segment}>
          {Icon ? <Icon size={14} strokeWidth={1.8} aria-hidden="true" /> : null}
          {word}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
