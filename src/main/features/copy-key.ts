import type { ClipboardPort } from '../ports'
import type { Secret } from '../secret'

/** How long a copied key stays on the clipboard, in ms. */
export const clearsAfterMs = 30_000

/** Copies a key and takes it off the clipboard again after 30 s, or at quit, if it is still there. */
export interface KeyCopier {
  copy(secret: Secret): Promise<void>
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
  let pending: { secret: Secret; cancel: () => void } | undefined
  const flush = async (): Promise<void> => {
    const copied = pending
    pending = undefined
    copied?.cancel()
    if (copied && (await clipboard.readText()) === copied.secret.expose()) await clipboard.writeText('')
  }
  return {
    async copy(secret) {
      pending?.cancel()
      await clipboard.writeText(secret.expose())
      pending = { secret, cancel: schedule(() => void flush(), clearsAfterMs) }
    },
    isWaiting: () => pending !== undefined,
    flush,
  }
}
