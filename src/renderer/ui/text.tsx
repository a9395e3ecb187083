import i18next from 'i18next'
import type { ComponentProps, ReactNode } from 'react'
import { joinClassNames } from './cn'

const t = i18next.getFixedT(null, 'common')

/** Small muted text for hints and counts. Use `as` where a paragraph is invalid. */
export function Hint(props: ComponentProps<'p'> & { readonly as?: 'p' | 'span' | 'div' }) {
  const { as: Tag = 'p', className, ...rest } = props
  return <Tag className={joinClassNames('text-muted text-sm', className)} {...rest} />
}

const maxNames = 100

export function NameList({ names }: { readonly names: readonly string[] }) {
  return (
    <ul className="list-disc pl-4.5 font-strong text-text">
      {names.slice(0, maxNames).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {names.length > maxNames ? <li>{t('andMore', { count: names.length - maxNames })}</li> : null}
    </ul>
  )
}

/** A dash for a missing value, with the reason as tooltip and for screen readers. */
export function NoValue({ children }: { readonly children: string }) {
  return (
    <span className="text-faint" title={children}>
      <span aria-hidden="true">—</span>
      <span className="sr-only">{children}</span>
    </span>
  )
}

const stepTones = {
  neutral: 'border-border-strong text-muted',
  accent: 'border-accent-line bg-accent-soft text-accent-text',
  success: 'border-success-line bg-success-soft text-success',
  danger: 'border-danger-line bg-danger-soft text-danger',
}

/** Step number in a circle. Hidden from screen readers, which read the list's own numbers. */
export function StepNumber(props: { readonly tone?: keyof typeof stepTones; readonly children: ReactNode }) {
  const { tone = 'neutral', children } = props
  return (
    <span
      className={joinClassNames(
        'inline-flex size-5.5 flex-none items-center justify-center rounded-full border text-xs tabular-nums',
        stepTones[tone],
      )}
      aria-hidden="true"
    >
      {children}
    </span>
  )
}
