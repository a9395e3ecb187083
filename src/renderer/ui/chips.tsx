import styles from './chips.module.css'

export interface Chip {
  readonly value: string
  readonly label: string
}

/** Any of a few values, each pressed or not. `label` says to a screen reader what they are. */
export function Chips({
  label,
  chips,
  chosen,
  onChange,
  disabled = false,
}: {
  readonly label: string
  readonly chips: readonly Chip[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly disabled?: boolean
}) {
  const toggle = (value: string): void =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset className={styles.chips} aria-label={label}>
      {chips.map((chip) => (
        <button
          key={chip.value}
          type="button"
          className={styles.chip}
          aria-pressed={chosen.includes(chip.value)}
          disabled={disabled}
          onClick={() => toggle(chip.value)}
        >
          {chip.label}
        </button>
      ))}
    </fieldset>
  )
}
