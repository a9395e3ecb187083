import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  /** A small figure after the label. */
  readonly note?: ReactNode
  readonly content: ReactNode
}

/** Faces of one thing, one shown at a time. */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onValueChange,
}: {
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  readonly value: Value
  readonly onValueChange: (value: Value) => void
}) {
  const choose = (chosen: string): void => {
    const tab = tabs.find((one) => one.value === chosen)
    if (tab) onValueChange(tab.value)
  }
  return (
    <Radix.Root value={value} onValueChange={choose} className={styles.tabs}>
      <Radix.List className={styles.list} aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} className={styles.tab}>
            {tab.label}
            {tab.note === undefined ? null : <span className={styles.note}>{tab.note}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={styles.content} tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
