import type { ComponentProps, ReactNode } from 'react'
import { joinClassNames } from './cn'

/** Monospaced text. `quiet` has no background. `wrap` breaks anywhere instead of truncating. */
export function Code(props: {
  readonly children: ReactNode
  readonly quiet?: boolean
  readonly wrap?: boolean
  readonly title?: string
}) {
  const { children, quiet = false, wrap = false, title } = props
  return (
    <code
      className={joinClassNames(
        'inline-block max-w-full truncate rounded-sm bg-pressed px-1.25 py-px align-bottom text-sm',
        'leading-4.5',
        quiet && 'bg-transparent p-0',
        wrap && 'inline whitespace-pre-wrap wrap-anywhere',
      )}
      title={title}
    >
      {children}
    </code>
  )
}

/** Monospaced text without a background. */
export const QuietCode = (props: Omit<ComponentProps<typeof Code>, 'quiet'>) => <Code quiet {...props} />

const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.platform)
const keySymbols: Record<string, string> = isMac
  ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↵' }
  : { Mod: 'Ctrl', Enter: '↵' }

/** Name of a key. `Mod` is Command on a Mac and Ctrl elsewhere. */
export const keyName = (key: string): string => keySymbols[key] ?? key

export function Kbd({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="inline-flex flex-none gap-0.75">
      {keys.map((key) => (
        <kbd
          key={key}
          className={joinClassNames(
            'inline-flex h-5 min-w-5 items-center justify-center rounded-sm border bg-well px-1.25 font-sans',
            'text-muted text-xs',
          )}
        >
          {keyName(key)}
        </kbd>
      ))}
    </span>
  )
}
