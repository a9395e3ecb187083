import i18next from 'i18next'
import { ClipboardPaste, KeyRound, ShieldCheck } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useId } from 'react'
import { Button } from './button'
import { joinClassNames } from './cn'
import { Kbd } from './code'

const t = i18next.getFixedT(null, 'common')

interface PasteBoxProps {
  readonly label: string
  /** Masked form of the secret just pasted. */
  readonly masked?: string | undefined
  /** Storage of a secret that was saved earlier. `session` is lost when the app quits. */
  readonly stored?: 'keychain' | 'session' | undefined
  /** Instructions for pasting, or a description of the secret that was pasted. */
  readonly how: string
  /** Label of the button while the box is empty. Default: “Paste”. */
  readonly button?: string
  readonly busy: boolean
  readonly onTake: () => void
  /** Element id of the paste button, so that a link in an error message can focus it. */
  readonly buttonId?: string | undefined
  /** Focuses the paste button, for pages with pasting as their only action. */
  readonly autoFocus?: boolean | undefined
  readonly children?: ReactNode
}

const frameClasses = {
  open: 'border-border-control border-dashed bg-well focus-within:border-focus',
  held: 'border-success-line bg-success-soft',
  session: 'border-warning-line bg-warning-soft',
} as const

const icons = { open: 'text-faint', held: 'text-success', session: 'text-warning' } as const

/** Takes a secret from the clipboard in main, by button or paste shortcut. It has no text field. */
export function PasteBox(props: PasteBoxProps) {
  const { label, masked, stored, how, button = t('paste'), busy, buttonId, autoFocus, children } = props
  const id = useId()
  const state = masked === undefined && stored !== 'keychain' ? (stored ?? 'open') : 'held'
  const take = (): void => {
    if (!busy) props.onTake()
  }
  // Discards the event of a menu's "Paste" without reading its text.
  const takeInstead = (event: SyntheticEvent): void => {
    event.preventDefault()
    take()
  }
  const isOpen = state === 'open'
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{label}</p>
      <div
        className={joinClassNames(
          'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border px-3 py-2.5',
          frameClasses[state],
        )}
      >
        <KeyRound size={16} strokeWidth={1.8} className={icons[state]} />
        <div className="min-w-0 flex-[1_1_180px]">
          {masked === undefined ? null : <code className="font-semibold text-md">{masked}</code>}
          <p id={id} className="flex items-center gap-1 text-muted text-sm">
            {masked === undefined ? null : <ShieldCheck size={13} />}
            {how}
          </p>
        </div>
        <div className="ml-auto flex items-center gap-3">
          {isOpen ? (
            <span className="flex items-center gap-1.5 whitespace-nowrap text-muted text-sm">
              {t('labels.orPressLower')} <Kbd keys={['Mod', 'V']} />
            </span>
          ) : null}
          <Button
            id={buttonId}
            autoFocus={autoFocus}
            size={isOpen ? 'md' : 'sm'}
            icon={ClipboardPaste}
            busy={busy}
            onClick={take}
            onKeyDown={(event) => {
              if (event.key.toLowerCase() === 'v' && (event.ctrlKey || event.metaKey) && !event.altKey)
                takeInstead(event)
            }}
            onPaste={takeInstead}
            aria-describedby={id}
          >
            {isOpen ? button : t('pasteAnother')}
          </Button>
        </div>
      </div>
      <span className="sr-only" role="status">
        {masked === undefined ? '' : t('pasted')}
      </span>
      {children}
    </div>
  )
}
