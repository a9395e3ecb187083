import clsx from 'clsx'
import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactElement } from 'react'
import { Kbd } from './kbd'
import styles from './menu.module.css'

export interface MenuAction {
  readonly label: string
  readonly onSelect: () => void
  readonly hint?: string | undefined
  readonly icon?: LucideIcon | undefined
  /** Given: the item is one of several to choose from, and shows whether it is the chosen one. */
  readonly checked?: boolean | undefined
  readonly danger?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly keys?: readonly string[] | undefined
}

/** A line of a menu: something to do, a heading, or a dividing line. */
export type MenuItem = MenuAction | { readonly heading: string } | 'separator'

function Entry({ item }: { readonly item: MenuAction }) {
  const Icon = item.checked ? Check : item.icon
  const inside = (
    <>
      <span className={styles.icon}>{Icon ? <Icon size={15} strokeWidth={1.8} aria-hidden="true" /> : null}</span>
      <span className={styles.words}>
        <span className={styles.label}>{item.label}</span>
        {item.hint ? <span className={styles.hint}>{item.hint}</span> : null}
      </span>
      {item.keys ? <Kbd keys={item.keys} /> : null}
    </>
  )
  const common = {
    className: clsx(styles.item, item.danger && styles.danger),
    disabled: item.disabled ?? false,
    onSelect: item.onSelect,
  }
  if (item.checked === undefined) return <DropdownMenu.Item {...common}>{inside}</DropdownMenu.Item>
  return (
    <DropdownMenu.CheckboxItem {...common} checked={item.checked}>
      {inside}
    </DropdownMenu.CheckboxItem>
  )
}

const keyOf = (item: MenuItem, at: number): string =>
  item === 'separator' ? `line-${at}` : 'heading' in item ? `heading-${item.heading}` : `${at}-${item.label}`

/** What a menu shows: for the content of a Radix dropdown menu. */
export function MenuLines({ items }: { readonly items: readonly MenuItem[] }) {
  return items.map((item, at) =>
    item === 'separator' ? (
      <DropdownMenu.Separator key={keyOf(item, at)} className={styles.line} />
    ) : 'heading' in item ? (
      <DropdownMenu.Label key={keyOf(item, at)} className={styles.heading}>
        {item.heading}
      </DropdownMenu.Label>
    ) : (
      <Entry key={keyOf(item, at)} item={item} />
    ),
  )
}

/** A menu that drops from `trigger` (one element that takes a ref). */
export function Menu({
  trigger,
  items,
  align = 'start',
  side = 'bottom',
}: {
  readonly trigger: ReactElement
  readonly items: readonly MenuItem[]
  readonly align?: 'start' | 'end'
  readonly side?: 'bottom' | 'right' | 'top'
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} align={align} side={side} sideOffset={4} collisionPadding={8}>
          <MenuLines items={items} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
