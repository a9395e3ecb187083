import { ExternalLink } from 'lucide-react'
import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import styles from './markdown.module.css'

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

const schemes: readonly string[] = ['http:', 'https:', 'mailto:']
const longest = 4_000

/** A link's address as it would be opened (host in ASCII), or nothing where it is relative or of another scheme than http, https, mailto. */
function safeAddress(address: string | undefined): URL | undefined {
  if (address === undefined || address.length > longest || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return schemes.includes(url.protocol) && url.href.length <= longest ? url : undefined
}
