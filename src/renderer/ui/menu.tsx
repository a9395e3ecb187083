import { Check, Ellipsis, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ComponentProps, type ReactElement, useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { joinClassNames } from './cn'
import { IconButton } from './icon-button'

export const floatingClass = 'z-50 animate-appear rounded-lg border bg-raised p-1 shadow-float'

type MenuAction = ({ readonly onSelect: () => void } | { readonly to: string }) & {
  readonly label: string
  readonly hint?: string | undefined
  readonly icon?: LucideIcon | undefined
  readonly checked?: boolean | undefined
  readonly danger?: boolean | undefined
  readonly disabled?: boolean | undefined
}

/** An action, or a link if it has `to`. */
export type MenuItem = MenuAction | { readonly heading: string } | 'separator'

function Entry({ item }: { readonly item: MenuAction }) {
  const navigate = useNavigate()
  const Icon = item.checked ? Check : item.icon
  const itemContent = (
    <>
      <span
        className={joinClassNames(
          'w-4 flex-none pt-0.5',
          item.checked ? 'text-accent-text' : item.danger ? 'text-danger' : 'text-muted',
        )}
      >
        {Icon ? <Icon size={15} strokeWidth={1.8} /> : null}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{item.label}</span>
        {item.hint ? <span className="truncate text-muted text-sm">{item.hint}</span> : null}
      </span>
    </>
  )
  const commonProps = {
    className: joinClassNames(
      'flex min-h-7.5 items-start gap-2 rounded-[5px] px-2 py-1.25 outline-none select-none',
      'data-disabled:text-faint data-highlighted:bg-hover',
      item.danger && 'text-danger',
    ),
    disabled: item.disabled ?? false,
    onSelect: () => ('to' in item ? void navigate(item.to) : item.onSelect()),
  }
  if (item.checked === undefined) return <DropdownMenu.Item {...commonProps}>{itemContent}</DropdownMenu.Item>
  return (
    <DropdownMenu.CheckboxItem {...commonProps} checked={item.checked}>
      {itemContent}
    </DropdownMenu.CheckboxItem>
  )
}

function MenuContent(props: ComponentProps<typeof DropdownMenu.Content> & { readonly items: readonly MenuItem[] }) {
  const { items, ...rest } = props
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        className={joinClassNames(
          floatingClass,
          'max-h-(--radix-dropdown-menu-content-available-height) min-w-50 max-w-80 overflow-auto',
        )}
        sideOffset={4}
        collisionPadding={8}
        {...rest}
      >
        {items.map((item, index) => {
          const key = `item-${String(index)}`
          if (item === 'separator') return <DropdownMenu.Separator key={key} className="-mx-1 my-1 h-px bg-border" />
          if (!('heading' in item)) return <Entry key={key} item={item} />
          return (
            <DropdownMenu.Label key={key} className="px-2 pt-1.5 pb-1 font-medium text-faint text-xs">
              {item.heading}
            </DropdownMenu.Label>
          )
        })}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  )
}

export function Menu(props: {
  readonly trigger: ReactElement
  readonly items: readonly MenuItem[]
  readonly align?: 'start' | 'end'
  readonly side?: 'bottom' | 'right' | 'top'
}) {
  const { trigger, items, align = 'start', side = 'bottom' } = props
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuContent items={items} align={align} side={side} />
    </DropdownMenu.Root>
  )
}

/** Icon button that opens a menu. Default icon: three dots. */
export function MenuButton(
  props: Partial<Pick<ComponentProps<typeof IconButton>, 'icon' | 'size' | 'busy'>> & {
    readonly label: string
    readonly items: readonly MenuItem[]
  },
) {
  const { items, icon = Ellipsis, ...button } = props
  return <Menu align="end" trigger={<IconButton icon={icon} {...button} />} items={items} />
}

interface OpenedMenu {
  readonly anchor: HTMLElement
  readonly items: readonly MenuItem[]
}

function AnchoredMenu({ anchor, items, onClose }: OpenedMenu & { readonly onClose: () => void }) {
  const { top, left, width, height } = anchor.getBoundingClientRect()
  const close = (): void => {
    anchor.removeAttribute('aria-expanded')
    onClose()
  }
  return (
    <DropdownMenu.Root open onOpenChange={(open) => !open && close()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" style={{ position: 'fixed', pointerEvents: 'none', top, left, width, height }} />
      </DropdownMenu.Trigger>
      <MenuContent
        items={items}
        align="end"
        aria-labelledby={undefined}
        aria-label={anchor.getAttribute('aria-label') ?? undefined}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          anchor.focus()
        }}
      />
    </DropdownMenu.Root>
  )
}

export type SharedMenu = ReturnType<typeof useSharedMenu>

/**
 * One menu shared by many rows, because a menu per row slows down scrolling. `open` shows it below a button, which gets
 * the focus on close. Render `menu` once outside the rows.
 */
export function useSharedMenu() {
  const [openedMenu, setOpenedMenu] = useState<OpenedMenu>()
  const openMenu = useCallback((anchor: HTMLElement, items: readonly MenuItem[]): void => {
    anchor.setAttribute('aria-expanded', 'true')
    setOpenedMenu({ anchor, items })
  }, [])
  const menu = openedMenu ? <AnchoredMenu {...openedMenu} onClose={() => setOpenedMenu(undefined)} /> : null
  return { open: openMenu, menu }
}
