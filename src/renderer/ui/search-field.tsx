import i18next from 'i18next'
import { type LucideIcon, Search, X } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { formatNumber } from '../format'
import { ariaShortcut, isShortcut, useShortcuts, useWindowKey } from '../shortcuts'
import { joinClassNames } from './cn'
import { TextInput } from './field'
import { IconButton } from './icon-button'

const t = i18next.getFixedT(null, 'common')

interface MatchCount {
  readonly shown: number
  readonly count: number
}

interface SearchFieldProps {
  /** Accessible name and default placeholder. */
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (text: string) => void
  /** Called on Enter and on clear, for debounced callers. */
  readonly onSubmit?: (text: string) => void
  /** Match count, shown and announced while a search or filter is active. */
  readonly found?: MatchCount
  /** Whether the find shortcut focuses this field. */
  readonly hasFindKey?: boolean
  readonly icon?: LucideIcon
  /** Label of the clear button, if it clears more than the search. */
  readonly clearLabel?: string
  readonly maxLength?: number
  readonly className?: string
}

function MatchCountText({ shown, count, isSearched }: MatchCount & { readonly isSearched: boolean }) {
  return (
    <span className="whitespace-nowrap text-muted text-sm tabular-nums" role="status">
      {isSearched || shown !== count ? t('found', { shown: formatNumber(shown), count: formatNumber(count) }) : ''}
    </span>
  )
}

/** Escape or the cross clears the field. Escape in an empty field removes focus. */
export function SearchField(props: SearchFieldProps) {
  const { label, placeholder = label, value, onChange, onSubmit, found, clearLabel, maxLength, className } = props
  const { icon: Icon = Search, hasFindKey = false } = props
  const input = useRef<HTMLInputElement>(null)
  const { find } = useShortcuts()
  useWindowKey(
    (event) => {
      const field = input.current
      if (!isShortcut(event, 'find') || !field || event.defaultPrevented) return
      const dialogs = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')]
      // A dialog that does not contain the field covers it.
      if (!dialogs.every((dialog) => dialog.contains(field))) return
      event.preventDefault()
      field.focus()
      field.select()
    },
    { isOn: hasFindKey },
  )
  const clearText = (): void => {
    onChange('')
    onSubmit?.('')
    input.current?.focus()
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    // Ignore key presses of an input method editor.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') onSubmit?.(value)
    if (event.key !== 'Escape') return
    if (value === '') event.currentTarget.blur()
    else {
      // Stop the event: other Escape handlers of the page run on the next press.
      event.preventDefault()
      event.stopPropagation()
      clearText()
    }
  }
  return (
    <TextInput
      ref={input}
      type="search"
      className={joinClassNames(
        'max-w-90 flex-[1_1_200px] *:first:pr-0 *:first:pl-2.5 [&_input]:pr-1 [&_input]:pl-2',
        '[&_input]:text-ellipsis [&_input]:[&::-webkit-search-cancel-button]:hidden',
        className,
      )}
      aria-label={label}
      aria-keyshortcuts={hasFindKey ? ariaShortcut(find) : undefined}
      placeholder={placeholder}
      maxLength={maxLength}
      leading={<Icon size={14} strokeWidth={1.9} />}
      trailing={
        <>
          {found ? <MatchCountText {...found} isSearched={value !== ''} /> : null}
          {value === '' ? null : (
            <IconButton icon={X} size="sm" label={clearLabel ?? t('clearSearch')} onClick={clearText} />
          )}
        </>
      }
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={handleKeyDown}
    />
  )
}
