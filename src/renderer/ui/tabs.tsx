import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab {
  readonly value: string
  readonly label: string
  readonly badge?: ReactNode
  readonly content: ReactNode
}

/** Views of one thing, one at a time. */
export function Tabs({
  value,
  onValueChange,
  tabs,
  label,
}: {
  readonly value: string
  readonly onValueChange: (value: string) => void
  readonly tabs: readonly Tab[]
  readonly label: string
}) {
  return (
    <Radix.Root value={value} onValueChange={onValueChange}>
      <Radix.List aria-label={label} className={styles.list}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
            {tab.badge}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={styles.content}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
