import { createHash } from 'node:crypto'
import type { ClipboardPort } from '../ports'
import type { Secret } from '../secret'

/** How long a copied key stays on the clipboard, in ms. */
export const clearsAfterMs = 30_000

/** Copies a key and takes it off the clipboard again after 30 s, or at quit, if it is still there. */
export interface KeyCopier {
  copy(secret: Secret): Promise<void>
  /** Whether this app has put it on the clipboard since it started. */
  hasCopied(secret: Secret): boolean
  /** True while a copied key waits to be cleared. */
  isWaiting(): boolean
  /** Clears now what would be cleared later. */
  flush(): Promise<void>
}

/** Copies keys through the given clipboard; `schedule` runs a function once after some ms. */
export function createKeyCopier(
  clipboard: ClipboardPort,
  schedule: (run: () => void, ms: number) => () => void,
): KeyCopier {
  const copied = new Set<string>()
  let pending: { secret: Secret; cancel: () => void } | undefined
  const flush = async (): Promise<void> => {
    const last = pending
    pending = undefined
    last?.cancel()
    if (last && (await clipboard.readText()) === last.secret.expose()) await clipboard.writeText('')
  }
  return {
    async copy(secret) {
      pending?.cancel()
      copied.add(digestOf(secret))
      await clipboard.writeText(secret.expose())
      pending = { secret, cancel: schedule(() => void flush(), clearsAfterMs) }
    },
    hasCopied: (secret) => copied.has(digestOf(secret)),
    isWaiting: () => pending !== undefined,
    flush,
  }
}

/** What was copied is remembered without being held. */
const digestOf = (secret: Secret): string => createHash('sha256').update(secret.expose().trim()).digest('hex')
