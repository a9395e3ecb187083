import { ExternalLink } from 'lucide-react'
import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import styles from './markdown.module.css'
import { safeAddress } from './safe-address'

/** Asks whether an address may be opened outside. */
export const AskToOpen = createContext<(address: URL) => void>(() => undefined)

/** A link that asks before it opens; one that may not be opened is text, with its address beside it. */
export function Link({ address, children }: { readonly address: string | undefined; readonly children: ReactNode }) {
  const ask = useContext(AskToOpen)
  const url = safeAddress(address)
  if (!url) return <span className={styles.deadLink}>{children}</span>
  const press = (event: MouseEvent): void => {
    event.preventDefault()
    ask(url)
  }
  return (
    <a className={styles.link} href={url.href} rel="noreferrer noopener" onClick={press} onAuxClick={press}>
      {children}
      <ExternalLink size={11} strokeWidth={1.8} aria-hidden="true" />
    </a>
  )
}
