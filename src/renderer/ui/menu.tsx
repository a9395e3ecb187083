import { Check, Ellipsis, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ComponentProps, type ReactElement, type ReactNode, useCallback, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { joinClassNames } from './cn'
import { Kbd } from './code'
import { IconButton } from './icon-button'

/** Style of floating panels. */
export const floatingClass = 'z-50 animate-appear rounded-lg border bg-raised p-1 shadow-float'

type MenuAction = ({ readonly onSelect: () => void } | { readonly to: string }) & {
  readonly label: string
  readonly hint?: string | undefined
  readonly icon?: LucideIcon | undefined
  readonly checked?: boolean | undefined
  readonly danger?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly keys?: readonly string[] | undefined
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
        {Icon ? <Icon size={15} strokeWidth={1.8} aria-hidden="true" /> : null}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{item.label}</span>
        {item.hint ? <span className="truncate text-muted text-sm">{item.hint}</span> : null}
      </span>
      {item.keys ? <Kbd keys={item.keys} /> : null}
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

const toKey = (item: MenuItem, index: number): string =>
  item === 'separator' ? `line-${index}` : 'heading' in item ? `heading-${item.heading}` : `${index}-${item.label}`

function MenuContent({
  items,
  ...rest
}: ComponentProps<typeof DropdownMenu.Content> & { readonly items: readonly MenuItem[] }) {
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
        {items.map((item, index) =>
          item === 'separator' ? (
            <DropdownMenu.Separator key={toKey(item, index)} className="-mx-1 my-1 h-px bg-border" />
          ) : 'heading' in item ? (
            <DropdownMenu.Label key={toKey(item, index)} className="px-2 pt-1.5 pb-1 font-medium text-faint text-xs">
              {item.heading}
            </DropdownMenu.Label>
          ) : (
            <Entry key={toKey(item, index)} item={item} />
          ),
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  )
}

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
      <MenuContent items={items} align={align} side={side} />
    </DropdownMenu.Root>
  )
}

/** Icon button that opens a menu. Default icon: three dots. */
export function MenuButton({
  items,
  icon = Ellipsis,
  ...button
}: Partial<Pick<ComponentProps<typeof IconButton>, 'icon' | 'size' | 'busy'>> & {
  readonly label: string
  readonly items: readonly MenuItem[]
}) {
  return <Menu align="end" trigger={<IconButton icon={icon} {...button} />} items={items} />
}

interface OpenedMenu {
  readonly anchor: HTMLElement
  readonly items: readonly MenuItem[]
}

export interface SharedMenu {
  /** Opens the menu below a button and returns focus to it on close. */
  readonly open: (anchor: HTMLElement, items: readonly MenuItem[]) => void
  /** Menu element, to render once outside the rows. */
  readonly menu: ReactNode
}

function AnchoredMenu({ anchor, items, onClose }: OpenedMenu & { readonly onClose: () => void }) {
  const { top, left, width, height } = anchor.getBoundingClientRect()
  const close = (): void => {
    anchor.removeAttribute('aria-expanded')
    onClose()
  }
  return (
    <DropdownMenu.Root
      open
      onOpenChange={(open) => {
        if (!open) close()
      }}
    >
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

/** One menu shared by many rows. A menu per row slows down scrolling. */
export function useSharedMenu(): SharedMenu {
  const [openedMenu, setOpenedMenu] = useState<OpenedMenu>()
  const openMenu = useCallback((anchor: HTMLElement, items: readonly MenuItem[]): void => {
    anchor.setAttribute('aria-expanded', 'true')
    setOpenedMenu({ anchor, items })
  }, [])
  const close = useCallback(() => setOpenedMenu(undefined), [])
  return useMemo(
    () => ({ open: openMenu, menu: openedMenu ? <AnchoredMenu {...openedMenu} onClose={close} /> : null }),
    [openMenu, openedMenu, close],
  )
}
