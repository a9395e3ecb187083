import { joinClassNames } from './cn'

/** Multiple-choice toggle buttons. `label` is the accessible name of the group. */
export function Chips(props: {
  readonly label: string
  readonly chips: readonly { readonly value: string; readonly label: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly disabled?: boolean
}) {
  const { label, chips, chosen, onChange, disabled = false } = props
  const toggle = (value: string): void =>
    onChange(chosen.includes(value) ? chosen.filter((chosenValue) => chosenValue !== value) : [...chosen, value])
  return (
    <fieldset className="flex flex-wrap gap-1.5" aria-label={label}>
      {chips.map((chip) => (
        <button
          key={chip.value}
          type="button"
          className={joinClassNames(
            'h-7 rounded-md border border-border-control bg-surface px-2.5 enabled:hover:bg-hover',
            'disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft',
            'aria-pressed:font-medium aria-pressed:text-accent-text',
          )}
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
