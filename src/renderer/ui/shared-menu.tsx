import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { type MenuItem, MenuLines } from './menu'
import styles from './menu.module.css'

interface Opened {
  readonly anchor: HTMLElement
  readonly items: readonly MenuItem[]
}

interface SharedMenu {
  /** Opens it beneath a button, which has the focus again afterwards. */
  readonly open: (anchor: HTMLElement, items: readonly MenuItem[]) => void
  /** To be rendered once, beside the rows. */
  readonly menu: ReactNode
}

function Anchored({ anchor, items, onClose }: Opened & { readonly onClose: () => void }) {
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
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={undefined}
          aria-label={anchor.getAttribute('aria-label') ?? undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            anchor.focus()
          }}
        >
          <MenuLines items={items} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** One menu for the buttons of many rows: a menu in every row is felt while scrolling. */
export function useSharedMenu(): SharedMenu {
  const [opened, setOpened] = useState<Opened>()
  const open = useCallback((anchor: HTMLElement, items: readonly MenuItem[]): void => {
    anchor.setAttribute('aria-expanded', 'true')
    setOpened({ anchor, items })
  }, [])
  const close = useCallback(() => setOpened(undefined), [])
  return useMemo(
    () => ({ open, menu: opened ? <Anchored {...opened} onClose={close} /> : null }),
    [open, opened, close],
  )
}
