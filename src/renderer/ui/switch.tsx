import { Switch as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { joinClassNames } from './cn'

const trackClass = joinClassNames(
  'mt-px h-5 w-8.5 flex-none rounded-full bg-[light-dark(#8a909d,#5a606d)] p-0.5 transition-colors duration-medium',
  'disabled:opacity-50 data-[state=checked]:bg-accent',
)
const thumbClass =
  'block size-4 rounded-full bg-white transition-transform duration-medium data-[state=checked]:translate-x-3.5'

const Track = (props: Omit<ComponentProps<typeof Radix.Root>, 'className' | 'children'>) => (
  <Radix.Root className={trackClass} {...props}>
    <Radix.Thumb className={thumbClass} />
  </Radix.Root>
)

interface SwitchProps {
  readonly checked: boolean
  readonly onCheckedChange: (checked: boolean) => void
  readonly label: string
  readonly disabled?: boolean
}

export function Switch({ label, hint, ...props }: SwitchProps & { readonly hint?: ReactNode }) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint ? (
          <p id={`${id}-hint`} className="text-muted text-sm">
            {hint}
          </p>
        ) : null}
      </div>
      <Track id={id} aria-describedby={hint ? `${id}-hint` : undefined} {...props} />
    </div>
  )
}

/** A switch as a row of a card. */
export const SwitchRow = (props: ComponentProps<typeof Switch>) => (
  <div className="border-t py-2.5 pr-3 pl-4 first:border-t-0">
    <Switch {...props} />
  </div>
)

/** A switch without visible label, for table cells. `label` is its accessible name. */
export const CompactSwitch = ({ label, ...props }: SwitchProps & { readonly tabIndex?: number }) => (
  <Track aria-label={label} {...props} />
)
