import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { joinClassNames } from './cn'

/** Shares the delay between all tooltips. Render once around the app. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  )
}

/** Tooltip on hover and keyboard focus. `children` is one element that accepts a ref. `disabled` hides it. */
export function Tooltip(props: {
  readonly content: ReactNode
  readonly children: ReactElement
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  readonly disabled?: boolean
}) {
  const { content, children, side = 'top', disabled = false } = props
  if (disabled) return children
  return (
    <Radix.Root>
      <Radix.Trigger
        asChild
        onFocus={(event) => {
          // Suppress tooltips on programmatic focus, as after closing a menu by mouse.
          if (!event.currentTarget.matches(':focus-visible')) event.preventDefault()
        }}
      >
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={joinClassNames(
            'z-60 max-w-80 animate-[fade_var(--transition-duration-fast)_var(--default-transition-timing-function)] rounded-[5px]',
            'bg-[light-dark(#24272f,#363a44)] px-2 py-1.25 text-[#f4f5f8] text-sm leading-snug wrap-anywhere',
            'shadow-float',
          )}
          side={side}
          sideOffset={6}
          collisionPadding={8}
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
