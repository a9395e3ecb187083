import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'

/** Small quieter text: what a field means, what a row adds, how many there are. `as` where a paragraph may not stand. */
export function Hint({
  as: Tag = 'p',
  className,
  ...rest
}: ComponentProps<'p'> & { readonly as?: 'p' | 'span' | 'div' }) {
  return <Tag className={cn('text-muted text-sm', className)} {...rest} />
}

/** Names beneath each other, one line each: what a question is about. */
export function NameList({ names }: { readonly names: readonly string[] }) {
  return (
    <ul className="list-disc pl-4.5 font-strong text-text">
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}

const stepTones = {
  neutral: 'border-border-strong text-muted',
  accent: 'border-accent-line bg-accent-soft text-accent-text',
  success: 'border-success-line bg-success-soft text-success',
  danger: 'border-danger-line bg-danger-soft text-danger',
}

/** The number of a step in a ring; the list around it tells a screen reader the same. */
export function StepNumber({
  tone = 'neutral',
  children,
}: {
  readonly tone?: keyof typeof stepTones
  readonly children: ReactNode
}) {
  return (
    <span
      className={cn(
        'inline-flex size-5.5 flex-none items-center justify-center rounded-full border text-xs tabular-nums',
        stepTones[tone],
      )}
      aria-hidden="true"
    >
      {children}
    </span>
  )
}
