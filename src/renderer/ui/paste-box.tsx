import { ClipboardPaste, KeyRound, ShieldCheck } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useId } from 'react'
import { Button } from './button'
import { Kbd } from './code'
import styles from './paste-box.module.css'

export interface PasteBoxProps {
  readonly label: string
  /** `open`: nothing is held yet; `held`: something is; `session`: something is, until the app ends. */
  readonly state: 'open' | 'held' | 'session'
  /** What may be shown of something that was just taken. */
  readonly masked?: string | undefined
  /** Says what a press does, or what is held. */
  readonly how: string
  /** Stands before the paste keys, while nothing is held. */
  readonly keysHint: string
  readonly button: string
  /** What a screen reader is told once something was taken. */
  readonly taken: string
  readonly busy: boolean
  readonly onTake: () => void
  /** So that a remedy can lead here. */
  readonly buttonId?: string | undefined
  /** Where taking it is the one thing to do. */
  readonly autoFocus?: boolean | undefined
  readonly children?: ReactNode
}

function pasteKeys(take: () => void) {
  return {
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'v' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      take()
    },
    // A menu's "Paste" arrives as an event that holds the text: it is dropped unread.
    onPaste: (event: ClipboardEvent): void => {
      event.preventDefault()
      take()
    },
  }
}

/** A place for a secret that is taken from the clipboard elsewhere: by the button, or by the paste keys while it has the focus. It has no text field. */
export function PasteBox(props: PasteBoxProps) {
  const { label, state, masked, how, keysHint, button, taken, busy, onTake, buttonId, autoFocus, children } = props
  const id = useId()
  const isOpen = state === 'open'
  return (
    <div className={styles.group}>
      <p className={styles.label}>{label}</p>
      <div className={styles[state]}>
        <KeyRound size={16} strokeWidth={1.8} className={styles.icon} aria-hidden="true" />
        <div className={styles.words}>
          {masked === undefined ? null : <code className={styles.masked}>{masked}</code>}
          <p id={id} className={styles.how}>
            {masked === undefined ? null : <ShieldCheck size={13} aria-hidden="true" />}
            {how}
          </p>
        </div>
        <div className={styles.act}>
          {isOpen ? (
            <span className={styles.keys}>
              {keysHint} <Kbd keys={['Mod', 'V']} />
            </span>
          ) : null}
          <Button
            id={buttonId}
            autoFocus={autoFocus}
            size={isOpen ? 'md' : 'sm'}
            icon={ClipboardPaste}
            busy={busy}
            onClick={onTake}
            {...pasteKeys(onTake)}
            aria-describedby={id}
          >
            {button}
          </Button>
        </div>
      </div>
      <span className="sr-only" role="status">
        {masked === undefined ? '' : taken}
      </span>
      {children}
    </div>
  )
}
