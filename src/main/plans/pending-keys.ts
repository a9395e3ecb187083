import { randomUUID } from 'node:crypto'
import type { PendingKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../consent/consent'
import type { ClipboardPort, Clock } from '../ports'
import { cleanPastedKey, Secret } from '../secret'

const keepMs = 15 * 60_000

/** Keys taken from the clipboard that are not saved yet; held in memory for 15 minutes. */
export interface PendingKeys {
  /**
   * Reads the clipboard; `isExact` takes what is there to the letter. A secret that this app copied there is taken only when the person
   * agrees: the page could have it copied, and sent anywhere. Fails with `clipboard.noKey` or `input.declined`.
   */
  takeFromClipboard(options?: { isExact?: boolean }): Promise<PendingKeyView>
  /** The key behind an id, still held. Fails with `key.notFound` when it is gone. */
  get(pendingId: string): Secret
  forget(pendingId: string): void
}

function exactSecret(text: string): Secret {
  const trimmed = text.trim()
  if (trimmed === '') throw new AppError('clipboard.noKey', 'There is no text in the clipboard. Copy the secret first.')
  return new Secret(trimmed)
}

interface PendingKeyPorts {
  readonly clipboard: ClipboardPort
  readonly clock: Clock
  /** Whether this app put a secret on the clipboard. */
  readonly hasCopied: (secret: Secret) => boolean
  readonly confirm: Confirm
}

/** Holds pasted keys in this process, so that the window only ever sees their masked form. */
export function createPendingKeys({ clipboard, clock, hasCopied, confirm }: PendingKeyPorts): PendingKeys {
  const held = new Map<string, { secret: Secret; until: number }>()
  return {
    async takeFromClipboard({ isExact = false } = {}) {
      const now = clock().getTime()
      for (const [id, { until }] of held) if (until < now) held.delete(id)
      const text = await clipboard.readText()
      const secret = isExact ? exactSecret(text) : cleanPastedKey(text)
      if (hasCopied(secret)) await requireConsent(confirm, { kind: 'reuseCopiedSecret', masked: secret.masked })
      const pendingId = randomUUID()
      held.set(pendingId, { secret, until: now + keepMs })
      return { pendingId, masked: secret.masked }
    },
    get(pendingId) {
      const entry = held.get(pendingId)
      if (entry && entry.until >= clock().getTime()) return entry.secret
      throw new AppError('key.notFound', 'The pasted key is no longer held. Paste it again.', { field: 'pendingId' })
    },
    forget: (pendingId) => void held.delete(pendingId),
  }
}
