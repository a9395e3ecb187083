import { ChevronDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from './button'
import { cn } from './cn'

/** Framed rows whose cells line up over all rows; `columns` is their grid. */
export function GridRows({
  as: Tag = 'ul',
  columns,
  label,
  children,
}: {
  readonly as?: 'ul' | 'ol'
  readonly columns: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <Tag
      className="grid gap-x-3 rounded-lg border bg-surface"
      style={{ gridTemplateColumns: columns }}
      aria-label={label}
    >
      {children}
    </Tag>
  )
}

/** One of the rows; what is folded out beneath its cells takes `col-[2/-1]`. */
export function GridRow({ className, ...rest }: ComponentProps<'li'>) {
  return (
    <li
      className={cn(
        'col-span-full grid min-h-14 grid-cols-subgrid items-center border-t py-2.25 pr-3 pl-4 first:border-t-0',
        className,
      )}
      {...rest}
    />
  )
}

/** Folds out what stands beneath a row. */
export function ExpandButton(props: Omit<ComponentProps<typeof Button>, 'size' | 'variant' | 'icon' | 'className'>) {
  return <Button size="sm" variant="ghost" icon={ChevronDown} className="aria-expanded:[&_svg]:rotate-180" {...props} />
}
