import { createHash, randomUUID } from 'node:crypto'
import type { PendingKeyView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../core/consent/consent'
import type { ClipboardPort, Clock } from '../core/ports'
import { cleanPastedKey, Secret } from '../core/secret'

const keepMs = 15 * minuteMs

/** Unsaved keys from the clipboard, kept in memory for 15 minutes. */
export interface PendingKeys {
  /**
   * Reads the clipboard, verbatim with `isExact`. Asks before using a secret that this app copied, because a
   * compromised page could copy it and send it anywhere. Fails with `clipboard.noKey` or `input.declined`.
   */
  takeFromClipboard(options?: { isExact?: boolean }): Promise<PendingKeyView>
  /** Secret from the clipboard. Fails with `key.notFound` after the secret has expired. */
  get(pendingId: string): Secret
  forget(pendingId: string): void
}

function exactSecret(text: string): Secret {
  const trimmed = text.trim()
  if (trimmed === '') throw new AppError('clipboard.noKey', 'There is no text on the clipboard. Copy the secret first.')
  return new Secret(trimmed)
}

interface PendingKeyPorts {
  readonly clipboard: ClipboardPort
  readonly clock: Clock
  readonly hasCopied: (secret: Secret) => boolean
  readonly confirm: Confirm
}

/** Keeps pasted keys in this process. The window gets only the masked form. */
export function createPendingKeys({ clipboard, clock, hasCopied, confirm }: PendingKeyPorts): PendingKeys {
  const held = new Map<string, { secret: Secret; until: number }>()
  return {
    async takeFromClipboard({ isExact = false } = {}) {
      const nowMs = clock().getTime()
      for (const [id, { until }] of held) if (until < nowMs) held.delete(id)
      const text = await clipboard.readText()
      const secret = isExact ? exactSecret(text) : cleanPastedKey(text)
      if (hasCopied(secret)) await requireConsent(confirm, { kind: 'reuseCopiedSecret', masked: secret.masked })
      const pendingId = randomUUID()
      held.set(pendingId, { secret, until: nowMs + keepMs })
      return { pendingId, masked: secret.masked }
    },
    get(pendingId) {
      const entry = held.get(pendingId)
      if (entry && entry.until >= clock().getTime()) return entry.secret
      throw new AppError('key.notFound', 'The pasted key has expired. Paste it again.', { field: 'pendingId' })
    },
    forget: (pendingId) => void held.delete(pendingId),
  }
}

/** Time in ms after which a copied key is cleared. */
export const clearsAfterMs = 30_000

/** Copies a key and clears it after 30 s or on exit, unless the clipboard has changed. */
export interface KeyCopier {
  copy(secret: Secret): Promise<void>
  /** Whether this app copied the secret since its start. */
  hasCopied(secret: Secret): boolean
  /** Whether a copied key still has to be cleared from the clipboard. */
  isWaiting(): boolean
  /** Clears the pending key immediately. */
  flush(): Promise<void>
}

/** Copies keys and clears them later. `schedule` works like `setTimeout`. */
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
      copied.add(digestSecret(secret))
      await clipboard.writeText(secret.expose())
      pending = { secret, cancel: schedule(() => void flush(), clearsAfterMs) }
    },
    hasCopied: (secret) => copied.has(digestSecret(secret)),
    isWaiting: () => pending !== undefined,
    flush,
  }
}

/** Remembers a copied secret by its hash only. */
const digestSecret = (secret: Secret): string => createHash('sha256').update(secret.expose().trim()).digest('hex')
