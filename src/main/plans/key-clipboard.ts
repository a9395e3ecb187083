import { createHash, randomUUID } from 'node:crypto'
import type { PendingKeyView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../core/consent/consent'
import type { ClipboardPort, Clock } from '../core/ports'
import { cleanPastedKey, Secret } from '../core/secret'

const retentionMs = 15 * minuteMs

/** Unsaved keys from the clipboard, kept in memory for 15 minutes. */
export type PendingKeys = ReturnType<typeof createPendingKeys>

interface PendingKeyPorts {
  readonly clipboard: ClipboardPort
  readonly clock: Clock
  readonly hasCopied: (secret: Secret) => boolean
  readonly confirm: Confirm
}

/** Keeps pasted keys in this process. The window gets only the masked form. */
export function createPendingKeys({ clipboard, clock, hasCopied, confirm }: PendingKeyPorts) {
  const clipboardKeys = new Map<string, { secret: Secret; until: number }>()
  return {
    /** Asks before using a secret that this app copied: a compromised page could copy it and send it anywhere. */
    async takeFromClipboard({ isExact = false } = {}): Promise<PendingKeyView> {
      const nowMs = clock().getTime()
      for (const [id, { until }] of clipboardKeys) if (until < nowMs) clipboardKeys.delete(id)
      const text = await clipboard.readText()
      if (isExact && text.trim() === '')
        throw new AppError('clipboard.noKey', 'There is no text on the clipboard. Copy the secret first.')
      const secret = isExact ? new Secret(text.trim()) : cleanPastedKey(text)
      if (hasCopied(secret)) await requireConsent(confirm, { kind: 'reuseCopiedSecret', masked: secret.masked })
      const pendingId = randomUUID()
      clipboardKeys.set(pendingId, { secret, until: nowMs + retentionMs })
      return { pendingId, masked: secret.masked }
    },
    /** Secret from the clipboard. Fails with `key.notFound` after the secret has expired. */
    get(pendingId: string): Secret {
      const entry = clipboardKeys.get(pendingId)
      if (entry && entry.until >= clock().getTime()) return entry.secret
      throw new AppError('key.notFound', 'The pasted key has expired. Paste it again.', { field: 'pendingId' })
    },
    forget: (pendingId: string): void => void clipboardKeys.delete(pendingId),
    /** Passes the secret to `save` and forgets it once it is saved. Fails as `get` and `save` do. */
    async use<T>(pendingId: string, save: (secret: Secret) => Promise<T>): Promise<T> {
      const result = await save(this.get(pendingId))
      this.forget(pendingId)
      return result
    },
  }
}

const clearsAfterMs = 30_000

export type KeyCopier = ReturnType<typeof createKeyCopier>

/** Copies keys and clears them after 30 s or on exit, unless the clipboard has changed. `schedule` works like `setTimeout`. */
export function createKeyCopier(clipboard: ClipboardPort, schedule: (run: () => void, ms: number) => () => void) {
  const copiedDigests = new Set<string>()
  let pendingCopy: { secret: Secret; cancel: () => void } | undefined
  const clearCopiedKey = async (): Promise<void> => {
    const lastCopy = pendingCopy
    pendingCopy = undefined
    lastCopy?.cancel()
    if (lastCopy && (await clipboard.readText()) === lastCopy.secret.expose()) await clipboard.writeText('')
  }
  return {
    /** Resolves with the time in ms after which the key is cleared. */
    async copy(secret: Secret): Promise<{ clearsAfterMs: number }> {
      pendingCopy?.cancel()
      copiedDigests.add(digestSecret(secret))
      await clipboard.writeText(secret.expose())
      pendingCopy = { secret, cancel: schedule(() => void clearCopiedKey(), clearsAfterMs) }
      return { clearsAfterMs }
    },
    /** Whether this app copied the secret since its start. */
    hasCopied: (secret: Secret): boolean => copiedDigests.has(digestSecret(secret)),
    /** Whether a copied key still has to be cleared from the clipboard. */
    isWaiting: (): boolean => pendingCopy !== undefined,
    /** Clears a copied key from the clipboard immediately. */
    flush: clearCopiedKey,
  }
}

/** Remembers a copied secret by its hash only. */
const digestSecret = (secret: Secret): string => createHash('sha256').update(secret.expose().trim()).digest('hex')
