import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { joinClassNames } from './cn'

/** Color of a state. Always pair it with a word or an icon, for accessibility. */
export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger'

const badges: Record<Tone, string> = {
  neutral: 'bg-pressed text-muted',
  accent: 'bg-accent-soft text-accent-text',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
}

const dotClasses: Record<Tone, string> = {
  neutral: 'shadow-[inset_0_0_0_1.5px_var(--color-faint)]',
  accent: 'bg-accent',
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
}

export function Badge(props: { readonly tone?: Tone; readonly icon?: LucideIcon; readonly children: ReactNode }) {
  const { tone = 'neutral', icon: Icon, children } = props
  return (
    <span
      className={joinClassNames(
        'inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-[5px] px-1.75 font-medium text-xs',
        'leading-none',
        badges[tone],
      )}
    >
      {Icon ? <Icon size={12} strokeWidth={2} /> : null}
      {children}
    </span>
  )
}

/** A status dot with its text. `pulse` while the state is changing. */
export function StatusDot(props: { readonly tone: Tone; readonly label: ReactNode; readonly pulse?: boolean }) {
  const { tone, label, pulse = false } = props
  return (
    <span className="inline-flex min-w-0 items-center gap-1.75">
      <span
        className={joinClassNames(
          'size-1.75 flex-none rounded-full',
          dotClasses[tone],
          pulse && 'animate-pulse motion-reduce:animate-none',
        )}
        aria-hidden="true"
      />
      <span className="truncate">{label}</span>
    </span>
  )
}
