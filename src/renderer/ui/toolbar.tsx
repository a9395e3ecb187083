import type { ReactNode } from 'react'
import { cn } from './cn'

/** The line over a list: its search, filters and buttons; in their place, while rows are ticked, a `SelectionBar`. */
export function Toolbar({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return (
    <div className={cn('flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2 [&>section]:flex-[1_1_420px]', className)}>
      {children}
    </div>
  )
}

/** How many rows are ticked, in words, and what can be done with them. */
export function SelectionBar({
  label,
  count,
  children,
}: {
  readonly label: string
  readonly count: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section
      className="flex h-10 items-center gap-2 rounded-lg border border-accent-line bg-accent-soft pr-1.5 pl-4"
      aria-label={label}
    >
      <p role="status" className="flex-1 font-strong">
        {count}
      </p>
      {children}
    </section>
  )
}
