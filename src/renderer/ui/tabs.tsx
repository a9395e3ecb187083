import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { joinClassNames } from './cn'
import { passChoice } from './select'

interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Small value after the label. */
  readonly note?: ReactNode
  readonly content: ReactNode
}

export function Tabs<Value extends string>(props: {
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  readonly value: Value
  readonly onValueChange: (value: Value) => void
}) {
  const { label, tabs, value, onValueChange } = props
  return (
    <Radix.Root
      value={value}
      onValueChange={(chosen) => passChoice(chosen, tabs, onValueChange)}
      className="flex flex-col gap-5"
    >
      <Radix.List className="flex flex-wrap gap-x-5 shadow-underline" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className={joinClassNames(
              'inline-flex h-9 items-center gap-1.5 border-transparent border-b-2 px-px font-medium text-muted',
              'hover:text-text data-[state=active]:border-accent data-[state=active]:text-text',
            )}
          >
            {tab.label}
            {tab.note === undefined ? null : (
              <span className="font-normal text-faint text-sm tabular-nums">{tab.note}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          className="flex flex-col gap-6 focus-visible:outline-none data-[state=inactive]:hidden"
          tabIndex={-1}
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
