import type { ComponentProps } from 'react'
import { cn } from './cn'

/** Small quieter text: what a field means, what a row adds, how many there are. `as` where a paragraph may not stand. */
export function Hint({
  as: Tag = 'p',
  className,
  ...rest
}: ComponentProps<'p'> & { readonly as?: 'p' | 'span' | 'div' }) {
  return <Tag className={cn('text-muted text-sm', className)} {...rest} />
}
